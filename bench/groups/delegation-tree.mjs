// A whole tree of delegates, created, drilled and deleted. It leaves thousands of deleted files
// behind, which slows down whatever creates files next: so it comes last.

import { AT_ONCE, growAndFell } from '../cases/delegation-tree.mjs';
import { TENANT } from '../cases/plant.mjs';
import { ratioSpread } from '../harness.mjs';
import { againstBaselines, chosen, runGroup, withStores } from './group.mjs';

const PHASES = ['created', 'drilled', 'deleted'];

/** A store that reads all edges for a question would take the square of the tree. */
const SAMPLE = { atMost: 32, milliseconds: 1500 };

/** Its round warms the code up, and is thrown away. */
const SMALL = { depth: 2, width: 4 };

export function compareTrees({ directory, effort, only, baselines }) {
  return againstBaselines(baselines, async ({ title: pair, openers, baseline }) => {
    const shape = effort.tree;
    const title = `a tree ${shape.depth} deep and ${shape.width} wide: ${pair}`;
    const phases = PHASES.map((phase) => ({
      phase,
      name: `${phase}${baseline.scans && phase !== 'created' ? ', theirs a sample' : ''}`,
    }));
    // All phases of a tree are measured together, when the first of them is asked for.
    let grown;
    // Each tree in a store of its own: a sample leaves most of the last one where it was.
    const plantTree = (which, tree, sample) =>
      withStores(
        directory,
        [openers[which]],
        async ([store]) => {
          const { id } = await store.createProject({ tenantId: TENANT, name: 'trees' }, TENANT);
          return growAndFell(store, id, tree, sample);
        },
        AT_ONCE,
      );
    const grow = async () => {
      const samples = [undefined, baseline.scans ? SAMPLE : undefined];
      const trees = [[], []];
      const order = [0, 1];
      for (const which of order) await plantTree(which, SMALL, samples[which]);
      for (let round = 0; round < effort.trees; round += 1) {
        for (const which of order) {
          trees[which].push(await plantTree(which, shape, samples[which]));
        }
        order.reverse();
      }
      return trees;
    };
    await runGroup(
      {
        title,
        columns: ['ours', 'baseline'],
        ratioOf: 'baseline over ours',
        unit: 'µs per delegate',
        forgiving: baseline.foreign,
      },
      chosen(title, phases, only),
      async ({ phase }) => {
        grown ??= await grow();
        return grown.map((trees) => trees.map((tree) => tree[phase]));
      },
      (mine, theirs) => ratioSpread(theirs, mine),
    );
  });
}
