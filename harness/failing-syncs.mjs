// Lets the kernel fail to write what it had taken: a file system in an image on a disk that is too
// small for it. A sync then fails once, and the next one succeeds although the bytes are gone:
// nothing that was answered may rest on that.
// Usage, after `npm run build`, as root: node harness/failing-syncs.mjs [rounds]

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskSessionStore, verify } from 'namzu-native';
import { complain, run, skip, tried, whyNoMounts } from './lib/machine.mjs';

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

/** Writes until the kernel has failed for a while; what was said, and how it was answered. */
async function write(totals, problems) {
  const store = new DiskSessionStore({ rootDir: join(mount, 'root') });
  const said = [];
  let session;
  try {
    const project = await store.createProject({ tenantId: TENANT, name: 'P' }, TENANT);
    session = await store.createSession({ projectId: project.id, currentActor: null }, TENANT);
  } catch (error) {
    if (error.name !== 'StoreIoError') problems.push(error.stack);
  }
  let refused = 0;
  for (let n = 0; session && n < 2_000 && refused < 12; n += 1) {
    const content = `${n} `.padEnd(20_000, 'x');
    let outcome = 'done';
    try {
      await store.appendMessage(session.id, { role: 'user', content }, TENANT);
      totals.answered += 1;
      // The disk below is as full as it was: a sync that succeeds now has written nothing.
      if (said.some((message) => message.outcome === 'unknown')) {
        problems.push(`message ${n} was answered after a sync had failed`);
      }
    } catch (error) {
      refused += 1;
      outcome = error.details?.outcome;
      if (error.name !== 'StoreIoError') problems.push(error.stack);
      else totals[outcome] += 1;
    }
    said.push({ content, outcome });
  }
  await store.close().catch((error) => {
    if (error.name !== 'StoreIoError') problems.push(error.stack);
  });
  return { session, said };
}

/** What was answered is there, what was not done is not, and the root works and is clean. */
async function check(session, said, problems) {
  const rootDir = join(mount, 'root');
  const store = new DiskSessionStore({ rootDir });
  const found = (await store.loadMessages(session.id, TENANT)).map(({ content }) => content);
  const there = new Set(found);
  if (there.size !== found.length) problems.push('a message is there twice');
  const of = (outcome) => said.filter((message) => message.outcome === outcome);
  const lost = of('done').filter(({ content }) => !there.has(content));
  if (lost.length > 0) problems.push(`lost ${lost.length} of ${of('done').length}`);
  const denied = of('not_done').filter(({ content }) => there.has(content));
  if (denied.length > 0) problems.push(`${denied.length} that were not done are there`);
  await store.appendMessage(session.id, { role: 'user', content: 'after' }, TENANT);
  await store.close();
  for (const { kind, path, detail } of await verify(rootDir)) {
    problems.push(`verify: ${kind} ${path}: ${detail}`);
  }
}

async function round(kib) {
  // The image says that it has room; what it lies on has not.
  run('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', below]);
  const image = join(below, 'image');
  run('truncate', ['-s', '64M', image]);
  run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=1', '-J', 'size=1', image]);
  run('mount', ['-o', 'loop', image, mount]);
  const problems = [];
  let written = { said: [] };
  try {
    written = await write(totals, problems);
  } finally {
    await unmount(mount);
  }
  // What was answered is there, read from the blocks alone.
  run('mount', ['-o', 'remount,size=128m', below]);
  try {
    // It knows that it failed, and wants to be looked at first.
    tried('e2fsck', ['-fy', image]);
    run('mount', ['-o', 'loop', image, mount]);
    if (written.session) await check(written.session, written.said, problems);
  } catch (error) {
    problems.push(`afterwards: ${error.stack} ${JSON.stringify(error.details)}`);
  } finally {
    await unmount(mount);
    await unmount(below);
  }
  totals.rounds += 1;
  if (problems.length > 0) {
    totals.failed += 1;
    complain(`${kib} KiB`, problems);
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
if (totals.answered === 0) console.error('nothing was ever answered');
if (totals.unknown === 0) console.error('no sync ever failed');
process.exitCode = totals.failed === 0 && totals.answered > 0 && totals.unknown > 0 ? 0 : 1;
