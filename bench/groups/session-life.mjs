// A session's life from its creation to its restoring, ours against everybody's.

import { DiskArchiveBackend } from 'namzu-native';
import { HeldArchive, PlainArchive } from '../baselines/plain-archive.mjs';
import { sessionLife } from '../cases/session-life.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

const LIVES = [{ name: 'create, 40 turns, archive, restore' }];

export function compareLives({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, like, openers, baseline }) => {
    const title = `a session’s life: ${pair}`;
    await runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        unit: 'µs per life',
        forgiving: baseline.foreign,
      },
      chosen(title, LIVES, only),
      () =>
        withStores(directory, openers, async (stores, own) => {
          const contenders = [];
          for (const [i, store] of stores.entries()) {
            contenders.push(await sessionLife(store, archiveOf(like, i === 0, `${own}/${i}`)));
          }
          return alternate(contenders, { ...effort, rounds: effort.lives });
        }),
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}

/** A memory store has no archive of its own: both get the same. On a disk, both sync, or neither. */
function archiveOf(like, ours, directory) {
  if (like === 'memory') return new HeldArchive();
  if (!ours) return new PlainArchive(directory, like === 'full');
  return new DiskArchiveBackend({ rootDir: directory, durability: like });
}
