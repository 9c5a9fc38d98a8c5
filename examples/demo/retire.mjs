// What finished agents said goes into an archive, out of the store; one of them is brought back.

import { ArchivalManager, DiskArchiveBackend, WorkspaceBackendRegistry } from 'namzu-native';

/**
 * @param {import('./desk.mjs').Desk} desk
 * @param {import('./desk.mjs').Expectations} expectations brought up to date
 * @param {string} rootDir of the store: with the same root, archiving is one step
 */
export async function retire({ store, tenantId }, { sessions }, rootDir) {
  const archival = new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir }),
  });
  const [dispatcher, ...others] = sessions;
  const finished = dispatcher.children.filter(({ status }) => status === 'idle');
  for (const edge of finished) {
    const agent = others.find(({ session }) => session.id === edge.childSessionId);
    const envelopes = await store.loadSessionMessages(agent.session.id, tenantId);
    const messageDates = envelopes.map(({ at }) => at.toISOString());
    const { archiveRef, archivedAt } = await archival.archive(edge.id, tenantId, { evict: true });
    Object.assign(edge, { status: 'archived', archiveRef, archivedAt });
    agent.bundle = { archiveRef, subSessionId: edge.id, messageDates, restored: false };
  }

  const back = finished.at(-1);
  await archival.restore(back.id, tenantId);
  back.status = 'idle';
  delete back.archiveRef;
  delete back.archivedAt;
  others.find(({ session }) => session.id === back.childSessionId).bundle.restored = true;
}
