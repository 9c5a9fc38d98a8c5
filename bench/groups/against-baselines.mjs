// Every method of our stores against the same method of somebody else's: one call at a time, and
// what creates records by 32 writers at once.

import { requireAgreement } from '../agreement.mjs';
import { storeMethods } from '../cases/store-methods.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

/** Calls in a turn that leave deleted files behind on a disk. */
const MAX_REPLACING = 20;

const WRITERS = 32;
const CONCURRENT = ['createSession', 'createSubSession', 'appendMessage'];
const byWriters = (name) => `${name} × ${WRITERS}`;

/** What the ratio to a baseline is to reach. */
const TARGETS = {
  'disk store, relaxed, against the obvious node:fs/promises store': {
    getSession: { atLeast: 4 },
    appendMessage: { atLeast: 6 },
    'loadMessages (1,000)': { atLeast: 2.5 },
  },
  'disk store, full, against the obvious node:fs/promises store': {
    appendMessage: { atLeast: 1 },
    [byWriters('createSession')]: { atLeast: 4 },
    [byWriters('createSubSession')]: { atLeast: 4 },
  },
  'disk store, full, against better-sqlite3 FULL': {
    appendMessage: { atLeast: 1 },
    [byWriters('appendMessage')]: { atLeast: 4 },
  },
  'memory store against the plain Map store': {
    createSession: { atLeast: 1.2 },
    createSubSession: { atLeast: 1.2 },
    appendMessage: { atLeast: 1.2 },
    getSession: { atLeast: 0.5 },
  },
};

/** What syncs reads no differently: it is given only what changes the store. */
const casesOf = (like) => {
  if (like === 'memory') return storeMethods;
  const single = storeMethods.filter(({ changes }) => like === 'relaxed' || changes);
  const concurrent = storeMethods.filter(({ name }) => CONCURRENT.includes(name));
  const many = concurrent.map((one) => ({
    ...one,
    name: byWriters(one.name),
    writers: WRITERS,
  }));
  // What replaces files comes last.
  const kept = single.filter(({ replacesFiles }) => !replacesFiles);
  return [...kept, ...many, ...single.filter(({ replacesFiles }) => replacesFiles)];
};

export function compareWithBaselines({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title, like, openers, baseline }) => {
    const cases = chosen(title, casesOf(like), only);
    if (cases.length === 0) return [];
    await withStores(directory, openers, async ([mine, theirs]) => {
      try {
        await requireAgreement(mine, theirs, baseline.name);
      } catch (error) {
        if (!baseline.foreign) throw error;
        console.log(`\n${baseline.name} answers differently: ${error.message}`);
      }
    });
    return runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        forgiving: baseline.foreign,
      },
      cases.map((one) => ({ ...one, target: TARGETS[title]?.[one.name] })),
      ({ prepare, replacesFiles, writers }) =>
        withStores(directory, openers, async (stores) => {
          const contenders = [];
          for (const store of stores)
            contenders.push({ ...(await prepare(store, effort.families)), writers });
          const capped = replacesFiles && like !== 'memory';
          return alternate(contenders, capped ? { ...effort, maxCalls: MAX_REPLACING } : effort);
        }),
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}
