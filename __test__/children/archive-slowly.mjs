// Archives a sub-session over a backend that an application wrote, one file a bundle, slowly;
// says that it is ready, starts when its input ends, and prints what came of it as JSON.
// Usage: archive-slowly.mjs <root> <tenant> <sub-session> <bundles>
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { ArchivalManager, DiskSessionStore, WorkspaceBackendRegistry } from 'namzu-native';

const [rootDir, tenant, id, bundles] = process.argv.slice(2);
const archiveBackend = {
  kind: 'files',
  async store(input) {
    await setTimeout(30 + (process.pid % 7) * 5);
    const archiveRef = `arc_${process.pid}x${Math.random().toString(36).slice(2)}`;
    await writeFile(join(bundles, archiveRef), JSON.stringify(input));
    return { archiveRef, archivedAt: new Date() };
  },
  async restore(archiveRef) {
    return JSON.parse(await readFile(join(bundles, archiveRef), 'utf8'));
  },
};
const sessionStore = new DiskSessionStore({ rootDir });
const workspaceRegistry = new WorkspaceBackendRegistry();
const manager = new ArchivalManager({ sessionStore, workspaceRegistry, archiveBackend });

process.stdout.write('ready\n');
process.stdin.resume();
await once(process.stdin, 'end');
const told = await manager.archive(id, tenant, { evict: true }).then(
  ({ archiveRef }) => ({ archiveRef }),
  ({ name, details }) => ({ name, reason: details?.reason }),
);
console.log(JSON.stringify(told));
await sessionStore.close();
