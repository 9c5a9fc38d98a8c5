// Writes one of everything under a umask, and prints how many projects there are then.
// Arguments: root, umask.

import process from 'node:process';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [rootDir, umask] = process.argv.slice(2);
process.umask(Number.parseInt(umask, 8));
const tenantId = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir });
const project = await store.createProject({ tenantId, name: 'P' }, tenantId);
const session = () => store.createSession({ projectId: project.id, currentActor: null }, tenantId);
const [parent, child] = [await session(), await session()];
await store.appendMessage(child.id, { role: 'user', content: 'private' }, tenantId);
const edge = await store.createSubSession(
  {
    parentSessionId: parent.id,
    childSessionId: child.id,
    kind: 'agent_spawn',
    spawnedBy: { kind: 'user', userId: 'usr_a', tenantId },
  },
  tenantId,
);
await store.updateSubSession({ ...edge, status: 'idle' }, tenantId);
await new ArchivalManager({
  sessionStore: store,
  workspaceRegistry: new WorkspaceBackendRegistry(),
  archiveBackend: new DiskArchiveBackend({ rootDir }),
}).archive(edge.id, tenantId);
await store.close();
const { items } = await new DiskSessionStore({ rootDir }).listProjects(tenantId);
console.log(items.length);
