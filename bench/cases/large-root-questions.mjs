// What is asked of roots of different sizes, and done to them: whatever could depend on how many
// other records there are.

import { consuming } from './consuming.mjs';
import { LARGE_ROOT_PROJECT, scatteredFamily } from './large-root.mjs';
import { message, newEdge, newSession, TENANT } from './plant.mjs';

/**
 * @typedef {object} Question
 * @property {string} name
 * @property {boolean} [judged] whether size may not matter, by the targets
 * @property {(store: import('../baselines/index.mjs').BenchStore, edges: number) =>
 *   import('../harness.mjs').Contender} ask
 */

/** @type {readonly Question[]} */
export const largeRootQuestions = [
  asking('getSession', 'child', (store, id) => store.getSession(id, TENANT)),
  { ...asking('drill', 'child', (store, id) => store.drill(id, TENANT)), judged: true },
  { ...asking('getChildren', 'child', (store, id) => store.getChildren(id, TENANT)), judged: true },
  {
    ...asking('getAncestry', 'grandchild', (store, id) => store.getAncestry(id, TENANT)),
    judged: true,
  },
  {
    name: 'appendMessage',
    ask: (store, edges) => ({
      call: (i) => store.appendMessage(scatteredFamily(edges, i).child, message(i), TENANT),
    }),
  },
  {
    name: 'createSession',
    ask: (store) => ({ call: () => newSession(store, LARGE_ROOT_PROJECT) }),
  },
  {
    name: 'deleteSubSession',
    judged: true,
    ask: (store, edges) =>
      consuming(
        (i) =>
          newEdge(store, scatteredFamily(edges, i).child, scatteredFamily(edges, i).grandchild),
        (edge) => store.deleteSubSession(edge.id, TENANT),
      ),
  },
  {
    name: 'deleteSession',
    judged: true,
    ask: (store) =>
      consuming(
        () => newSession(store, LARGE_ROOT_PROJECT),
        (session) => store.deleteSession(session.id, TENANT),
      ),
  },
];

function asking(name, whom, question) {
  return {
    name,
    ask: (store, edges) => ({ call: (i) => question(store, scatteredFamily(edges, i)[whom]) }),
  };
}
