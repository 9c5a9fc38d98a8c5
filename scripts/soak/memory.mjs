/**
 * A great many operations, and stores that are opened and dropped: resident memory,
 * threads and open files must be at the end what they were halfway, when caches are
 * full and the allocator has what it keeps.
 *
 * Usage: node --expose-gc scripts/soak/memory.mjs [operations] [stores]
 *        (1000000 and 10000 when absent; half of the stores are never closed)
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskSessionStore, InMemorySessionStore, TenantIsolationError } from '../../index.mjs';

const MIB = 1 << 20;
const OPERATIONS = Number(process.argv[2] ?? 1_000_000);
const STORES = Number(process.argv[3] ?? 10_000);
/**
 * More than the allocator keeps after its busiest moment, less than 100 bytes that leak with
 * each call come to. What V8 keeps for its heap is not counted.
 */
const ALLOWED = 24 * MIB;
/** Threads for blocking work come when they are needed, and go. */
const SPARE_THREADS = 4;
const PARTS = 10;
const AT_ONCE = 32;

assert.ok(globalThis.gc, 'needs --expose-gc');
const tenant = 'tnt_soak';
const other = 'tnt_other';
const folder = mkdtempSync(join(tmpdir(), 'namzu-native-soak-'));

try {
  const disk = new DiskSessionStore({ rootDir: join(folder, 'one'), durability: 'relaxed' });
  for (const [name, store] of [
    ['disk', disk],
    ['in memory', new InMemorySessionStore()],
  ]) {
    await soak(`operations, ${name}`, OPERATIONS / 2, await lives(store));
  }
  await soak('stores', STORES, storesThatComeAndGo);
  console.log('flat, all of it');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Does `work` in parts, and measures after each. */
async function soak(title, total, work) {
  console.log(`\n${title.padEnd(24)}   resident   V8 keeps  V8 uses  threads  files`);
  const measured = [];
  let done = 0;
  for (let part = 1; part <= PARTS; part += 1) {
    const upTo = Math.round((total * part) / PARTS);
    while (done < upTo) done += await work(upTo - done);
    measured.push(report(`${done}`, await settled(measured[0])));
  }
  const [warm, last] = [measured[PARTS / 2 - 1], measured.at(-1)];
  const own = ({ resident, kept }) => resident - kept;
  assert.ok(own(last) - own(warm) < ALLOWED, `${title}: resident memory grew`);
  assert.ok(last.threads <= warm.threads + SPARE_THREADS, `${title}: threads were left`);
  assert.ok(last.files <= warm.files, `${title}: files were left open`);
}

/** The lives of sessions, from their creation to their deletion: what is stored stays the same. */
async function lives(store) {
  const project = await store.createProject({ tenantId: tenant, name: 'Soak' }, tenant);
  const projectId = project.id;
  const parent = await store.createSession({ projectId, currentActor: null }, tenant);

  async function life() {
    const session = await store.createSession({ projectId, currentActor: null }, tenant);
    const { id } = session;
    const spawnedBy = { kind: 'user', userId: 'usr_soak', tenantId: tenant };
    const edge = await store.createSubSession(
      { parentSessionId: parent.id, childSessionId: id, kind: 'agent_spawn', spawnedBy },
      tenant,
    );
    for (let n = 0; n < 5; n += 1) {
      await store.appendMessage(id, { role: 'user', content: `é ${n} `.repeat(100) }, tenant);
    }
    await store.appendMessages(id, [{ role: 'user', content: 'x' }], tenant);
    await store.updateSession({ ...session, ownerVersion: 1 }, tenant, 0);
    assert.equal((await store.loadMessages(id, tenant)).length, 6);
    assert.equal((await store.loadMessages(id, tenant, { limit: 2 })).length, 2);
    for await (const { message } of store.streamMessages(id, tenant)) assert.ok(message);
    // Left in the middle, as a `break` does.
    for await (const { message } of store.streamMessages(id, tenant)) {
      assert.ok(message);
      break;
    }
    await store.getSession(id, tenant);
    await store.drill(id, tenant);
    await store.listSessionsByProject(projectId, tenant, { limit: 10 });
    await assert.rejects(store.getSession(id, other), TenantIsolationError);
    await assert.rejects(store.updateSession(session, tenant, 7));
    await store.deleteSubSession(edge.id, tenant);
    await store.deleteSession(id, tenant);
    return 20;
  }

  return async (wanted) => {
    const count = Math.min(AT_ONCE, Math.ceil(wanted / 20));
    const done = await Promise.all(Array.from({ length: count }, life));
    return done.reduce((sum, operations) => sum + operations, 0);
  };
}

/** Stores on one new root; every other one is dropped as it is. */
async function storesThatComeAndGo(wanted) {
  const rootDir = mkdtempSync(join(folder, 'root-'));
  const count = Math.min(20, wanted);
  for (let n = 0; n < count; n += 1) {
    const store = new DiskSessionStore({ rootDir, durability: n % 4 < 2 ? 'full' : 'relaxed' });
    const project = await store.createProject({ tenantId: tenant, name: 'Soak' }, tenant);
    await store.getProject(project.id, tenant);
    // A relaxed one still writes what it has answered.
    await (n % 2 === 0 ? store.close() : store.flush());
  }
  rmSync(rootDir, { recursive: true, force: true });
  return count;
}

/** What is in use when what can be given back is given back, or after a while all the same. */
async function settled(warm) {
  // An idle store gives back what it can after a second, an idle thread ends after ten.
  for (let tenths = 1; ; tenths += 1) {
    globalThis.gc();
    await sleep(100);
    const now = look();
    const threads = warm?.threads + SPARE_THREADS;
    const asBefore = warm && now.threads <= threads && now.files <= warm.files;
    if (asBefore ? tenths >= 3 : tenths >= (warm ? 300 : 15)) return now;
  }
}

function look() {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  const count = (what) => (existsSync('/proc/self') ? readdirSync(`/proc/self/${what}`).length : 0);
  return {
    resident: rss,
    kept: heapTotal,
    heap: heapUsed,
    threads: count('task'),
    files: count('fd'),
  };
}

function report(done, now) {
  const cells = [now.resident, now.kept, now.heap].map(
    (bytes) => `${(bytes / MIB).toFixed(1)} MiB`,
  );
  const columns = [...cells, now.threads, now.files];
  const widths = [11, 10, 8, 8, 6];
  const line = columns.map((cell, at) => `${cell}`.padStart(widths[at])).join(' ');
  console.log(`${done.padStart(23)} ${line}`);
  return now;
}
