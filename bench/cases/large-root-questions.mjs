// What is asked of roots of different sizes, and done to them: whatever could depend on how many
// other records there are.

import { consuming } from './consuming.mjs';
import { LARGE_ROOT_PROJECT, scatteredFamily } from './large-root.mjs';
import { message, newEdge, newSession, summary, TENANT } from './plant.mjs';

/**
 * @typedef {object} Question
 * @property {string} name
 * @property {boolean} [changes] the root
 * @property {(store: import('namzu-native').ExtendedSessionStore, edges: number) =>
 *   import('../harness.mjs').Contender} ask
 */

/** Pages of as many as there are in each: a small root has few sessions in a project. */
const PAGE = 10;

/** @type {readonly Question[]} */
export const largeRootQuestions = [
  asking('getProject', (store, { project }) => store.getProject(project, TENANT)),
  asking('getSession', (store, { child }) => store.getSession(child, TENANT)),
  asking('getSubSession', (store, { edge }) => store.getSubSession(edge, TENANT)),
  asking('getSummary', (store, { child }) => store.getSummary(child, TENANT)),
  asking('loadMessages', (store, { child }) => store.loadMessages(child, TENANT)),
  asking('drill', (store, { child }) => store.drill(child, TENANT)),
  asking('getChildren', (store, { child }) => store.getChildren(child, TENANT)),
  asking('getAncestry', (store, { grandchild }) => store.getAncestry(grandchild, TENANT)),
  asking(`listSessionsByProject, limit ${PAGE}`, (store) =>
    store.listSessionsByProject(LARGE_ROOT_PROJECT, TENANT, { limit: PAGE }),
  ),
  changing('appendMessage', (store, edges) => ({
    call: (i) => store.appendMessage(scatteredFamily(edges, i).child, message(i), TENANT),
  })),
  changing('createProject', (store) => ({
    call: (i) => store.createProject({ tenantId: TENANT, name: `project ${i}` }, TENANT),
  })),
  changing('createSession', (store) => ({
    call: () => newSession(store, LARGE_ROOT_PROJECT),
  })),
  // A parent of its own for each: a small root has few, and one with many children is another case.
  changing('createSubSession', (store, edges) =>
    consuming(
      () => newSession(store, LARGE_ROOT_PROJECT),
      (parent, i) => newEdge(store, parent.id, scatteredFamily(edges, i).grandchild),
    ),
  ),
  changing('recordSummary', (store) =>
    consuming(
      () => newSession(store, LARGE_ROOT_PROJECT),
      (session, i) => store.recordSummary(summary(session.id, i), TENANT),
    ),
  ),
  changing('updateSession', (store, edges) =>
    consuming(
      (i) => store.getSession(scatteredFamily(edges, i).child, TENANT),
      (session) => store.updateSession(session, TENANT),
    ),
  ),
  changing('updateSubSession', (store, edges) =>
    consuming(
      (i) => store.getSubSession(scatteredFamily(edges, i).edge, TENANT),
      (edge) => store.updateSubSession(edge, TENANT),
    ),
  ),
  changing('deleteSubSession', (store, edges) =>
    consuming(
      async (i) => {
        const parent = await newSession(store, LARGE_ROOT_PROJECT);
        return newEdge(store, parent.id, scatteredFamily(edges, i).grandchild);
      },
      (edge) => store.deleteSubSession(edge.id, TENANT),
    ),
  ),
  changing('deleteSession', (store) =>
    consuming(
      () => newSession(store, LARGE_ROOT_PROJECT),
      (session) => store.deleteSession(session.id, TENANT),
    ),
  ),
];

function asking(name, question) {
  return {
    name,
    ask: (store, edges) => ({ call: (i) => question(store, scatteredFamily(edges, i)) }),
  };
}

function changing(name, ask) {
  return { name, changes: true, ask };
}
