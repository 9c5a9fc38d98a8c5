// Terminates worker threads in the middle of their writes; prints what they had acknowledged and
// what is there then.
// Usage: terminated-threads.mjs <root>
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const tenant = 'tnt_alpha';
const rootDir = process.argv[2];
const store = new DiskSessionStore({ rootDir });
const { id: projectId } = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
const session = await store.createSession({ projectId, currentActor: null }, tenant);

const acknowledged = [];
for (let round = 0; round < 20; round += 1) {
  const workerData = { rootDir, sessionId: session.id, tenant };
  const worker = new Worker(new URL('endless-thread.mjs', import.meta.url), { workerData });
  await new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('message', (id) => {
      acknowledged.push(id);
      resolve();
    });
  });
  await worker.terminate();
}
const stored = await store.loadSessionMessages(session.id, tenant);
await store.appendMessage(session.id, { role: 'user', content: 'afterwards' }, tenant);
console.log(JSON.stringify({ acknowledged, stored: stored.map(({ id }) => id) }));
