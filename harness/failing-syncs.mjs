// Lets the kernel fail to write what it had taken: a file system in an image on a disk that is too
// small for it. A sync then fails once, and the next one succeeds although the bytes are gone:
// nothing that was answered may rest on that.
// Usage, after `npm run build`, as root: node harness/failing-syncs.mjs [rounds]

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskSessionStore } from 'namzu-native';
import { run, skip, tried, whyNoMounts } from './lib/machine.mjs';

const [rounds = '6'] = process.argv.slice(2);
const reason = whyNoMounts('losetup', 'mkfs.ext4', 'e2fsck');
if (reason) skip('failing syncs', reason);
const TENANT = 'tnt_ada';
const folder = mkdtempSync(join(tmpdir(), 'namzu-syncs-'));
const [below, mount] = [join(folder, 'below'), join(folder, 'mount')];
mkdirSync(below);
mkdirSync(mount);
const totals = { rounds: 0, answered: 0, not_done: 0, done: 0, unknown: 0, failed: 0 };

async function unmount(dir) {
  for (let n = 0; n < 40; n += 1) {
    if (tried('umount', [dir])) return;
    await sleep(50);
  }
  console.log(`${dir} is still in use`);
  tried('umount', ['-l', dir]);
}

async function round(kib) {
  // The image says that it has room; what it lies on has not.
  run('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', below]);
  const image = join(below, 'image');
  run('truncate', ['-s', '64M', image]);
  run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=1', '-J', 'size=1', image]);
  run('mount', ['-o', 'loop', image, mount]);
  const said = [];
  let session;
  const problems = [];
  try {
    const store = new DiskSessionStore({ rootDir: join(mount, 'root') });
    let refused = 0;
    try {
      const project = await store.createProject({ tenantId: TENANT, name: 'P' }, TENANT);
      session = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
    } catch {
      refused = 100;
    }
    for (let n = 0; n < 2_000 && refused < 12; n += 1) {
      const content = `${n} `.padEnd(20_000, 'x');
      try {
        await store.appendMessage(session.id, { role: 'user', content }, TENANT);
        said.push(content);
      } catch (error) {
        refused += 1;
        const { outcome } = error.details ?? {};
        if (error.name !== 'StoreIoError') problems.push(error.stack);
        else totals[outcome] += 1;
        if (outcome === 'done') said.push(content);
        else said.push({ maybe: content, certain: outcome === 'unknown' ? undefined : false });
      }
    }
    await store.close().catch(() => undefined);
  } finally {
    await unmount(mount);
  }
  // What was answered is there, read from the blocks alone.
  run('mount', ['-o', 'remount,size=128m', below]);
  try {
    // It knows that it failed, and wants to be looked at first.
    tried('e2fsck', ['-fy', image]);
    run('mount', ['-o', 'loop', image, mount]);
    if (session) {
      const again = new DiskSessionStore({ rootDir: join(mount, 'root') });
      const found = (await again.loadMessages(session.id, TENANT)).map(({ content }) => content);
      const certain = said.filter((content) => typeof content === 'string');
      totals.answered += certain.length;
      const there = new Set(found);
      const lost = certain.filter((content) => !there.has(content));
      if (lost.length > 0) problems.push(`lost ${lost.length} of ${certain.length}`);
      const denied = said.filter(({ certain, maybe }) => certain === false && there.has(maybe));
      if (denied.length > 0) problems.push(`${denied.length} that were not done are there`);
      await again.close();
    }
  } finally {
    await unmount(mount);
    await unmount(below);
  }
  totals.rounds += 1;
  if (problems.length > 0) {
    totals.failed += 1;
    console.error(`${kib} KiB: ${problems.slice(0, 3).join('; ')}`);
  }
}

try {
  for (let n = 0; n < Number(rounds); n += 1) await round(2_600 + n * 350);
} finally {
  tried('umount', [mount]);
  tried('umount', [below]);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`failing syncs: ${JSON.stringify(totals)}`);
process.exitCode = totals.failed === 0 ? 0 : 1;
