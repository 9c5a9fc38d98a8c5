// What every group needs: our stores in directories of their own, and figures that are printed
// as soon as they are known.

import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { spread } from '../harness.mjs';
import { record } from '../record.mjs';
import { DEFAULT_UNIT, printFailure, printFigure, printHead } from '../report.mjs';
import { targetOf } from '../targets.mjs';

/**
 * @typedef {(directory: string, writers: number) =>
 *   Promise<import('../baselines/index.mjs').BenchStore>} Opener
 */

/** Our stores. @type {Record<'full' | 'relaxed' | 'memory', Opener>} */
export const OURS = {
  full: async (directory) => new DiskSessionStore({ rootDir: directory, durability: 'full' }),
  relaxed: async (directory) => new DiskSessionStore({ rootDir: directory, durability: 'relaxed' }),
  memory: async () => new InMemorySessionStore(),
};

/**
 * Those of a group's cases that `--only` asks for, by the group's title or their own name.
 *
 * @template {{ name: string }} T
 * @param {string} title
 * @param {readonly T[]} cases
 * @param {string} only
 */
export function chosen(title, cases, only) {
  return title.includes(only) ? cases : cases.filter(({ name }) => name.includes(only));
}

/**
 * Runs `compare` for each of our stores and each baseline that it is compared with.
 *
 * @param {readonly import('../baselines/index.mjs').Baseline[]} baselines
 * @param {(pair: { title: string, like: 'relaxed' | 'full' | 'memory', openers: Opener[],
 *   baseline: import('../baselines/index.mjs').Baseline }) => Promise<void>} compare
 */
export async function againstBaselines(baselines, compare) {
  for (const baseline of baselines) {
    for (const like of baseline.like) {
      const ours = like === 'memory' ? 'memory store' : `disk store, ${like},`;
      const title = `${ours} against ${baseline.name}`;
      await compare({ title, like, openers: [OURS[like], baseline.open], baseline });
    }
  }
}

/**
 * Measures a group's cases one after the other, prints each, and keeps it in the run's record.
 *
 * @template {{ name: string }} T
 * @param {Omit<import('../report.mjs').Group, 'figures'> & { forgiving?: boolean }} head a forgiving
 *   group says of a case that fails why, and goes on
 * @param {readonly T[]} cases
 * @param {(one: T, rounds: (effort: import('../harness.mjs').Effort) =>
 *   import('../harness.mjs').Effort) => Promise<[number[], number[]]>} measure the two columns'
 *   samples; `rounds` leaves an effort its full number of rounds where there is a target
 * @param {(first: number[], second: number[]) => import('../harness.mjs').Spread} compare
 */
export async function runGroup({ forgiving, ...head }, cases, measure, compare) {
  if (cases.length === 0) return;
  const group = { unit: DEFAULT_UNIT, comparison: 'ratio', ...head, figures: [] };
  record.groups.push(group);
  printHead(group);
  for (const one of cases) {
    const { name } = one;
    const target = targetOf(group.title, name);
    const rounds = (effort) =>
      target === undefined ? { ...effort, rounds: effort.shownRounds } : effort;
    try {
      const [first, second] = await measure(one, rounds);
      const ratio = compare(first, second);
      const figure = { name, first: spread(first), second: spread(second), ratio, target };
      group.figures.push(figure);
      printFigure(figure);
    } catch (error) {
      record.failures.push({ group: group.title, name, error: error.message });
      printFailure(name, error);
      if (!forgiving) throw error;
    }
  }
}

/** Runs a process of `children/` to its end, and answers what it printed. */
export async function runChild(name, ...args) {
  const script = fileURLToPath(new URL(`../children/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, ...args]);
  return JSON.parse(stdout);
}

/**
 * Opens each store in an empty directory of its own. The directories stay until the whole run
 * ends: removing them here would slow down whatever creates files next.
 *
 * @template T
 * @param {string} parent
 * @param {readonly Opener[]} openers
 * @param {(stores: import('../baselines/index.mjs').BenchStore[], directory: string) => Promise<T>} use
 * @param {number} [writers] that will be at work at once
 * @returns {Promise<T>}
 */
export async function withStores(parent, openers, use, writers = 1) {
  const directory = await mkdtemp(join(parent, 'case-'));
  const stores = [];
  try {
    for (const [i, open] of openers.entries()) {
      stores.push(await open(join(directory, `${i}`), writers));
    }
    return await use(stores, directory);
  } finally {
    for (const store of stores) await store.close?.();
  }
}
