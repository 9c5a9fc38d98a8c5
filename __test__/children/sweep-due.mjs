// Sweeps what has been idle for long, as a process of its own that can be watched.
// Usage: sweep-due.mjs <root> <project> <tenant>
import process from 'node:process';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [rootDir, project, tenant] = process.argv.slice(2);
const manager = new ArchivalManager({
  sessionStore: new DiskSessionStore({ rootDir, durability: 'relaxed' }),
  workspaceRegistry: new WorkspaceBackendRegistry(),
  archiveBackend: new DiskArchiveBackend({ rootDir, durability: 'relaxed' }),
});
// Edges were changed at 03:04:05 or 1,000 seconds later.
const now = new Date('2026-01-02T03:20:45.678Z');
const policy = { idleSubSessionTTL: 10_000 };
const { archived, failed } = await manager.sweep(project, tenant, { policy, now, evict: true });
if (failed.length > 0) throw failed[0].error;
console.log(archived.length);
