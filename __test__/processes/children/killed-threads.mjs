// Terminates worker threads at random moments, several times over; prints what was acknowledged to
// each caller and what is there afterwards.
// Usage: killed-threads.mjs <root> <durability> <rounds> <seed>
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { DiskSessionStore } from 'namzu-native';

const THREADS = 8;
const CALLERS = 3;
const tenant = 'tnt_alpha';
const [, , rootDir, durability, rounds, seed] = process.argv;
const store = new DiskSessionStore({ rootDir, durability });
const { id: projectId } = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);

let state = Number(seed);
function below(limit) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >>> 8) % limit;
}

async function lifeOfAThread() {
  const sessions = await Promise.all(
    Array.from({ length: CALLERS }, () =>
      store.createSession({ projectId, currentActor: null }, tenant),
    ),
  );
  const counts = new SharedArrayBuffer(CALLERS * 2 * Int32Array.BYTES_PER_ELEMENT);
  const acknowledged = new Int32Array(counts);
  const workerData = { rootDir, durability, sessions, counts, tenant };
  const worker = new Worker(new URL('killed-thread.mjs', import.meta.url), { workerData });
  const failed = new Promise((_, reject) => {
    worker.on('error', reject);
  });
  while (acknowledged.every((count) => count === 0)) await Promise.race([failed, sleep(1)]);
  await Promise.race([failed, sleep(below(25))]);
  await worker.terminate();
  return sessions.map(({ id }, caller) => ({
    id,
    appended: acknowledged[caller * 2],
    updated: acknowledged[caller * 2 + 1],
  }));
}

const callers = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const lives = await Promise.all(Array.from({ length: THREADS }, lifeOfAThread));
  callers.push(...lives.flat());
}
await store.createProject({ tenantId: tenant, name: 'the store still works' }, tenant);

const report = await Promise.all(
  callers.map(async ({ id, appended, updated }) => {
    const messages = await store.loadMessages(id, tenant);
    const { ownerVersion } = await store.getSession(id, tenant);
    const numbers = messages.map(({ content }) => Number(content.slice(0, content.indexOf(' '))));
    return { id, appended, updated, numbers, ownerVersion };
  }),
);
console.log(JSON.stringify(report));
