// Cuts the power of a file system: at random moments, or while a writer closes its store. Two
// processes write into a root on it, and often a third one syncs the file system as it likes.
// Mounts it again and checks what is there: in `full` all that was answered before the cut, in
// `relaxed` all that was synced and whole transactions without a gap, and all of earlier cycles.
// Usage, after `npm run build`, as root:
// node harness/power-cuts.mjs [cycles of each mode] [file systems and modes…]

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
import { countKinds, KINDS, markDurable } from './lib/check-load.mjs';
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
const MODES = ['full', 'relaxed'];
const unknown = given.filter((name) => !(name in MAKERS || MODES.includes(name)));
if (unknown.length > 0) throw new Error(`no such file systems or modes: ${unknown}`);
/** Those of a kind that are named, or all. */
const wanted = (all) => {
  const named = all.filter((name) => given.includes(name));
  return named.length > 0 ? named : all;
};
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

  /**
   * What cuts the power at once when it is called: from then on nothing reaches the image, and
   * what was not synced is lost. With `names`, what was done to folders and sizes is kept, and the
   * bytes of files are not. Answers the time right before.
   */
  async cutter(names) {
    const tool = spawn('xfs_io', ['-x', this.mount], { stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => tool.once('exit', resolve));
    await new Promise((resolve) => tool.once('spawn', resolve));
    return async () => {
      const cutAt = process.hrtime.bigint();
      tool.stdin.end(names ? 'shutdown -f\n' : 'shutdown\n');
      const status = await ended;
      if (status !== 0) throw new Error(`xfs_io ended with ${status}`);
      return cutAt;
    };
  }

  unmount() {
    for (let n = 0; n < 50; n += 1) {
      if (tried('umount', [this.mount])) return;
      spawnSync('sleep', ['0.05']);
    }
    run('umount', [this.mount]);
  }
}

/** Starts a child whose output goes to a file. */
function start(name, args, outputFile) {
  const output = openSync(outputFile, 'a');
  const started = spawn(process.execPath, [child(name), ...args], {
    stdio: ['ignore', output, 'inherit'],
  });
  closeSync(output);
  return { started, ended: new Promise((resolve) => started.once('exit', resolve)) };
}

const seedOfChild = () => String(Math.floor(random() * 2 ** 31));

/** How often another program synced the file system. */
const syncs = (file) => readFileSync(file, 'utf8').split('\n').length - 1;

async function cycle(image, root, mode, answersFile, syncsFile) {
  const known = readFileSync(answersFile, 'utf8');
  const writers = WRITERS.map((writer, n) => {
    // Among relaxed writers there is one that is not, now and then.
    const durability = n > 0 && random() < 0.25 ? 'full' : mode;
    return start('mixed-load.mjs', [root, writer, seedOfChild(), durability], answersFile);
  });
  const others =
    random() < 0.75 ? [start('syncing.mjs', [image.mount, seedOfChild()], syncsFile)] : [];
  const cut = await image.cutter(random() < 0.5);
  // They take a while to start; one in ten cuts comes before that.
  const starts = Date.now() + (random() < 0.1 ? random() * 300 : 60_000);
  const answered = () => readFileSync(answersFile, 'utf8').slice(known.length);
  const allEnded = () => writers.every(({ started }) => started.exitCode !== null);
  while (answered() === '' && !allEnded() && Date.now() < starts) await sleep(2);
  if (answered() !== '' && random() < 0.4) {
    const closes = () => answered().split('"op":"closing"').length;
    const before = closes();
    while (closes() === before && !allEnded()) await new Promise((next) => setImmediate(next));
    // A close takes some milliseconds.
    const until = process.hrtime.bigint() + BigInt(Math.floor(random() * 6e6));
    while (process.hrtime.bigint() < until);
  } else await sleep(random() * 400);
  const cutAt = await cut();
  for (const { started } of [...writers, ...others]) started.kill('SIGKILL');
  const statuses = await Promise.all(writers.map(({ ended }) => ended));
  for (const { ended } of others) await ended;
  image.unmount();
  image.mountIt();
  const lines = answered().split('\n').filter(Boolean);
  const answers = lines.map((line) => JSON.parse(line));
  const errors = answers.filter(({ op }) => op === 'error');
  const early = errors.filter(({ at }) => BigInt(at) <= cutAt);
  const problems = early.map(({ error }) => `failed before the cut: ${error}`);
  // Each was killed, or has said why it ended: the cut.
  const silent = statuses.filter((status) => status !== null).length - errors.length;
  if (silent > 0) problems.push(`${silent} writers ended and did not say why: ${statuses}`);
  const given = answers.filter(({ op }) => op !== 'error');
  const counted = markDurable(given.filter(({ at }) => BigInt(at) <= cutAt));
  // What was answered later, in the moment before the cut took effect, may be there or not, but
  // only behind all that is before it.
  const later = given.filter(({ at }) => BigInt(at) > cutAt);
  for (const answer of later) answer.durable = false;
  const inClose = WRITERS.some((writer) => {
    const own = counted.filter(({ tenantId }) => tenantId === `tnt_${writer}`);
    return own.at(-1)?.op === 'closing';
  });
  const earlier = known.split('\n').filter(Boolean);
  const all = [...earlier.map((line) => JSON.parse(line)), ...counted, ...later];
  const write = (kept) =>
    writeFileSync(answersFile, kept.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  write(all);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [child('check-load.mjs'), root, answersFile],
    { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 120_000 },
  );
  if (status !== 0) {
    return { problems: [...problems, `the check ended with ${status}: ${stderr}`], lost: 0 };
  }
  const checked = JSON.parse(stdout);
  problems.push(...checked.problems);
  if (problems.length === 0) {
    // The check closed the root: what it found is durable.
    const kept = all.filter((_, n) => !checked.lost.includes(n));
    write(kept.map((answer) => ({ ...answer, durable: true })));
  }
  return { problems, answers: counted, inClose, lost: checked.lost.length };
}

async function runOn(kind, mode, folder) {
  const title = `${kind}, ${mode}`;
  const image = new Image(kind, folder);
  const kinds = countKinds([]);
  const syncsFile = join(folder, `${kind}-${mode}-syncs`);
  writeFileSync(syncsFile, '');
  let [done, inClose, lost] = [0, 0, 0];
  try {
    let [root, answersFile] = ['', ''];
    for (; done < Number(cycles); done += 1) {
      if (done % CYCLES_OF_A_ROOT === 0) {
        if (root) rmSync(root, { recursive: true, force: true });
        root = join(image.mount, `root-${done}`);
        answersFile = join(folder, `${kind}-${mode}-answers-${done}`);
        writeFileSync(answersFile, '');
      }
      const result = await cycle(image, root, mode, answersFile, syncsFile);
      if (result.problems.length > 0) {
        complain(`${title}, cycle ${done}`, result.problems);
        if (process.env.NAMZU_KEEP) run('cp', [image.file, answersFile, process.env.NAMZU_KEEP]);
        return false;
      }
      countKinds(result.answers, kinds);
      inClose += Number(result.inClose);
      lost += result.lost;
    }
  } finally {
    image.unmount();
    rmSync(image.file);
    rmSync(image.mount, { recursive: true });
  }
  const answers = KINDS.reduce((sum, op) => sum + kinds[op], 0);
  console.log(
    `${title}: ${done} power cuts, ${inClose} of them while a store was closed, ` +
      `${syncs(syncsFile)} syncs by another program, ${answers} answers before the cuts ` +
      `(${JSON.stringify(kinds)}), ${lost} that were not durable were lost, all clean`,
  );
  if (done < CYCLES_WITH_ALL_KINDS) return answers > 0;
  const missed = KINDS.filter((op) => kinds[op] === 0);
  if (inClose === 0) missed.push('cut within a close');
  if (syncs(syncsFile) === 0) missed.push('sync by another program');
  // Where nothing was lost, nothing was shown of what is kept.
  if (mode === 'relaxed' && lost === 0) missed.push('lost answer');
  if (missed.length === 0) return true;
  console.error(`${title}: there was none of these: ${missed}`);
  return false;
}

const folder = mkdtempSync(join(tmpdir(), 'namzu-power-'));
let held = true;
let skipped = false;
try {
  for (const kind of wanted(Object.keys(MAKERS))) {
    const without = missing(MAKERS[kind][0]);
    if (without.length > 0) {
      console.log(`skipped: power cuts on ${kind}: it needs ${without}`);
      skipped = true;
      continue;
    }
    for (const mode of wanted(MODES)) held = (await runOn(kind, mode, folder)) && held;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const whenHeld = skipped ? SKIPPED : 0;
process.exitCode = held ? whenHeld : 1;
