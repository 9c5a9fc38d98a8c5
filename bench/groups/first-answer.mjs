// The first answer of a fresh process, the index being there, by the size of the root, and the
// memory that the process then has.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fillSqliteStore } from '../baselines/sqlite-store.mjs';
import { largeRootRecords, scatteredFamily } from '../cases/large-root.mjs';
import { differenceSpread, ratioSpread, takeTurns } from '../harness.mjs';
import { loadPeer } from '../peers/install.mjs';
import { targetOf } from '../targets.mjs';
import { chosen, runChild, runGroup } from './group.mjs';

const MEGABYTE = 1e6;

const OPENINGS = [
  { name: 'open, getSession', methods: ['getSession'] },
  { name: 'open, drill', methods: ['drill'] },
  { name: 'open, getAncestry', methods: ['getAncestry'] },
];
const WHOLE = { name: 'start Node, open, getSession', methods: ['getSession'], whole: true };

const MEMORY = [
  { name: 'after getSession', methods: ['getSession'] },
  { name: 'after getSession and drill', methods: ['getSession', 'drill'] },
];

export async function openLargeRoots({ directory, effort, only, baselines, largeRoot }) {
  const [small, ...larger] = effort.rootEdges;
  for (const edges of larger) {
    const size = edges.toLocaleString('en');
    const title = `a process’s first answer, on ${size} edges`;
    await runGroup(
      { title, columns: [`${small}`, size], ratioOf: 'large root over small root', unit: 'µs' },
      chosen(title, [...OPENINGS, WHOLE], only),
      async ({ methods, whole }) => {
        const roots = [await largeRoot(small), await largeRoot(edges)];
        return takeTurns(
          [small, edges].map((count, i) => asking(roots[i], count, methods, whole)),
          processesFor(title, effort),
        );
      },
      (first, second) => ratioSpread(second, first),
    );
  }
  await openBaselines({ directory, effort, only, baselines, largeRoot });
  await residentMemory(larger.at(-1), { effort, only, largeRoot });
}

/** Nobody is judged by the sizes between. */
function processesFor(title, { processes }) {
  return targetOf(title, OPENINGS[0].name) === undefined ? Math.ceil(processes / 2) : processes;
}

/** Every process asks about another session: an answer is not what the last one left in a cache. */
function asking(rootDir, edges, methods, whole, which = 'ours') {
  let asked = 0;
  return async () => {
    asked += 1;
    const session = scatteredFamily(edges, asked).child;
    const start = process.hrtime.bigint();
    const { microseconds } = await runChild(
      'first-answer.mjs',
      which,
      rootDir,
      session,
      ...methods,
    );
    return whole ? Number(process.hrtime.bigint() - start) / 1000 : microseconds;
  };
}

/** The same of the obvious store, on our root, and of SQLite, on a database of the same sessions. */
async function openBaselines({ directory, effort, only, baselines, largeRoot }) {
  const edges = effort.rootEdges.at(-1);
  const title = `a process’s first answer: others, on ${edges.toLocaleString('en')} edges`;
  const cases = [{ name: 'the obvious store: open, getSession', which: 'obvious' }];
  if (baselines.some(({ name }) => name.startsWith('better-sqlite3'))) {
    cases.push({ name: 'better-sqlite3: open, getSession', which: 'sqlite' });
  }
  await runGroup(
    { title, columns: ['ours', 'baseline'], ratioOf: 'baseline over ours', unit: 'µs' },
    chosen(title, cases, only),
    async ({ which }) => {
      const root = await largeRoot(edges);
      const other = which === 'sqlite' ? await sqliteOf(directory, edges) : root;
      return takeTurns(
        [
          asking(root, edges, ['getSession'], false),
          asking(other, edges, ['getSession'], false, which),
        ],
        Math.ceil(effort.processes / 2),
      );
    },
    (mine, theirs) => ratioSpread(theirs, mine),
  );
}

/** A database with the sessions and the edges of a large root. */
async function sqliteOf(directory, edges) {
  const folder = await mkdtemp(join(directory, 'sqlite-'));
  const { found } = loadPeer('better-sqlite3');
  fillSqliteStore(found, folder, largeRootRecords(edges));
  return folder;
}

async function residentMemory(edges, { effort, only, largeRoot }) {
  const title = `resident memory, on ${edges.toLocaleString('en')} edges`;
  await runGroup(
    {
      title,
      columns: ['ours', 'idle Node'],
      ratioOf: 'ours minus idle Node',
      unit: 'MB',
      comparison: 'difference',
    },
    chosen(title, MEMORY, only),
    async ({ methods }) => {
      const args = ['ours', await largeRoot(edges), scatteredFamily(edges, 1).child, ...methods];
      return takeTurns(
        [
          async () => (await runChild('first-answer.mjs', ...args)).bytes / MEGABYTE,
          async () => (await runChild('idle.mjs')).bytes / MEGABYTE,
        ],
        Math.ceil(effort.processes / 2),
      );
    },
    differenceSpread,
  );
}
