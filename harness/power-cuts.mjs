// Cuts a file system off at random moments while two processes write into a root on it, mounts it
// again, and checks that everything is there that was answered before the cut.
// Usage, after `npm run build`, as root: node harness/power-cuts.mjs [cycles] [file systems…]

import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countKinds, KINDS } from './lib/check-load.mjs';
import {
  complain,
  missing,
  prng,
  run,
  SKIPPED,
  seedOfRun,
  skip,
  tried,
  whyNoMounts,
} from './lib/machine.mjs';

const [cycles = '100', ...given] = process.argv.slice(2);
/** Of so many cycles, every kind of answer is expected. */
const CYCLES_WITH_ALL_KINDS = 20;
/** After so many cycles the root is made anew, as checking it takes longer and longer. */
const CYCLES_OF_A_ROOT = 20;
const WRITERS = ['ada', 'bob'];
const child = (name) => fileURLToPath(new URL(`./children/${name}`, import.meta.url));

const reason = whyNoMounts('losetup', 'xfs_io');
if (reason) skip('power cuts', reason);
const MAKERS = { ext4: ['mkfs.ext4', ['-q', '-F']], xfs: ['mkfs.xfs', ['-q', '-f']] };
const wanted = given.length > 0 ? given : Object.keys(MAKERS);
const unknown = wanted.filter((kind) => !(kind in MAKERS));
if (unknown.length > 0) throw new Error(`no such file systems: ${unknown}`);
if (!(Number(cycles) > 0)) throw new Error(`no number of cycles: ${cycles}`);
const seed = seedOfRun();
const random = prng(seed);

/** A mounted image of a file system, in a folder outside which the answers are kept. */
class Image {
  constructor(kind, folder) {
    this.file = join(folder, `${kind}.img`);
    this.mount = join(folder, kind);
    mkdirSync(this.mount);
    run('truncate', ['-s', '320M', this.file]);
    const [maker, options] = MAKERS[kind];
    run(maker, [...options, this.file]);
    this.mountIt();
  }

  mountIt() {
    for (let n = 0; n < 50; n += 1) {
      run('mount', ['-o', 'loop', this.file, this.mount]);
      // What was shut down may not be gone yet, and be what is mounted again.
      if (tried('ls', [this.mount])) return;
      this.unmount();
      spawnSync('sleep', ['0.1']);
    }
    throw new Error(`${this.mount} cannot be looked into`);
  }

  /** From now on nothing reaches the image, whatever was not synced is lost. */
  cut() {
    run('xfs_io', ['-x', '-c', 'shutdown', this.mount]);
  }

  unmount() {
    for (let n = 0; n < 50; n += 1) {
      if (tried('umount', [this.mount])) return;
      spawnSync('sleep', ['0.05']);
    }
    run('umount', [this.mount]);
  }
}

async function cycle(image, root, answersFile) {
  const output = openSync(answersFile, 'a');
  const writers = WRITERS.map((writer) =>
    spawn(
      process.execPath,
      [child('mixed-load.mjs'), root, writer, String(Math.floor(random() * 2 ** 31))],
      { stdio: ['ignore', output, 'inherit'] },
    ),
  );
  closeSync(output);
  const ended = writers.map((writer) => new Promise((resolve) => writer.once('exit', resolve)));
  const known = readFileSync(answersFile, 'utf8');
  // They take a while to start; one in ten cuts comes before that.
  const starts = Date.now() + (random() < 0.1 ? random() * 300 : 60_000);
  const answered = () => readFileSync(answersFile, 'utf8').length > known.length;
  const allEnded = () => writers.every(({ exitCode }) => exitCode !== null);
  while (!answered() && !allEnded() && Date.now() < starts) await sleep(2);
  await sleep(random() * 400);
  const cutAt = process.hrtime.bigint();
  image.cut();
  for (const writer of writers) writer.kill('SIGKILL');
  const statuses = await Promise.all(ended);
  image.unmount();
  image.mountIt();
  const lines = readFileSync(answersFile, 'utf8').split('\n').filter(Boolean);
  const answers = lines.map((line) => JSON.parse(line));
  const errors = answers.filter(({ op }) => op === 'error');
  const early = errors.filter(({ at }) => BigInt(at) <= cutAt);
  const problems = early.map(({ error }) => `failed before the cut: ${error}`);
  // Each was killed, or has said why it ended: the cut.
  const silent = statuses.filter((status) => status !== null).length - errors.length;
  if (silent > 0) problems.push(`${silent} writers ended and did not say why: ${statuses}`);
  const counted = answers.filter(
    // What was only begun counts as begun, whenever that was.
    ({ at, op }) => op !== 'error' && (op === 'deleting' || BigInt(at) <= cutAt),
  );
  writeFileSync(answersFile, counted.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [child('check-load.mjs'), root, answersFile],
    { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 120_000 },
  );
  if (status === 0) problems.push(...JSON.parse(stdout));
  else problems.push(`the check ended with ${status}: ${stderr}`);
  return { problems, answers: counted.slice(known.split('\n').length - 1) };
}

async function runOn(kind, folder) {
  const image = new Image(kind, folder);
  const kinds = countKinds([]);
  let done = 0;
  try {
    let [root, answersFile] = ['', ''];
    for (; done < Number(cycles); done += 1) {
      if (done % CYCLES_OF_A_ROOT === 0) {
        if (root) rmSync(root, { recursive: true, force: true });
        root = join(image.mount, `root-${done}`);
        answersFile = join(folder, `${kind}-answers-${done}`);
        writeFileSync(answersFile, '');
      }
      const { problems, answers } = await cycle(image, root, answersFile);
      countKinds(answers, kinds);
      if (problems.length > 0) {
        complain(`${kind}, cycle ${done}`, problems);
        if (process.env.NAMZU_KEEP) run('cp', [image.file, answersFile, process.env.NAMZU_KEEP]);
        return false;
      }
    }
  } finally {
    image.unmount();
    rmSync(image.file);
  }
  const answers = KINDS.reduce((sum, op) => sum + kinds[op], 0);
  const without = KINDS.filter((op) => kinds[op] === 0);
  console.log(
    `${kind}: ${done} power cuts, ${answers} answers before them (${JSON.stringify(kinds)}), ` +
      'none lost, all clean',
  );
  if (answers > 0 && (without.length === 0 || done < CYCLES_WITH_ALL_KINDS)) return true;
  console.error(`${kind}: no answer of these kinds came before a cut: ${without}`);
  return false;
}

const folder = mkdtempSync(join(tmpdir(), 'namzu-power-'));
let held = true;
let skipped = false;
try {
  for (const kind of wanted) {
    const without = missing(MAKERS[kind][0]);
    if (without.length > 0) {
      console.log(`skipped: power cuts on ${kind}: it needs ${without}`);
      skipped = true;
    } else held = (await runOn(kind, folder)) && held;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const whenHeld = skipped ? SKIPPED : 0;
process.exitCode = held ? whenHeld : 1;
