// Every method of our stores against the same method of somebody else's: one call at a time, and
// what creates records by 32 writers at once.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { requireAgreement } from '../agreement.mjs';
import { storeMethods } from '../cases/store-methods.mjs';
import { alternate, ratioSpread, uncapped } from '../harness.mjs';
import { record } from '../record.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';
import { withOwnHeaps } from './own-heap.mjs';

/** Calls in a turn that leave deleted files behind on a disk. */
const MAX_REPLACING = 20;

const WRITERS = 32;
const CONCURRENT = ['createSession', 'createSubSession', 'appendMessage'];
const byWriters = (name) => `${name} × ${WRITERS}`;

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
    if (cases.length === 0) return;
    await agree(directory, openers, like, baseline);
    await runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        forgiving: baseline.foreign,
      },
      cases,
      ({ name, prepare, changes, replacesFiles, writers = 1 }, rounds) => {
        const given = capped(rounds(effort), like, { changes, replacesFiles });
        if (changes && like === 'memory') {
          const contestant = { method: name, families: effort.families };
          const both = [contestant, { ...contestant, baseline: baseline.name }];
          return withOwnHeaps(directory, both, (contenders) => alternate(contenders, given));
        }
        return withStores(
          directory,
          openers,
          async (stores) => {
            const contenders = [];
            for (const store of stores) {
              contenders.push({ ...(await prepare(store, effort.families)), writers });
            }
            return alternate(contenders, given);
          },
          writers,
        );
      },
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}

function capped(effort, like, { changes, replacesFiles }) {
  if (!changes) return uncapped(effort);
  return replacesFiles && like !== 'memory' ? { ...effort, maxCalls: MAX_REPLACING } : effort;
}

/** A peer may answer otherwise, which is said; anything else that does is another job. */
async function agree(directory, openers, like, { name, foreign }) {
  const own = await mkdtemp(join(directory, 'agreement-'));
  const opening = openers.map((opener, i) => () => opener(join(own, `${i}`), 1));
  try {
    await requireAgreement(opening[0], opening[1], { name, lasts: like !== 'memory' });
  } catch (error) {
    if (!foreign) throw error;
    record.disagreements.push({ baseline: name, how: error.message });
    console.log(`\n${name} answers differently: ${error.message}`);
  }
}
