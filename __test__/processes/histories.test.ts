import { expect, it } from 'vitest';
import { isLinearizable } from './support/linearizability.js';
import { recordedHistory } from './support/recorded-history.js';
import { seeded } from './support/seed.js';

/** How many histories are recorded; docs/testing.md says how many by default, and in full. */
const HISTORIES = Number(process.env.NAMZU_HISTORIES ?? 50);

it(
  `${HISTORIES} histories of 2 to 8 processes, killed in every second, are linearizable`,
  async () => {
    const { random, seed } = seeded('histories');
    let answered = 0;
    let unanswered = 0;
    for (let n = 0; n < HISTORIES; n += 1) {
      const kill = n % 2 === 1;
      const setting = {
        processes: 2 + random.below(7),
        threads: 0,
        callers: 1 + random.below(3),
        calls: kill ? 9_999 : 10 + random.below(30),
        kill,
      };
      const durability = random.chance(0.5) ? 'full' : 'relaxed';
      const history = await recordedHistory(setting, durability, random, seed + n * 100);
      const cut = history.filter((call) => call.answered === null).length;
      unanswered += cut;
      answered += history.length - cut;
      const holds = isLinearizable(history, 0);
      expect(
        holds,
        holds ? '' : `history ${n}, ${JSON.stringify(setting)}: ${JSON.stringify(history)}`,
      ).toBe(true);
    }
    console.log(`histories: ${HISTORIES}, ${answered} calls answered, ${unanswered} cut off`);
    expect(answered).toBeGreaterThan(HISTORIES);
    expect(unanswered, 'kills fell among calls').toBeGreaterThan(0);
  },
  HISTORIES * 20_000,
);
