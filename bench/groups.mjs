// What is measured against what, and what is to be reached.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskSessionStore, InMemorySessionStore } from 'namzu-native';
import { requireAgreement } from './agreement.mjs';
import { baselines } from './baselines/index.mjs';
import { LARGE, linkageQuestions, plantEdges, SMALL } from './cases/linkage-scale.mjs';
import { storeMethods } from './cases/store-methods.mjs';
import { alternate, ratioSpread, spread } from './harness.mjs';
import { printFigure, printHead } from './report.mjs';

/** @typedef {import('./report.mjs').Group} Group */
/** @typedef {import('./harness.mjs').Effort} Effort */

const OURS = {
  disk: async (directory) => new DiskSessionStore({ rootDir: directory }),
  memory: async () => new InMemorySessionStore(),
};

/** Our speed over the baseline's, by the baseline's kind and the case's name. */
const TARGETS = {
  disk: new Map([
    ['createSession', { atLeast: 2 }],
    ['getSession', { atLeast: 3 }],
    ['updateSession', { atLeast: 2 }],
    ['appendMessage', { atLeast: 2 }],
    ['loadMessages (1,000)', { atLeast: 1.5 }],
  ]),
  memory: new Map(),
};

/** The large root's time over the small one's. In memory it is the processor's caches that tell. */
const SCALE_TARGETS = { disk: { atMost: 2 }, memory: undefined };

/** Calls in a turn that leave deleted files behind on a disk. */
const MAX_REPLACING = 20;

/**
 * Each measures its groups in a directory of its own, prints them, and answers the figures.
 *
 * @type {readonly ((directory: string, effort: Effort, only: string) => Promise<Group[]>)[]}
 */
export const groupsToRun = [compareWithBaselines, compareSizes];

async function compareWithBaselines(directory, effort, only) {
  const cases = storeMethods.filter(({ name }) => name.includes(only));
  if (cases.length === 0) return [];
  const groups = [];
  for (const baseline of baselines) {
    const openers = [OURS[baseline.kind], baseline.open];
    await withStores(directory, openers, ([ours, theirs]) =>
      requireAgreement(ours, theirs, baseline.name),
    );
    /** @type {Group} */
    const group = {
      title: `${baseline.kind} store against the ${baseline.name}`,
      columns: ['ours', 'baseline'],
      ratioOf: 'baseline over ours',
      figures: [],
    };
    printHead(group);
    for (const { name, prepare, replacesFiles } of cases) {
      const capped = replacesFiles && baseline.kind === 'disk';
      const samples = await withStores(directory, openers, async (stores) => {
        const contenders = [];
        for (const store of stores) contenders.push(await prepare(store));
        return alternate(contenders, capped ? { ...effort, maxCalls: MAX_REPLACING } : effort);
      });
      const [ours, theirs] = samples;
      const target = TARGETS[baseline.kind].get(name);
      group.figures.push(figure(name, ours, theirs, ratioSpread(theirs, ours), target));
      printFigure(group.figures[group.figures.length - 1]);
    }
    groups.push(group);
  }
  return groups;
}

async function compareSizes(directory, effort, only) {
  const questions = linkageQuestions.filter(({ name }) => name.includes(only));
  if (questions.length === 0) return [];
  const groups = [];
  for (const kind of /** @type {const} */ (['disk', 'memory'])) {
    /** @type {Group} */
    const group = {
      title: `${kind} store, by the number of edges in the root`,
      columns: [SMALL.toLocaleString('en'), LARGE.toLocaleString('en')],
      ratioOf: 'large root over small root',
      figures: [],
    };
    printHead(group);
    await withStores(directory, [OURS[kind], OURS[kind]], async ([first, second]) => {
      const gardens = [await plantEdges(first, SMALL), await plantEdges(second, LARGE)];
      for (const { name, ask } of questions) {
        const [small, large] = await alternate(gardens.map(ask), effort);
        group.figures.push(
          figure(name, small, large, ratioSpread(large, small), SCALE_TARGETS[kind]),
        );
        printFigure(group.figures[group.figures.length - 1]);
      }
    });
    groups.push(group);
  }
  return groups;
}

function figure(name, first, second, ratio, target) {
  return { name, first: spread(first), second: spread(second), ratio, target };
}

/**
 * Opens each store in an empty directory of its own. The directories stay until the whole run
 * ends: removing them here would slow down whatever creates files next.
 */
async function withStores(parent, openers, use) {
  const directory = await mkdtemp(join(parent, 'case-'));
  const stores = [];
  try {
    for (const [i, open] of openers.entries()) stores.push(await open(join(directory, `${i}`)));
    return await use(stores);
  } finally {
    for (const store of stores) await store.close?.();
  }
}
