// A worker of threads.mjs: appends messages, and tries to become the owner once.
import { parentPort, workerData } from 'node:worker_threads';
import { DiskSessionStore, StaleSessionError } from 'namzu-native';

const { rootDir, sessionId, tenant, thread } = workerData;
const store = new DiskSessionStore({ rootDir });

const session = await store.getSession(sessionId, tenant);
const won = await store.updateSession({ ...session, ownerVersion: 1 }, tenant, 0).then(
  () => true,
  (error) => (error instanceof StaleSessionError ? false : String(error)),
);
const ids = [];
for (let i = 0; i < 50; i += 1) {
  const message = { role: 'user', content: `${thread}.${i}` };
  ids.push(await store.appendMessage(sessionId, message, tenant));
}
parentPort.postMessage({ won, ids });
