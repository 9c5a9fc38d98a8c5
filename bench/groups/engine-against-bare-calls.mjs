// What our store does for a promise, against the system calls that nobody can do without: one
// file, one writer, no promise, no store.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bareCalls } from '../baselines/floor.mjs';
import { message, newSession, plant, TENANT } from '../cases/plant.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

const FAMILIES = 10;
const WRITERS = 32;

const append = ({ store, families }) => ({
  call: (i) => store.appendMessage(families[i % FAMILIES].children[0].id, message(i), TENANT),
});
const create = ({ store, projectId }) => ({ call: () => newSession(store, projectId) });
const create32 = (garden) => ({ ...create(garden), writers: WRITERS });

const GROUPS = [
  {
    title: 'engine: full, against bare calls that sync',
    open: OURS.full,
    cases: [
      {
        name: 'appendMessage : write, fdatasync',
        ours: append,
        bare: bareCalls.appendAndSync,
      },
      {
        name: 'appendMessage : overwrite, fdatasync',
        ours: append,
        bare: bareCalls.overwriteAndSync,
      },
      {
        name: `createSession × ${WRITERS} : fdatasync`,
        ours: create32,
        bare: bareCalls.overwriteAndSync,
      },
    ],
  },
  {
    title: 'engine: relaxed, against bare calls that do not sync',
    open: OURS.relaxed,
    cases: [
      { name: 'appendMessage : open, append, close', ours: append, bare: bareCalls.appendFile },
      { name: 'appendMessage : the same by promises', ours: append, bare: bareCalls.appendLater },
      { name: 'createSession : mkdir, write, rename', ours: create, bare: bareCalls.createFile },
      { name: 'createSession : the same by promises', ours: create, bare: bareCalls.createLater },
    ],
  },
];

export async function compareWithBareCalls({ directory, effort, only }) {
  for (const { title, open, cases } of GROUPS) {
    await runGroup(
      { title, columns: ['ours', 'bare calls'], ratioOf: 'ours over bare calls' },
      chosen(title, cases, only),
      ({ ours, bare }, rounds) =>
        withStores(directory, [open], async ([store], own) => {
          const beside = join(own, 'bare');
          await mkdir(beside);
          const { close, ...contender } = bare(beside);
          try {
            const garden = await plant(store, FAMILIES);
            return await alternate([ours(garden), contender], rounds(effort));
          } finally {
            close?.();
          }
        }),
      ratioSpread,
    );
  }
}
