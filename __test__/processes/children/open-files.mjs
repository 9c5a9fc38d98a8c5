// Prints how many files below its roots a process has open, and how many at all, with one idle
// store, with one on each of many roots, and after all were dropped.
// Usage, with --expose-gc: open-files.mjs <directory>
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskSessionStore } from 'namzu-native';

const STORES = { onOneRoot: 150, onMany: 50 };
const dir = process.argv[2];
const tenant = 'tnt_alpha';

function targets() {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // the one that the listing itself had open
    }
  });
}
const below = (root) => targets().filter((target) => target.startsWith(`${root}/`));

async function use(rootDir) {
  const store = new DiskSessionStore({ rootDir });
  const project = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
  const session = await store.createSession({ projectId: project.id, currentActor: null }, tenant);
  await store.appendMessage(session.id, { role: 'user', content: 'x' }, tenant);
  await store.drill(session.id, tenant);
  return store;
}

/** What `count` answers when it is no more than `limit`, or after a long time all the same. */
async function settled(count, limit) {
  for (let i = 0; i < 300 && count() > limit; i += 1) {
    globalThis.gc();
    await sleep(50);
  }
  return count();
}

const one = join(dir, 'one');
const kept = await use(one);
const atOnce = below(one);
await sleep(1_500); // an idle second, after which the journal is emptied
const idle = below(one);
await kept.getProject('prj_x', tenant);
const afterReading = below(one);

const before = targets().length;
for (let i = 0; i < STORES.onOneRoot; i += 1) await use(one);
const afterOneRoot = await settled(() => targets().length, before);
for (let i = 0; i < STORES.onMany; i += 1) await use(join(dir, `${i}`));
const afterManyRoots = await settled(() => targets().length, before);

console.log(JSON.stringify({ atOnce, idle, afterReading, before, afterOneRoot, afterManyRoots }));
