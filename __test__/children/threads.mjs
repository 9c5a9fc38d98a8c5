// Several worker threads write to one root at once; prints what each met and what is there then.
// Usage: threads.mjs <root>
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const THREADS = 4;
const tenant = 'tnt_alpha';
const rootDir = process.argv[2];
const store = new DiskSessionStore({ rootDir });
const { id: projectId } = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
const session = await store.createSession({ projectId, currentActor: null }, tenant);

const reports = await Promise.all(
  Array.from(
    { length: THREADS },
    (_, thread) =>
      new Promise((resolve, reject) => {
        const workerData = { rootDir, sessionId: session.id, tenant, thread };
        const worker = new Worker(new URL('thread.mjs', import.meta.url), { workerData });
        let report;
        worker.on('message', (message) => {
          report = message;
        });
        worker.on('error', reject);
        worker.on('exit', () => resolve(report));
      }),
  ),
);
const stored = await store.loadSessionMessages(session.id, tenant);
console.log(
  JSON.stringify({
    reports,
    stored: stored.map(({ id, message }) => ({ id, content: message.content })),
    version: (await store.getSession(session.id, tenant)).ownerVersion,
  }),
);
