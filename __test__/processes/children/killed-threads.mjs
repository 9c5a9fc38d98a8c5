// Terminates worker threads amid their operations, eight at a time, several times over; prints what
// was acknowledged to each caller and what is there afterwards, and how many threads and open files
// this process has before and after, where /proc tells.
// Usage: killed-threads.mjs <root> <durability> <rounds> <seed>
import { existsSync, readdirSync } from 'node:fs';
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
  // A number of answers, not a time: on a busy machine a thread may not have begun by then.
  const enough = CALLERS + below(40);
  const came = () => acknowledged.reduce((sum, count) => sum + count, 0);
  while (came() < enough || acknowledged.includes(0)) await Promise.race([failed, sleep(1)]);
  await worker.terminate();
  return sessions.map(({ id }, caller) => ({
    id,
    appended: acknowledged[caller * 2],
    updated: acknowledged[caller * 2 + 1],
  }));
}

const count = (what) => (existsSync('/proc/self') ? readdirSync(`/proc/self/${what}`).length : 0);
const open = () => ({ threads: count('task'), files: count('fd') });

/**
 * What is open when no more of it is than `before`, or after a long time all the same: an idle
 * thread of the core's pool stays for ten seconds, in case there is more to do.
 */
async function settled(before) {
  let now = open();
  for (let i = 0; i < 600 && (now.threads > before.threads || now.files > before.files); i += 1) {
    await sleep(50);
    now = open();
  }
  return now;
}

const callers = [];
async function round() {
  const lives = await Promise.all(Array.from({ length: THREADS }, lifeOfAThread));
  callers.push(...lives.flat());
}
await round(); // what stays open for the whole process is open after it
const before = open();
for (let done = 1; done < Number(rounds); done += 1) await round();
const after = await settled(before);
await store.createProject({ tenantId: tenant, name: 'the store still works' }, tenant);

const report = await Promise.all(
  callers.map(async ({ id, appended, updated }) => {
    const messages = await store.loadMessages(id, tenant);
    const { ownerVersion } = await store.getSession(id, tenant);
    const numbers = messages.map(({ content }) => Number(content.slice(0, content.indexOf(' '))));
    return { id, appended, updated, numbers, ownerVersion };
  }),
);
console.log(JSON.stringify({ callers: report, before, after }));
