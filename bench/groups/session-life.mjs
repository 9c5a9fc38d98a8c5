// A session's life from its creation to its restoring, ours against everybody's.

import { sessionLife } from '../cases/session-life.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

const LIVES = [{ name: 'create, 40 turns, archive, restore' }];

export function compareLives({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, openers, baseline }) => {
    const title = `a session’s life: ${pair}`;
    return runGroup(
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
            contenders.push(await sessionLife(store, `${own}/${i}`, i === 0));
          }
          return alternate(contenders, { ...effort, rounds: effort.lives });
        }),
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}
