// Several processes archive, evict, restore, sweep, edit, append to, read and delete the same
// sessions, through our own store, backend and manager and through wrapped and hand-written ones,
// and are killed in the middle. Everything that they were answered is recorded; whenever all of
// them have ended, what is there is compared with it.
// Usage, after `npm run build`: node harness/archives.mjs [rounds] [milliseconds between two looks]

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DiskSessionStore } from 'namzu-native';
import { KINDS } from './lib/archive-backends.mjs';
import { History } from './lib/archive-history.mjs';
import { look } from './lib/archive-look.mjs';
import { makeWorld } from './lib/archive-world.mjs';
import { complain, prng, seedOfRun } from './lib/machine.mjs';

const [rounds = '20', milliseconds = '1500'] = process.argv.slice(2);
/** How often all processes end and everything is looked at, before the root is made anew. */
const LOOKS = 2;
const LONGEST_END = 60_000;
const CHILD = fileURLToPath(new URL('./children/archive-load.mjs', import.meta.url));

/** What is left out: `NAMZU_WITHOUT=evict,wrapped`; nothing when absent. */
const without = (process.env.NAMZU_WITHOUT ?? '').split(',');

const seed = seedOfRun();
const origin = process.hrtime.bigint();
const now = () => Number(process.hrtime.bigint() - origin);

/** A process that is at it. */
class Worker {
  constructor(config, history) {
    this.config = config;
    this.history = history;
    this.calls = new Map();
    const args = [CHILD, JSON.stringify({ ...config, origin: String(origin) })];
    this.child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.complaints = text(this.child.stderr);
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    this.ready = new Promise((resolve) => {
      createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line, resolve));
      this.ended.then(resolve);
    });
  }

  take(line, ready) {
    const record = JSON.parse(line);
    if (record.ready) return ready();
    if (record.call !== undefined) return this.calls.set(record.name, record);
    this.history.take({ ...this.calls.get(record.name), ...record });
    this.calls.delete(record.name);
  }

  kill() {
    this.killed = true;
    this.child.kill('SIGKILL');
  }

  /** Ends it, and takes note of the calls that were cut off. */
  async end() {
    this.child.stdin.on('error', () => {});
    this.child.stdin.end();
    const late = setTimeout(() => {
      this.history.problems.push(`${this.config.name} does not end: ${this.pending()}`);
      this.kill();
    }, LONGEST_END);
    const status = await this.ended;
    clearTimeout(late);
    const at = now();
    if (!this.killed && status !== 0) {
      const complaint = (await this.complaints).trim();
      this.history.problems.push(`${this.config.name} ended with ${status}: ${complaint}`);
    }
    for (const call of this.calls.values()) this.history.take({ ...call, answer: at });
  }

  pending() {
    return [...this.calls.values()].map((call) => JSON.stringify(call)).join(', ');
  }
}

const total = { answered: {}, refused: {}, cut: 0, looks: 0, back: 0, bundles: 0, deaths: 0 };

function add(counts, more) {
  for (const [key, number] of Object.entries(more)) counts[key] = (counts[key] ?? 0) + number;
}

async function round(n) {
  const random = prng(seed + n * 7_919);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const folder = mkdtempSync(join(tmpdir(), 'namzu-archives-'));
  const rootDir = join(folder, 'root');
  const first = new DiskSessionStore({ rootDir });
  const world = await makeWorld(first, without);
  await first.close();
  const history = new History(world);
  let started = 0;
  const start = (turn) => {
    started += 1;
    const kindOf = (ours, kinds) => {
      const [chance, kind] = [random(), pick(kinds)];
      return chance < ours || without.includes('wrapped') ? 'ours' : kind;
    };
    const kinds = {
      store: kindOf(0.5, KINDS.store),
      backend: kindOf(0.6, KINDS.backend),
      manager: kindOf(0.8, KINDS.manager),
    };
    const config = {
      name: String.fromCharCode(96 + started),
      kinds,
      rootDir,
      folder: join(folder, 'bundles'),
      durability: random() < 0.5 ? 'full' : 'relaxed',
      callers: 1 + Math.floor(random() * 3),
      seed: Math.floor(random() * 2 ** 31),
      world: { ...world, turn, without },
    };
    return new Worker(config, history);
  };

  let problems = [];
  for (let turn = 0; turn < LOOKS && problems.length === 0; turn += 1) {
    const workers = Array.from({ length: 2 + Math.floor(random() * 3) }, () => start(turn));
    const deaths = Array.from({ length: Math.floor(random() * 3) }, () => random()).sort();
    await Promise.all(workers.map(({ ready }) => ready));
    let passed = 0;
    for (const death of deaths) {
      await sleep((death - passed) * Number(milliseconds));
      passed = death;
      pick(workers.filter(({ killed }) => !killed)).kill();
      workers.push(start(turn));
    }
    await sleep((1 - passed) * Number(milliseconds));
    await Promise.all(workers.map((worker) => worker.end()));
    const seen = await look({ folder, rootDir, world, history, random, now });
    total.looks += 1;
    total.back += seen.back;
    total.bundles += seen.bundles;
    total.deaths += deaths.length;
    problems = history.judge();
  }
  add(total.answered, history.counts);
  add(total.refused, history.refused);
  total.cut += history.cut;
  if (problems.length > 0 && process.env.NAMZU_KEEP) {
    const calls = history.all.toSorted((a, b) => a.call - b.call);
    const lines = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
    writeFileSync(join(folder, 'calls.jsonl'), lines);
    console.error(`kept, with every call: ${folder}`);
  } else if (existsSync(folder)) rmSync(folder, { recursive: true });
  if (problems.length > 0) complain(`round ${n}`, problems);
  return problems.length === 0;
}

let failed = 0;
for (let n = 0; n < Number(rounds); n += 1) if (!(await round(n))) failed += 1;

console.log('answered:', total.answered);
console.log('refused:', total.refused);
const { looks, back, bundles, cut, deaths } = total;
console.log(
  `archives: ${rounds} rounds, ${looks} looks, ${back} sessions put back, ${bundles} bundles read,`,
  `${deaths} processes killed, ${cut} calls cut off, ${failed} rounds failed`,
);
if (without.some(Boolean)) console.log(`left out: ${without.join(', ')}`);
const idle = ['append', 'replace', 'load', 'stream', 'page', 'archive', 'restore', 'sweep', 'list'];
const unanswered = idle.filter((what) => !total.answered[what]);
if (unanswered.length > 0) complain('never answered', unanswered);
if (failed > 0 || unanswered.length > 0 || bundles === 0) process.exitCode = 1;
if (back === 0 && !without.includes('evict')) process.exitCode = 1;
