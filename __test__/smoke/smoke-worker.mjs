// Appends a message in a worker thread.
import { parentPort, workerData } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const { rootDir, session, tenant } = workerData;
const store = new DiskSessionStore({ rootDir });
await store.appendMessage(session, { role: 'user', content: 'from the worker' }, tenant);
parentPort.postMessage('done');
