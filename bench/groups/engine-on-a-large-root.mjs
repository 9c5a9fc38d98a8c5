// The first answer of a fresh process on a large root and on a small one, index present, and the
// memory that it takes.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DiskSessionStore } from 'namzu-native';
import { someSession, writeLargeRoot } from '../cases/large-root.mjs';
import { TENANT } from '../cases/plant.mjs';
import { differenceSpread, ratioSpread, takeTurns } from '../harness.mjs';
import { chosen, runGroup } from './group.mjs';

const SMALL = 100;
const MEGABYTE = 1e6;

const OPENINGS = [
  { name: 'open, getSession', methods: ['getSession'], target: { atMost: 20 } },
  { name: 'open, drill', methods: ['drill'] },
  { name: 'open, getAncestry', methods: ['getAncestry'] },
];

const MEMORY = [
  { name: 'after getSession', methods: ['getSession'], target: { atMost: 100 } },
  { name: 'after getSession and drill', methods: ['getSession', 'drill'], target: { atMost: 100 } },
];

export async function openLargeRoots(directory, effort, only) {
  const { largeRoot, processes } = effort;
  const size = largeRoot.toLocaleString('en');
  const opening = `engine: a process’s first answer, on ${size} sessions and edges`;
  const memory = `engine: resident memory, on ${size} sessions and edges`;
  const openings = chosen(opening, OPENINGS, only);
  const memories = chosen(memory, MEMORY, only);
  if (openings.length + memories.length === 0) return [];
  const small = await adoptedRoot(join(directory, 'root-small'), SMALL);
  const large = await adoptedRoot(join(directory, 'root-large'), largeRoot);
  return [
    ...(await runGroup(
      { title: opening, columns: [`${SMALL}`, size], ratioOf: 'large root over small root' },
      openings,
      ({ methods }) =>
        takeTurns(
          [small, large].map((root) => async () => {
            return (await child('first-answer.mjs', ...root, ...methods)).microseconds;
          }),
          processes,
        ),
      (first, second) => ratioSpread(second, first),
    )),
    ...(await runGroup(
      {
        title: memory,
        columns: ['ours', 'idle Node'],
        ratioOf: 'ours minus idle Node',
        unit: 'MB',
        comparison: 'difference',
      },
      memories,
      ({ methods }) =>
        takeTurns(
          [
            async () => (await child('first-answer.mjs', ...large, ...methods)).bytes / MEGABYTE,
            async () => (await child('idle.mjs')).bytes / MEGABYTE,
          ],
          processes,
        ),
      differenceSpread,
    )),
  ];
}

/** A root that a store has made its own: it has an index. Answers what a child is to be told. */
async function adoptedRoot(rootDir, sessions) {
  writeLargeRoot(rootDir, sessions);
  const store = new DiskSessionStore({ rootDir });
  await store.createProject({ tenantId: TENANT, name: 'the change that adopts it' }, TENANT);
  await store.close();
  return [rootDir, someSession(sessions)];
}

async function child(name, ...args) {
  const script = fileURLToPath(new URL(`../children/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args]);
  return JSON.parse(stdout);
}
