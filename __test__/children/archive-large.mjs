// Archives, evicts and restores one sub-session, and prints by how many bytes that raised the
// peak of the memory in use.
// Usage: archive-large.mjs <root> <sub-session> <tenant>
import process from 'node:process';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [rootDir, subSession, tenant] = process.argv.slice(2);
const sessionStore = new DiskSessionStore({ rootDir, durability: 'relaxed' });
const manager = new ArchivalManager({
  sessionStore,
  workspaceRegistry: new WorkspaceBackendRegistry(),
  archiveBackend: new DiskArchiveBackend({ rootDir, durability: 'relaxed' }),
});
// A first read, so that what the store itself takes is there.
await sessionStore.getSubSession(subSession, tenant);
const peak = () => process.resourceUsage().maxRSS * 1024;
const before = peak();
await manager.archive(subSession, tenant, { evict: true });
const archived = peak() - before;
await manager.restore(subSession, tenant);
await sessionStore.close();
console.log(JSON.stringify({ archived, restored: peak() - before }));
