import { Prng } from '../../support/prng.js';

/**
 * Random choices of a test, and the seed to repeat them with: `NAMZU_SEED` in the environment, or
 * a new one that is printed. The moments at which processes get to run differ all the same.
 */
export function seeded(title: string): { random: Prng; seed: number } {
  const given = process.env.NAMZU_SEED;
  const seed = given === undefined ? Date.now() % 1_000_000_000 : Number(given);
  console.log(`${title}: NAMZU_SEED=${seed}`);
  return { seed, random: new Prng(seed) };
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
