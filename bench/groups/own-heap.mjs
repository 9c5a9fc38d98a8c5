// Contenders that each have a thread with a heap of its own.

import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';

const TURNS = new URL('../children/turns.mjs', import.meta.url);

/**
 * @typedef {object} Contestant
 * @property {string} [baseline] by its name; our memory store where there is none
 * @property {string} method that is measured, of `storeMethods`
 * @property {number} families that its store holds
 * @property {string} directory that it may write to
 * @property {string} from where a relative `BENCH_PEER` starts
 */

/**
 * Runs `use` over contenders that take their turns in threads of their own.
 *
 * @template T
 * @param {string} parent directory
 * @param {readonly Omit<Contestant, 'directory' | 'from'>[]} contestants
 * @param {(contenders: import('../harness.mjs').Contender[]) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withOwnHeaps(parent, contestants, use) {
  const workers = [];
  try {
    for (const contestant of contestants) {
      const directory = await mkdtemp(join(parent, 'case-'));
      const from = process.cwd();
      workers.push(new Worker(TURNS, { workerData: { ...contestant, directory, from } }));
      await next(workers.at(-1));
    }
    return await use(workers.map(taking));
  } finally {
    for (const worker of workers) await worker.terminate();
  }
}

/** @param {Worker} worker @returns {import('../harness.mjs').Contender} */
function taking(worker) {
  return {
    round: (count) => {
      const answer = next(worker);
      worker.postMessage(count);
      return answer;
    },
  };
}

/** The next message of a worker; rejects where it fails, or ends. */
async function next(worker) {
  const abort = new AbortController();
  const ended = once(worker, 'exit', abort).then(([code]) => {
    throw new Error(`a contender's thread ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(worker, 'message', abort), ended]);
    return message;
  } finally {
    ended.catch(() => {}); // so it does when it is no longer waited for
    abort.abort();
  }
}
