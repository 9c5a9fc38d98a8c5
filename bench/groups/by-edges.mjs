// The same questions, asked of a small root and of a large one.

import { LARGE, linkageQuestions, plantEdges, SMALL } from '../cases/linkage-scale.mjs';
import { alternate, ratioSpread } from '../harness.mjs';
import { chosen, OURS, runGroup, withStores } from './group.mjs';

/** The large root's time over the small one's. In memory it is the processor's caches that tell. */
const STORES = [
  { name: 'disk store', open: OURS.full, target: { atMost: 2 } },
  { name: 'memory store', open: OURS.memory, target: undefined },
];

export async function compareSizes(directory, effort, only) {
  const groups = [];
  for (const { name, open, target } of STORES) {
    const title = `${name}, by the number of edges in the root`;
    const questions = chosen(title, linkageQuestions, only);
    if (questions.length === 0) continue;
    await withStores(directory, [open, open], async ([first, second]) => {
      const gardens = [await plantEdges(first, SMALL), await plantEdges(second, LARGE)];
      const columns = [SMALL.toLocaleString('en'), LARGE.toLocaleString('en')];
      groups.push(
        ...(await runGroup(
          { title, columns, ratioOf: 'large root over small root' },
          questions.map((question) => ({ ...question, target })),
          ({ ask }) => alternate(gardens.map(ask), effort),
          (small, large) => ratioSpread(large, small),
        )),
      );
    });
  }
  return groups;
}
