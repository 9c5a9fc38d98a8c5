// A whole tree of delegates, created, drilled and deleted. It leaves thousands of deleted files
// behind, which slows down whatever creates files next: so it comes last.

import { growAndFell } from '../cases/delegation-tree.mjs';
import { TENANT } from '../cases/plant.mjs';
import { ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

const PHASES = [{ name: 'created' }, { name: 'drilled' }, { name: 'deleted' }];

/** A store that reads all edges for a question takes the square of this: it gets a small tree. */
const SCANNABLE = { depth: 2, width: 4 };

export function compareTrees({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, openers, baseline }) => {
    const shape = baseline.scans ? SCANNABLE : effort.tree;
    const title = `a tree ${shape.depth} deep and ${shape.width} wide: ${pair}`;
    const phases = chosen(title, PHASES, only);
    if (phases.length === 0) return [];
    // All phases of a tree are measured together, when the first of them is asked for.
    let grown;
    const grow = () =>
      withStores(directory, openers, async (stores) => {
        const projects = [];
        for (const store of stores) {
          projects.push(await store.createProject({ tenantId: TENANT, name: 'trees' }, TENANT));
        }
        const trees = stores.map(() => []);
        const order = stores.map((_, i) => i);
        for (let round = 0; round < effort.trees; round += 1) {
          for (const i of order) trees[i].push(await growAndFell(stores[i], projects[i].id, shape));
          order.reverse();
        }
        return trees;
      });
    return runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        unit: 'µs per delegate',
        forgiving: baseline.foreign,
      },
      phases,
      async ({ name }) => {
        grown ??= await grow();
        return grown.map((trees) => trees.map((tree) => tree[name]));
      },
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}
