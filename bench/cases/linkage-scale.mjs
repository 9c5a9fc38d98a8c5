// The same questions about one family, asked of a root with 100 edges and of one with 10,000.

import { EDGES_PER_FAMILY, plant, TENANT } from './plant.mjs';

export const SMALL = 100;
export const LARGE = 10_000;

/** @type {readonly { name: string, ask: (garden: import('./plant.mjs').Garden) =>
 *   import('../harness.mjs').Contender }[]} */
export const linkageQuestions = [
  {
    name: 'drill',
    ask: ({ store, families }) => ({
      call: (i) => store.drill(scattered(families, i).children[0].id, TENANT),
    }),
  },
  {
    name: 'getChildren',
    ask: ({ store, families }) => ({
      call: (i) => store.getChildren(scattered(families, i).children[0].id, TENANT),
    }),
  },
  {
    name: 'getAncestry',
    ask: ({ store, families }) => ({
      call: (i) => store.getAncestry(scattered(families, i).grandchildren[0].id, TENANT),
    }),
  },
];

/** @param {import('../baselines/index.mjs').BenchStore} store @param {number} edges */
export function plantEdges(store, edges) {
  return plant(store, edges / EDGES_PER_FAMILY);
}

// Jumps about the whole root (the step is a prime), so that the large one gets no help from
// asking the same few families again and again.
function scattered(families, i) {
  return families[(i * 7919) % families.length];
}
