// What becomes of one session: created for a task, 40 turns of appending and loading, summarized,
// archived, restored.

import { ArchivalManager, WorkspaceBackendRegistry } from 'namzu-native';
import { message, newEdge, newSession, summary, TENANT } from './plant.mjs';

const TURNS = 40;

/**
 * @param {import('../baselines/index.mjs').BenchStore} store
 * @param {import('namzu-native').ArchiveBackend} archiveBackend
 * @returns {Promise<import('../harness.mjs').Contender>} each call is a whole life
 */
export async function sessionLife(store, archiveBackend) {
  const project = await store.createProject({ tenantId: TENANT, name: 'lives' }, TENANT);
  const parent = await newSession(store, project.id);
  const manager = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend,
  });
  return {
    call: async (i) => {
      const session = await newSession(store, project.id);
      const edge = await newEdge(store, parent.id, session.id);
      for (let turn = 0; turn < TURNS; turn += 1) {
        await store.appendMessage(session.id, message(turn), TENANT);
        await store.loadMessages(session.id, TENANT);
      }
      await store.recordSummary(summary(session.id, i), TENANT);
      await store.updateSubSession({ ...edge, status: 'idle' }, TENANT);
      await manager.archive(edge.id, TENANT);
      await manager.restore(edge.id, TENANT);
    },
  };
}
