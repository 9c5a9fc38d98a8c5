// Does one thing to a root, over and over, together with other processes: says that it is
// ready, starts when its input ends, and prints what came of it as JSON.
// Usage: retain.mjs <root> <tenant> <times> sweep|archive|restore|append <id>
import { once } from 'node:events';
import process from 'node:process';
import {
  ArchivalManager,
  DiskArchiveBackend,
  DiskSessionStore,
  WorkspaceBackendRegistry,
} from 'namzu-native';

const [rootDir, tenant, times, what, id] = process.argv.slice(2);
const store = new DiskSessionStore({ rootDir, durability: 'relaxed' });
const manager = new ArchivalManager({
  sessionStore: store,
  workspaceRegistry: new WorkspaceBackendRegistry(),
  archiveBackend: new DiskArchiveBackend({ rootDir, durability: 'relaxed' }),
});
const policy = { maxSubSessionsPerProject: 0 };
const actions = {
  sweep: () => manager.sweep(id, tenant, { policy, evict: true }),
  archive: () => manager.archive(id, tenant, { evict: true }),
  restore: () => manager.restore(id, tenant),
  append: () => store.appendMessage(id, { role: 'user', content: 'later' }, tenant),
};

process.stdout.write('ready\n');
process.stdin.resume();
await once(process.stdin, 'end');
const done = [];
const failed = [];
const account = ({ name, message, details }) => ({ name, message, details });
for (let n = 0; n < Number(times); n += 1) {
  try {
    const answer = (await actions[what]()) ?? null;
    for (const failure of answer?.failed ?? []) failed.push(account(failure.error));
    done.push(answer?.archived ?? answer);
  } catch (error) {
    failed.push(account(error));
  }
}
console.log(JSON.stringify({ done, failed }));
