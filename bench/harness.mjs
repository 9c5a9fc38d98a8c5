// Alternating rounds and what is computed from them. Contenders take turns in short rounds in
// one process, so that whatever slows the machine for a while slows them alike; the ratio is
// taken round by round, and only then summed up.

/**
 * @typedef {object} Contender
 * @property {(count: number) => Promise<void>} [before] prepares `count` calls, outside the clock
 * @property {(sequence: number) => Promise<unknown>} [call] one measured call; `sequence` counts up
 *   over the whole run
 * @property {(count: number) => Promise<number>} [round] in place of `call`: makes `count` calls
 *   somewhere else, and answers the milliseconds that they took
 * @property {number} [writers] how many callers there are at once, each awaiting its own calls
 *   one after the other; 1 when absent
 */

/**
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} q1
 * @property {number} q3
 * @property {number} min
 * @property {number} max
 */

/**
 * @typedef {object} Effort
 * @property {number} rounds of what has a target
 * @property {number} shownRounds of what has none
 * @property {number} roundMilliseconds how long a contender's turn is to last
 * @property {number} [maxCalls] in a turn, however short it is then; `Infinity` for what changes
 *   nothing
 * @property {number} processes how often each is tried that takes a process of its own
 * @property {number} families that a store holds whose methods are measured, 11 sessions each
 * @property {number} lives rounds of whole lives of sessions
 * @property {number} trees rounds of whole trees of delegates
 * @property {{ depth: number, width: number }} tree
 * @property {readonly number[]} rootEdges edges in the small root, and in those that are compared
 * @property {readonly number[]} memoryEdges that memory stores hold which are asked about them
 * @property {number} sweptEdges edges that a sweep archives
 * @property {number} heldSessions sessions that a memory store keeps to see what memory they take
 * @property {number} logMessages messages in the log that is called long
 */

// Keeps the records that creating methods leave behind within what a small machine holds. What
// leaves nothing behind must not be capped: so short a turn would hide the garbage collector.
const MAX_CALLS = 4096;

/**
 * For what leaves nothing behind: as many calls as a turn holds.
 *
 * @param {Effort} effort
 * @returns {Effort}
 */
export function uncapped(effort) {
  return { ...effort, maxCalls: Infinity };
}

/**
 * Runs the contenders in turns.
 *
 * @param {readonly Contender[]} contenders
 * @param {Effort} effort
 * @returns {Promise<number[][]>} for each contender, microseconds per call, round by round
 */
export async function alternate(contenders, effort) {
  const { rounds, roundMilliseconds, maxCalls = MAX_CALLS } = effort;
  const runners = contenders.map((contender) => startRunner(contender));
  // Twice: the first pass also warms the code up, and would by itself set the count too low.
  for (let pass = 0; pass < 2; pass += 1) {
    for (const runner of runners) await calibrate(runner, roundMilliseconds, maxCalls);
  }
  /** @type {number[][]} */
  const samples = contenders.map(() => []);
  const order = contenders.map((_, index) => index);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of order) {
      const runner = runners[index];
      samples[index].push(((await runner.round(runner.calls)) * 1000) / runner.calls);
    }
    // Nobody always goes first, or always finds the caches that the same other one left.
    order.reverse();
  }
  return samples;
}

/**
 * Takes samples in turns, for what is too long or too rare for rounds of many calls.
 *
 * @param {readonly (() => Promise<number>)[]} contenders
 * @param {number} rounds
 * @returns {Promise<number[][]>} for each contender, its samples, round by round
 */
export async function takeTurns(contenders, rounds) {
  for (const sample of contenders) await sample();
  /** @type {number[][]} */
  const samples = contenders.map(() => []);
  const order = contenders.map((_, index) => index);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of order) samples[index].push(await contenders[index]());
    order.reverse();
  }
  return samples;
}

/**
 * Counts and times the calls of a contender.
 *
 * @param {Contender} contender
 * @param {() => void} [prepared] called where calls were prepared, before the clock starts
 */
export function startRunner(contender, prepared = () => {}) {
  const writers = contender.writers ?? 1;
  if (contender.round) return { least: writers, calls: writers, round: contender.round };
  let sequence = 0;
  return {
    least: writers,
    calls: writers,
    /** @param {number} count @returns {Promise<number>} milliseconds */
    async round(count) {
      if (contender.before) {
        await contender.before(count);
        prepared();
      }
      let left = count;
      const write = async () => {
        while (left > 0) {
          left -= 1;
          await contender.call(sequence++);
        }
      };
      const start = process.hrtime.bigint();
      if (writers === 1) await write();
      else await Promise.all(Array.from({ length: writers }, write));
      return Number(process.hrtime.bigint() - start) / 1e6;
    },
  };
}

async function calibrate(runner, roundMilliseconds, maxCalls) {
  for (;;) {
    const elapsed = await runner.round(runner.calls);
    const perCall = elapsed / runner.calls;
    const wanted = Math.max(runner.least, Math.round(roundMilliseconds / perCall));
    const settled = wanted <= runner.calls * 2;
    runner.calls = Math.min(settled ? wanted : runner.calls * 8, maxCalls);
    if (settled || runner.calls === maxCalls) return;
  }
}

/** @param {readonly number[]} samples @returns {Spread} */
export function spread(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
    min: sorted[0],
    max: sorted[sorted.length - 1],
  };
}

/**
 * The spread of `numerator[i] / denominator[i]`: the two were measured next to each other.
 *
 * @param {readonly number[]} numerator
 * @param {readonly number[]} denominator
 */
export function ratioSpread(numerator, denominator) {
  return spread(numerator.map((value, round) => value / denominator[round]));
}

/**
 * The spread of `first[i] - second[i]`.
 *
 * @param {readonly number[]} first
 * @param {readonly number[]} second
 */
export function differenceSpread(first, second) {
  return spread(first.map((value, round) => value - second[round]));
}

/** @param {readonly number[]} sorted @param {number} fraction */
function quantile(sorted, fraction) {
  const position = (sorted.length - 1) * fraction;
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}
