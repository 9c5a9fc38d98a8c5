// Appends messages, prints what was answered, and kills itself.
// Usage: append-and-die.mjs <root> [durability]
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';
import { say } from '../../children/say.mjs';

const [, , rootDir, durability] = process.argv;
const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir, durability });
const { id: projectId } = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
const { id } = await store.createSession({ projectId, currentActor: null }, tenant);
const ids = [];
for (let i = 0; i < 50; i += 1) {
  ids.push(await store.appendMessage(id, { role: 'user', content: `${i}` }, tenant));
}
say(JSON.stringify({ session: id, ids }));
process.kill(process.pid, 'SIGKILL');
