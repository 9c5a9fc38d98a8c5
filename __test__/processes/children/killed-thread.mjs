// A worker of killed-threads.mjs: several callers append and compare-and-set for ever, each to a
// session of its own; how far each came stands in shared memory as soon as it is acknowledged.
import { workerData } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const { rootDir, durability, sessions, counts, tenant } = workerData;
const store = new DiskSessionStore({ rootDir, durability });
const acknowledged = new Int32Array(counts);

async function goOn(session, caller) {
  for (let n = 0; ; n += 1) {
    const content = `${n} `.padEnd(n % 5 === 0 ? 20_000 : 50, '.');
    await store.appendMessage(session.id, { role: 'user', content }, tenant);
    Atomics.store(acknowledged, caller * 2, n + 1);
    await store.updateSession({ ...session, ownerVersion: n + 1 }, tenant, n);
    Atomics.store(acknowledged, caller * 2 + 1, n + 1);
  }
}
await Promise.all(sessions.map(goOn));
