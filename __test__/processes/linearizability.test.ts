import type { Durability } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { isLinearizable } from './support/linearizability.js';
import { recordedHistory, type Setting } from './support/recorded-history.js';
import { seeded } from './support/seed.js';

const DURABILITIES: readonly Durability[] = ['full', 'relaxed'];

describe.each(DURABILITIES)('reads, writes and compare-and-set, durability %s', (durability) => {
  it.each<[string, Setting]>([
    ['processes', { processes: 4, threads: 0, callers: 2, calls: 100, kill: false }],
    ['worker threads', { processes: 1, threads: 4, callers: 2, calls: 100, kill: false }],
    ['threads of processes', { processes: 2, threads: 2, callers: 2, calls: 80, kill: false }],
    [
      'processes that are killed',
      { processes: 4, threads: 0, callers: 2, calls: 9_999, kill: true },
    ],
  ])(
    'of %s are linearizable',
    async (title, setting) => {
      const { random, seed } = seeded(`history of ${title}, ${durability}`);
      const rounds = setting.kill ? 3 : 1;
      for (let round = 0; round < rounds; round += 1) {
        const history = await recordedHistory(setting, durability, random, seed + round * 100);
        const { processes } = setting;
        expect(history.length, 'calls were recorded').toBeGreaterThan(processes);
        const set = history.filter(
          ({ step }) => step.do === 'compare and set' && step.seen === null,
        );
        expect(set.length, 'some compare-and-set won').toBeGreaterThan(0);
        const holds = isLinearizable(history, 0);
        expect(holds, holds ? '' : `round ${round}: ${JSON.stringify(history)}`).toBe(true);
      }
    },
    60_000,
  );
});
