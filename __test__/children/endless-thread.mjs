// A worker of terminated-threads.mjs: appends for ever, many at a time, until it is terminated.
import { parentPort, workerData } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const { rootDir, sessionId, tenant } = workerData;
const store = new DiskSessionStore({ rootDir });
const message = { role: 'user', content: 'x'.repeat(10_000) };

async function appendForEver() {
  for (;;) parentPort.postMessage(await store.appendMessage(sessionId, message, tenant));
}
await Promise.all(Array.from({ length: 8 }, appendForEver));
