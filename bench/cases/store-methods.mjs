// Every method of the contract, one call at a time, on a store that holds some edges. What deletes
// files, as replacing a record does, comes last: see README.md on file systems that remember.

import { consuming } from './consuming.mjs';
import { message, newEdge, newSession, plant, summary, TENANT } from './plant.mjs';

const MESSAGES = 1000;

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {boolean} [changes] the store, which a durable one makes last
 * @property {boolean} [replacesFiles] each call leaves a deleted file behind in a disk store
 * @property {(store: import('../baselines/index.mjs').BenchStore, families: number) =>
 *   Promise<import('../harness.mjs').Contender>} prepare
 */

/** @type {readonly Case[]} */
export const storeMethods = [
  changing(
    onGarden('createProject', ({ store }) => ({
      call: (i) => store.createProject({ tenantId: TENANT, name: `project ${i}` }, TENANT),
    })),
  ),
  onGarden('getProject', ({ store, projectId }) => ({
    call: () => store.getProject(projectId, TENANT),
  })),
  changing(
    onGarden('createSession', ({ store, projectId }) => ({
      call: () => newSession(store, projectId),
    })),
  ),
  onGarden('getSession', ({ store, sessions }) => ({
    call: (i) => store.getSession(pick(sessions, i).id, TENANT),
  })),
  changing(
    onGarden('createSubSession', ({ store, sessions }) => ({
      call: (i) => newEdge(store, pick(sessions, i).id, pick(sessions, i + 1).id),
    })),
  ),
  onGarden('getSubSession', ({ store, edges }) => ({
    call: (i) => store.getSubSession(pick(edges, i).id, TENANT),
  })),
  changing(
    onGarden('appendMessage', ({ store, sessions }) => ({
      call: (i) => store.appendMessage(pick(sessions, i).id, message(i), TENANT),
    })),
  ),
  onTranscript('loadMessages', (store, sessionId) => store.loadMessages(sessionId, TENANT)),
  onTranscript('loadSessionMessages', (store, sessionId) =>
    store.loadSessionMessages(sessionId, TENANT),
  ),
  onGarden('getChildren', ({ store, middles }) => ({
    call: (i) => store.getChildren(pick(middles, i).id, TENANT),
  })),
  onGarden('getAncestry', ({ store, leaves }) => ({
    call: (i) => store.getAncestry(pick(leaves, i).id, TENANT),
  })),
  onGarden('drill', ({ store, middles }) => ({
    call: (i) => store.drill(pick(middles, i).id, TENANT),
  })),
  changing(
    onGarden('recordSummary', ({ store, projectId }) =>
      consuming(
        () => newSession(store, projectId),
        (session, i) => store.recordSummary(summary(session.id, i), TENANT),
      ),
    ),
  ),
  onGarden('getSummary', async ({ store, sessions }) => {
    for (const [i, session] of sessions.entries()) {
      await store.recordSummary(summary(session.id, i), TENANT);
    }
    return { call: (i) => store.getSummary(pick(sessions, i).id, TENANT) };
  }),
  replacing(
    onGarden('updateSession', ({ store, sessions }) => ({
      call: (i) => store.updateSession(pick(sessions, i), TENANT),
    })),
  ),
  replacing(
    onGarden('updateSubSession', ({ store, edges }) => ({
      call: (i) => store.updateSubSession(pick(edges, i), TENANT),
    })),
  ),
  replacing(
    onGarden('deleteSubSession', ({ store, sessions }) =>
      consuming(
        (i) => newEdge(store, pick(sessions, i).id, pick(sessions, i + 1).id),
        (edge) => store.deleteSubSession(edge.id, TENANT),
      ),
    ),
  ),
  replacing(
    onGarden('deleteSession', ({ store, projectId }) =>
      consuming(
        () => newSession(store, projectId),
        (session) => store.deleteSession(session.id, TENANT),
      ),
    ),
  ),
];

function onGarden(name, operation) {
  return {
    name,
    prepare: async (store, familyCount) => {
      const garden = await plant(store, familyCount);
      const middles = garden.families.flatMap(({ children }) => children);
      const leaves = garden.families.flatMap(({ grandchildren }) => grandchildren);
      const edges = garden.families.flatMap((family) => family.edges);
      return operation({ ...garden, middles, leaves, edges, sessions: [...middles, ...leaves] });
    },
  };
}

function changing(measured) {
  return { ...measured, changes: true };
}

function replacing(measured) {
  return { ...changing(measured), replacesFiles: true };
}

function onTranscript(method, load) {
  return {
    name: `${method} (${MESSAGES.toLocaleString('en')})`,
    prepare: async (store, familyCount) => {
      const { projectId } = await plant(store, familyCount);
      const { id } = await newSession(store, projectId);
      for (let i = 0; i < MESSAGES; i += 1) await store.appendMessage(id, message(i), TENANT);
      return { call: () => load(store, id) };
    },
  };
}

function pick(list, i) {
  return list[i % list.length];
}
