import { describe, expect, it } from 'vitest';
import { compareStores } from './random/compare.js';

const STEPS = 150;
const REREADING_STEPS = 60;

/** Seeds that found a difference once, or that are simply always run. */
const FIXED_SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);

/** `NAMZU_SEED=17 npx vitest run random` replays one; else some seeds are new in every run. */
function seeds(): number[] {
  const replayed = process.env.NAMZU_SEED;
  if (replayed !== undefined) return [Number(replayed)];
  const fresh = Date.now() % 1_000_000_000;
  return [...FIXED_SEEDS, ...Array.from({ length: 6 }, (_, i) => fresh + i)];
}

describe('random calls to a memory store and to a disk store', () => {
  it.each(seeds())('are answered alike: NAMZU_SEED=%i', async (seed) => {
    const { answers, errors } = await compareStores({ seed, steps: STEPS });
    const refused = [...errors.values()].reduce((sum, count) => sum + count, 0);
    expect(answers + refused).toBe(STEPS);
    expect(answers, 'most calls are good ones').toBeGreaterThan(STEPS / 3);
    expect(errors.size, 'kinds of refusal that were met').toBeGreaterThan(1);
  });

  it.each(seeds().slice(-10))(
    'show what is, to whoever reads again: NAMZU_SEED=%i',
    async (seed) => {
      const { answers } = await compareStores({ seed, steps: REREADING_STEPS, rereading: true });
      expect(answers, 'most calls are good ones').toBeGreaterThan(REREADING_STEPS / 3);
    },
  );
});
