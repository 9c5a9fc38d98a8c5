// Handoffs over our stores, which are one atomic step each, against the same handoffs over
// somebody else's store, call by call.

import { handoffs } from '../cases/handoffs.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

export function compareHandoffs({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, openers, baseline }) => {
    const title = `handoffs: ${pair}`;
    await runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        forgiving: baseline.foreign,
      },
      chosen(title, handoffs, only),
      ({ prepare }, rounds) =>
        withStores(directory, openers, async (stores) => {
          const contenders = [];
          for (const store of stores) contenders.push(await prepare(store));
          return alternate(contenders, rounds(effort));
        }),
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}
