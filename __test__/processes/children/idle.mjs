// Uses a store in one way and then does nothing more: the process must end by itself.
// Usage: idle.mjs <root> <durability> <use>
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, durability, use] = process.argv;
const tenant = 'tnt_alpha';
const store = new DiskSessionStore({ rootDir, durability });

const uses = {
  nothing: async () => null,
  read: () => store.getProject('prj_x', tenant),
  write: () => store.createProject({ tenantId: tenant, name: 'x' }, tenant),
  async 'write and read'() {
    const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
    const session = await store.createSession(
      { projectId: project.id, currentActor: null },
      tenant,
    );
    await store.appendMessage(session.id, { role: 'user', content: 'x' }, tenant);
    await store.drill(session.id, tenant);
  },
  'fail to write': () =>
    store.createSession({ projectId: 'prj_x', currentActor: null }, tenant).catch(() => null),
  'write in a thread': () =>
    new Promise((resolve) => {
      const argv = [rootDir, durability, 'write and read'];
      new Worker(new URL(import.meta.url), { argv }).on('exit', resolve);
    }),
};
await uses[use]();
globalThis.kept = store;
