// What becomes of one session: created for a task, 40 turns of appending and loading, summarized,
// archived, restored.

import { ArchivalManager, DiskArchiveBackend, WorkspaceBackendRegistry } from 'namzu-native';
import { PlainArchive } from '../baselines/plain-archive.mjs';
import { message, newEdge, newSession, summary, TENANT } from './plant.mjs';

const TURNS = 40;

/**
 * @param {import('../baselines/index.mjs').BenchStore} store
 * @param {string} directory that the store was opened in
 * @param {boolean} ours whether the store's own archive backend is used, or a plain one
 * @returns {Promise<import('../harness.mjs').Contender>} each call is a whole life
 */
export async function sessionLife(store, directory, ours) {
  const project = await store.createProject({ tenantId: TENANT, name: 'lives' }, TENANT);
  const parent = await newSession(store, project.id);
  const manager = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: ours
      ? new DiskArchiveBackend({ rootDir: directory })
      : new PlainArchive(directory),
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
