// Fills file systems that are too small, runs into limits of a process, and meets what may not be
// written: each time a typed error, reads and deletions that go on, and a root that works again.
// Usage, after `npm run build`, as root: node harness/full-disks.mjs [step in KiB | immutable]

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { complain, run, skip, tried, whyNoMounts } from './lib/machine.mjs';
import { Story } from './lib/story.mjs';

const [step = '4'] = process.argv.slice(2);
const isImmutable = step === 'immutable';
if (!isImmutable && !(Number(step) > 0)) throw new Error(`no step: ${step}`);
const reason = isImmutable ? whyNoMounts('mkfs.ext4', 'chattr', 'losetup') : whyNoMounts('prlimit');
if (reason) skip(isImmutable ? 'immutable files' : 'full disks', reason);
const folder = mkdtempSync(join(tmpdir(), 'namzu-full-'));
const mount = join(folder, 'mount');
mkdirSync(mount);
const LIMITED = fileURLToPath(new URL('./children/limited.mjs', import.meta.url));

let failed = 0;
const refusals = new Map();
const deletions = { worked: 0, refused: 0 };

/** Takes a story down; `bites` says that some call is certainly refused. */
function note(title, story, bites = true) {
  if (process.env.NAMZU_SAY) console.log(title, [...story.refusals]);
  if (bites && story.refused === 0) story.problems.push('nothing was refused');
  for (const [key, count] of story.refusals) refusals.set(key, (refusals.get(key) ?? 0) + count);
  if (story.problems.length === 0) return;
  failed += 1;
  complain(title, story.problems);
}

/** Unmounts, also when a store is still open there after a failure. */
function unmount() {
  if (!tried('umount', [mount])) tried('umount', ['-l', mount]);
}

/** Fills a small file system, and makes room again. */
async function onTmpfs(title, options, more) {
  run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mount]);
  const story = new Story(join(mount, 'root'), ['ENOSPC']);
  try {
    await story.fill();
    await story.read('when full');
    const removed = await story.remove();
    if (removed !== undefined) deletions[removed ? 'worked' : 'refused'] += 1;
    await story.read('after a deletion');
    await story.fill(20);
    await story.read('when full again');
    run('mount', ['-o', `remount,${more}`, mount]);
    await story.recover('with room');
  } finally {
    unmount();
  }
  note(title, story);
}

/** Remounted for reading alone in the middle, then for writing again. */
async function readOnly() {
  run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mount]);
  const story = new Story(join(mount, 'root'), ['EROFS']);
  try {
    await story.fill(20);
    // What is open for writing keeps a file system from that.
    await story.store.close();
    story.open();
    await story.read('before');
    await story.store.close();
    run('mount', ['-o', 'remount,ro', mount]);
    story.open();
    await story.read('read-only');
    if ((await story.fill(20)) > 0) story.problems.push('it was written to, read-only');
    if (await story.remove()) story.problems.push('it was deleted from, read-only');
    await story.store.close().catch((error) => story.problems.push(error.message));
    run('mount', ['-o', 'remount,rw', mount]);
    story.open();
    await story.recover('writable');
  } finally {
    unmount();
  }
  note('a read-only mount', story);
}

/** Each file and folder of a root immutable in turn. */
async function immutable() {
  const image = join(folder, 'ext4.img');
  run('truncate', ['-s', '32M', image]);
  run('mkfs.ext4', ['-q', '-F', image]);
  run('mount', ['-o', 'loop', image, mount]);
  let count = 0;
  let story;
  try {
    story = new Story(join(mount, 'root'), ['EPERM', 'EACCES']);
    await story.fill(20);
    await story.store.close();
    const names = readdirSync(story.rootDir, { recursive: true });
    for (const name of ['.', ...names]) {
      const path = join(story.rootDir, name);
      if (!existsSync(path)) continue;
      count += 1;
      run('chattr', ['+i', path]);
      story.open();
      await story.read(`${name} immutable`);
      await story.fill(10);
      await story.sayEverywhere();
      await story.read(`${name} immutable`);
      await story.store.close().catch(() => undefined); // said by the calls before
      run('chattr', ['-i', path]);
      story.open();
      if (!(await story.recover(`${name} mutable again`))) break;
      story.open();
    }
  } catch (error) {
    story?.problems.push(error.stack);
  } finally {
    unmount();
    rmSync(image);
  }
  note('immutable files', story);
  return count;
}

/**
 * A process that may not write long files, or open many. Of what is certain, `bites` says that some
 * call is refused, `reads` and `deletes` that what was there before can be read and deleted.
 */
function limited(title, kind, value, { bites, reads, deletes }) {
  const root = join(folder, `limited-${kind}-${value}`);
  return new Promise((resolve) => {
    const program = spawn(process.execPath, [LIMITED, root, kind, String(!reads)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    program.stdout.on('data', (data) => {
      said += data;
      if (said === 'ready\n') {
        const open = readdirSync(`/proc/${program.pid}/fd`).length;
        const limit = kind === 'nofile' ? open + value : value;
        run('prlimit', ['--pid', String(program.pid), `--${kind}=${limit}:`]);
        program.stdin.write('limited\n');
      } else if (said.endsWith('refused\n')) {
        run('prlimit', [
          '--pid',
          String(program.pid),
          `--${kind}=${kind === 'fsize' ? 'unlimited' : 1_024}:`,
        ]);
        program.stdin.write('free\n');
      }
    });
    program.once('exit', (status) => {
      const result = said.split('\n').find((line) => line.startsWith('{'));
      const story = result
        ? JSON.parse(result)
        : { problems: [`it ended with ${status}`], refusals: [], removed: [], refused: 0 };
      const { problems, refusals, removed, refused } = story;
      if (deletes && removed[0] !== true) problems.push('nothing could be deleted');
      note(title, { problems, refusals: new Map(refusals), refused }, bites);
      rmSync(root, { recursive: true, force: true });
      rmSync(`${root}-before`, { recursive: true, force: true });
      resolve();
    });
  });
}

async function everything() {
  const counts = { sizes: 0, inodes: 0, limits: 0 };
  for (let kib = 16; kib <= 1_024; kib += Number(step)) {
    await onTmpfs(`${kib} KiB`, `size=${kib}k`, 'size=16m');
    counts.sizes += 1;
  }
  for (let inodes = 1; inodes <= 32; inodes += 1) {
    await onTmpfs(`${inodes} inodes`, `size=8m,nr_inodes=${inodes}`, 'nr_inodes=1000');
    counts.inodes += 1;
  }
  await readOnly();
  for (const kib of [0, 1, 4, 64, 256, 260, 300, 512]) {
    // Below that the journal, which is as long from the first write on, cannot be written.
    const certain = { bites: true, reads: true, deletes: kib >= 256 };
    await limited(`files of ${kib} KiB`, 'fsize', kib * 1_024, certain);
    counts.limits += 1;
  }
  for (let more = 0; more <= 6; more += 1) {
    // A call needs two at most, a checkpoint that happens to be due as many, and the runtime one.
    const certain = { bites: more === 0, reads: more >= 5, deletes: more >= 5 };
    await limited(`${more} more descriptors`, 'nofile', more, certain);
    counts.limits += 1;
  }
  return counts;
}

let counts;
try {
  counts = isImmutable ? { immutable: await immutable() } : await everything();
} finally {
  unmount();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `full disks: ${JSON.stringify(counts)}, refused: ${JSON.stringify(Object.fromEntries(refusals))}, ` +
    `deletions on a full disk: ${JSON.stringify(deletions)}, ${failed} failed`,
);
const deleted = isImmutable || (deletions.worked > 0 && deletions.refused === 0);
process.exitCode = failed === 0 && deleted ? 0 : 1;
