// Records every block that a file system writes while a root on it is written to, and mounts what
// the disk held after each of these blocks: in `full` all that was answered by then is there, in
// `relaxed` all that was synced by then, and no transaction without those before it.
// Usage, after `npm run build`, as root: node harness/block-log.mjs [states of each workload | all]

import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkLoad, countKinds, KINDS, markDurable } from './lib/check-load.mjs';
import { complain, prng, run, seedOfRun, skip, tried, whyNoMounts } from './lib/machine.mjs';

const [wanted = '60'] = process.argv.slice(2);
const reason = whyNoMounts('losetup', 'mkfs.ext4', 'qemu-storage-daemon');
if (reason) skip('block log', reason);
const child = (name) => fileURLToPath(new URL(`./children/${name}`, import.meta.url));
const [LOAD, SYNCING] = [child('mixed-load.mjs'), child('syncing.mjs')];
const SECTOR = 512;
const SIZE = '48M';
const [FLUSH, FUA, DISCARD] = [1, 2, 4];

const random = prng(seedOfRun());
const folder = mkdtempSync(join(tmpdir(), 'namzu-blocks-'));
const at = (name) => join(folder, name);

/** A disk whose blocks are written down, as a file that can be mounted. */
async function recordedDisk() {
  for (const name of ['base', 'log', 'disk']) writeFileSync(at(name), '');
  run('truncate', ['-s', SIZE, at('base')]);
  const daemon = spawn(
    'qemu-storage-daemon',
    [
      ['--blockdev', `driver=file,filename=${at('base')},node-name=base`],
      ['--blockdev', `driver=file,filename=${at('log')},node-name=log`],
      ['--blockdev', 'driver=blklogwrites,file=base,log=log,node-name=recorded'],
      ['--export', `type=fuse,id=e,node-name=recorded,mountpoint=${at('disk')},writable=on`],
    ].flat(),
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let troubles = '';
  daemon.stderr.on('data', (data) => {
    troubles += data;
  });
  for (let n = 0; n < 100 && statSync(at('disk')).size === 0; n += 1) await sleep(50);
  if (statSync(at('disk')).size === 0) {
    daemon.kill();
    skip('block log', `the disk cannot be exported: ${troubles.split('\n')[0]}`);
  }
  return daemon;
}

/** What another program started may be at it a moment longer. */
async function unmount() {
  for (let n = 0; n < 40; n += 1) {
    if (tried('umount', [at('mount')])) return;
    await sleep(50);
  }
  run('umount', [at('mount')]);
}

/** Writes into a root on such a disk; answers when each answer came, in bytes of the log. */
async function record({ writers, calls, durability, others }) {
  const daemon = await recordedDisk();
  const answers = [];
  try {
    run('mkfs.ext4', ['-q', '-F', at('disk')]);
    mkdirSync(at('mount'));
    run('mount', ['-o', 'loop', at('disk'), at('mount')]);
    const syncing = others
      ? spawn(process.execPath, [SYNCING, at('mount'), String(Math.floor(random() * 2 ** 31))], {
          stdio: ['ignore', 'ignore', 'inherit'],
        })
      : undefined;
    const stopped = syncing && new Promise((resolve) => syncing.once('exit', resolve));
    try {
      await Promise.all(
        Array.from({ length: writers }, async (_, n) => {
          const seed = String(Math.floor(random() * 2 ** 31));
          const root = join(at('mount'), 'root');
          const args = [LOAD, root, `w${n}`, seed, durability, String(calls)];
          const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
          const ended = new Promise((resolve) => writer.once('exit', resolve));
          for await (const line of createInterface({ input: writer.stdout })) {
            const answer = JSON.parse(line);
            // Nothing is made to fail here.
            if (answer.op === 'error') throw new Error(`a writer failed: ${answer.error}`);
            // Whatever the answer rests on was in the log before it was given.
            answers.push({ ...answer, logged: statSync(at('log')).size });
          }
          const status = await ended;
          if (status !== 0) throw new Error(`a writer ended with ${status}`);
        }),
      );
    } finally {
      syncing?.kill('SIGKILL');
      await stopped;
      await unmount();
    }
  } finally {
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill();
    await ended;
  }
  return answers;
}

/** What was written, in order: each with where it ends in the log. */
function* entriesOf(log) {
  const head = Buffer.alloc(SECTOR);
  const size = statSync(at('log')).size;
  readSync(log, head, 0, SECTOR, 0);
  const sectorSize = head.readUInt32LE(24);
  let offset = sectorSize;
  while (offset + 32 <= size) {
    readSync(log, head, 0, 32, offset);
    const [sector, sectors, flags] = [0, 8, 16].map((n) => Number(head.readBigUInt64LE(n)));
    if (sectors === 0 && flags === 0) return;
    const bytes = flags & DISCARD ? 0 : sectors * sectorSize;
    const data = Buffer.alloc(bytes);
    if (bytes > 0) readSync(log, data, 0, bytes, offset + sectorSize);
    offset += sectorSize + bytes;
    yield { place: sector * sectorSize, length: sectors * sectorSize, data, flags, end: offset };
  }
}

/** Mounts the disk as it was and checks the root; `undefined` where it does not mount. */
async function stateHolds(answers, title) {
  run('cp', ['--sparse=always', at('replayed'), at('state')]);
  if (!tried('mount', ['-o', 'loop', at('state'), at('mount')])) return undefined;
  try {
    const { problems, lost } = await checkLoad(join(at('mount'), 'root'), answers);
    if (problems.length > 0) complain(title, problems);
    return { failed: problems.length > 0, lost };
  } finally {
    for (let n = 0; !tried('umount', [at('mount')]) && n < 40; n += 1) await sleep(50);
  }
}

async function replay(name, answers) {
  const log = openSync(at('log'));
  const disk = openSync(at('replayed'), 'w+');
  run('truncate', ['-s', SIZE, at('replayed')]);
  const total = [...entriesOf(log)].length;
  const chance = wanted === 'all' ? 1 : Math.min(1, Number(wanted) / total);
  const counts = { blocks: total, states: 0, unmountable: 0, answers: answers.length };
  Object.assign(counts, { lost: 0, failed: 0 });
  let n = 0;
  for (const { place, length, data, flags, end } of entriesOf(log)) {
    n += 1;
    if (data.length > 0) writeSync(disk, data, 0, data.length, place);
    else if (flags & DISCARD) writeSync(disk, Buffer.alloc(length), 0, length, place);
    // Right after a flush is where what was answered is last added.
    if (random() > chance * (flags & (FLUSH | FUA) ? 2 : 0.8) && n !== total) continue;
    // What was not answered yet may be there or not, but only behind all that is before it.
    const by = markDurable(
      answers.filter(({ logged }) => logged <= end).map((answer) => ({ ...answer })),
    );
    const later = answers.filter(({ logged }) => logged > end);
    by.push(...later.map((answer) => ({ ...answer, durable: false })));
    const held = await stateHolds(by, `${name}, after block ${n} of ${total}`);
    if (held === undefined) counts.unmountable += 1;
    else {
      counts.states += 1;
      counts.lost += held.lost.filter((lost) => lost < answers.length - later.length).length;
      counts.failed += Number(held.failed);
    }
  }
  closeSync(log);
  closeSync(disk);
  console.log(`block log of ${name}: ${JSON.stringify(counts)}`);
  if (counts.answers === 0 || counts.states === 0) {
    console.error(`${name}: nothing was looked at`);
    counts.failed += 1;
  }
  return counts.failed;
}

const WORKLOADS = [
  ['one writer', { writers: 1, calls: 25, durability: 'full' }],
  ['two writers', { writers: 2, calls: 20, durability: 'full', others: true }],
  ['four writers', { writers: 4, calls: 8, durability: 'full' }],
  ['one relaxed writer', { writers: 1, calls: 40, durability: 'relaxed' }],
  ['two relaxed writers', { writers: 2, calls: 20, durability: 'relaxed', others: true }],
  ['four relaxed writers', { writers: 4, calls: 8, durability: 'relaxed', others: true }],
];
let failed = 0;
const kinds = countKinds([]);
try {
  for (const [name, workload] of WORKLOADS) {
    const answers = await record(workload);
    countKinds(answers, kinds);
    failed += await replay(name, answers);
    for (const file of ['base', 'log', 'disk', 'replayed', 'state', 'mount']) {
      rmSync(at(file), { recursive: true, force: true });
    }
  }
} finally {
  spawnSync('umount', [at('mount')], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const without = KINDS.filter((op) => kinds[op] === 0);
if (without.length > 0) console.error(`no answers of these kinds: ${without}`);
console.log(`block logs: answers ${JSON.stringify(kinds)}, ${failed} failed`);
process.exitCode = failed === 0 && without.length === 0 ? 0 : 1;
