// Archives, evicts and restores a sub-session over and over, until it is killed.
// Usage: archive-forever.mjs <root> <sub-session> <tenant>
import process from 'node:process';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [rootDir, subSession, tenant] = process.argv.slice(2);
const manager = new ArchivalManager({
  sessionStore: new DiskSessionStore({ rootDir }),
  workspaceRegistry: new WorkspaceBackendRegistry(),
  archiveBackend: new DiskArchiveBackend({ rootDir, durability: 'relaxed' }),
});
console.log('started');
for (let evict = true; ; evict = !evict) {
  await manager.restore(subSession, tenant).catch(() => {});
  await manager.archive(subSession, tenant, { evict });
}
