// Lets each system call of each operation fail for real, by strace, and checks that what was
// answered is true: done, not done, or unknown; and that the root works when the fault is gone.
// Usage, after `npm run build`: node harness/failing-calls.mjs [all | sample] [operation…]

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DiskSessionStore, recoverHandoffs, verify } from 'namzu-native';
import { canTrace, complain, prng, seedOfRun, skip } from './lib/machine.mjs';
import { handoffDeps, OPERATIONS, prepare, TENANT } from './lib/operations.mjs';
import { TracedProcess } from './lib/traced.mjs';

const given = process.argv.slice(2);
const all = given[0] === 'all';
const sample = given[0] === 'sample';
if (process.platform !== 'linux') skip('failing calls', 'it needs Linux');
if (!canTrace()) skip('failing calls', 'it needs strace, and to be allowed to trace');
const random = prng(seedOfRun());
process.removeAllListeners('warning'); // of roots that are not migrated, on purpose
const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EROFS', 'EINTR'];
/** What is interrupted is tried again, and no system interrupts for ever. */
const LASTING = ERRORS.filter((error) => error !== 'EINTR');
/** A call that strace refuses is not made: a descriptor would stay open. */
const NOT_INJECTED = ['close'];
/** With these the runtime wakes its threads, too: for ever would be for it as well. */
const OF_THE_RUNTIME = ['write', 'read'];
/** So many runs may miss what they were to hit, as the number of a call has moved. */
const MISSED_AT_MOST = 0.2;

const folder = mkdtempSync(join(tmpdir(), 'namzu-calls-'));
const models = join(folder, 'models');
const ids = await prepare(models);
let made = 0;

/** Makes an operation, and makes it again when the fault is gone. */
class Run {
  problems = [];
  /** How often it took effect, at least and at most. */
  #least = 0;
  #greatest = 0;
  /** How many of these may not show while the process lives that was answered `done`. */
  #hidden = 0;
  #answers = [];

  constructor(name) {
    made += 1;
    this.name = name;
    this.operation = OPERATIONS[name];
    this.folder = join(folder, `run-${made}`);
    this.root = join(this.folder, 'root');
    this.most = this.operation.most ?? Number.POSITIVE_INFINITY;
    mkdirSync(this.folder);
    const model = join(models, this.operation.from ?? 'plain');
    if (this.operation.from !== 'nothing') cpSync(model, this.root, { recursive: true });
  }

  /** What an answer says of how often it took effect. */
  #count(answer) {
    const { ok, details } = answer;
    this.#answers.push(answer);
    const outcome = ok ? 'done' : details?.outcome;
    if (outcome === 'done') this.#least = Math.min(this.most, this.#least + 1);
    // Of several steps, the one that failed is told, not those before it.
    const maybe = ['done', 'unknown'].includes(outcome) || this.operation.steps;
    if (maybe) this.#greatest = Math.min(this.most, this.#greatest + 1);
    if (!ok && outcome === 'done') this.#hidden += 1;
  }

  /** An answer while something fails: a value is right, an error is typed and names the fault. */
  answered(answer, error, right) {
    this.#count(answer);
    const { ok, name, details } = answer;
    const { reads, steps, allowed } = this.operation;
    if (ok) {
      if (!reads || same(answer.value, right.value) || allowed?.(answer.value)) return;
      this.problems.push(`answered ${text(answer.value)}, not ${text(right.value)}`);
    } else if (name === 'StoreIoError') {
      if (details.code !== error) this.problems.push(`the code is not ${error}: ${text(answer)}`);
      if (reads && details.outcome !== 'not_done') {
        this.problems.push(`reads, and answered ${details.outcome}: ${text(answer)}`);
      }
    } else if (!steps || name !== 'FilesystemMigrationError') {
      this.problems.push(`answered ${text(answer)}`);
    }
  }

  /** An answer when nothing fails any more: as it is without a fault. */
  answeredFreely(answer, right) {
    const { again, reads } = this.operation;
    const refused = !answer.ok && again?.test(`${answer.name}: ${answer.message}`);
    const certain = again && this.#least === this.most;
    if (answer.ok ? certain : !(refused && this.#greatest > 0)) {
      this.problems.push(`answered, without a fault, ${text(answer)}`);
    }
    if (reads && answer.ok && !same(answer.value, right.value)) {
      this.problems.push(`answered, without a fault, ${text(answer.value)}`);
    }
    // What was refused as it was done has been done.
    if (!refused) this.#count(answer);
    else if (this.#greatest > 0) this.#least = this.most;
  }

  /** Whether a store shows what was answered. */
  async #judge(store, root, where, hidden = 0) {
    const { reads, seen, holds } = this.operation;
    if (holds && !(await holds(store, ids))) this.problems.push(`${where}: it is not there`);
    if (reads) return;
    const found = await seen(store, ids, root);
    const [low, high] = [this.#least - hidden, this.#greatest];
    if (found < low || found > high || !Number.isInteger(found)) {
      const answers = this.#answers.map(text).join(', then ');
      this.problems.push(`${where}: done ${low} to ${high} times, seen ${found}: ${answers}`);
    }
  }

  /** What another process finds that meets no fault, while this one lives. */
  async look() {
    this.watcher ??= new DiskSessionStore({ rootDir: this.root });
    await this.#judge(this.watcher, this.root, 'seen by another process', this.#hidden);
  }

  /** What would be found if the process had died now. */
  async lookAtCopy(process) {
    const root = join(this.folder, 'copy');
    // After an idle second it would change the root while it is copied.
    process.standingStill(() => {
      if (existsSync(this.root)) cpSync(this.root, root, { recursive: true });
    });
    const store = new DiskSessionStore({ rootDir: root });
    await this.#judge(store, root, 'seen if it had died');
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }

  /** The root works, is clean, and shows what was answered. */
  async after(call) {
    const { problems } = this;
    const store = this.watcher ?? new DiskSessionStore({ rootDir: this.root });
    await recoverHandoffs(handoffDeps(store), TENANT);
    await this.#judge(store, this.root, 'afterwards');
    const id =
      this.operation.from === 'nothing'
        ? (await store.createProject({ tenantId: TENANT, name: 'after' }, TENANT)).id
        : ids.project.id;
    const session = await store.createSession({ projectId: id, currentActor: null }, TENANT);
    await store.appendMessage(session.id, { role: 'user', content: 'after' }, TENANT);
    if ((await store.countMessages(session.id, TENANT)) !== 1) problems.push('it does not work');
    for (const { id: projectId } of (await store.listProjects(TENANT)).items) {
      for (const { id, status } of (await store.listSessionsByProject(projectId, TENANT)).items) {
        if (status === 'locked') problems.push(`${id} stays locked`);
      }
    }
    await store.close();
    for (const { kind, path, detail } of await verify(this.root)) {
      if (kind === 'leftover' && path.startsWith('archive/')) continue;
      if (kind === this.operation.leaves) continue;
      // What may not be unlinked stays, and is said to be there.
      if (kind === 'leftover' && ['unlinkat', 'unlink', 'rmdir'].includes(call)) continue;
      problems.push(`verify: ${kind} ${path}: ${detail}`);
    }
  }

  end() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const text = (value) => JSON.stringify(value)?.slice(0, 2_000);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** The calls that lines of a trace tell of, each with its number and what it is made on. */
function callsIn(lines, root) {
  const numbers = new Map();
  const calls = [];
  for (const line of lines) {
    const [, call] = /^(\w+)\(/.exec(line) ?? [];
    if (call === undefined) continue;
    numbers.set(call, (numbers.get(call) ?? 0) + 1);
    if (!line.includes(root) || NOT_INJECTED.includes(call)) continue;
    const onPaths = /at2?$|^statx$/.test(call);
    const on = line
      .split(root)
      .slice(1)
      .map((rest) => (onPaths && /^[^">]*>, "[^"]+/.exec(rest)) || /^[^">]*/.exec(rest))
      .map(([path]) => path.replace('>, "', '/').replace(/[_.][0-9a-z]{12}(?=\W|$)/g, '_…'));
    calls.push({ call, number: numbers.get(call), what: `${call} ${[...new Set(on)].join(' ')}` });
  }
  return calls;
}

/** A process for runs, as starting one takes the longest. */
class Lane {
  async open(root, name) {
    this.process ??= new TracedProcess(ids);
    await this.process.ask({ open: root, name });
  }

  end() {
    this.process?.end();
    this.process = undefined;
  }
}

/** What an operation answers where nothing fails, and the calls that it makes. */
async function withoutFault(name, lane, tries = 10) {
  const run = new Run(name);
  lane.end(); // In a new process it is known which thread is the worker.
  await lane.open(run.root, name);
  const threads = Object.entries(lane.process.threads());
  const stop = await lane.process.traceAll(run.folder);
  const first = await lane.process.ask({ call: true });
  const traces = await stop();
  const second = await lane.process.ask({ call: true });
  await lane.process.ask({ close: true });
  const open = lane.process.openBelow(run.root);
  if (!first.ok) run.problems.push(`answered ${text(first)}`);
  run.answered(first, undefined, first);
  run.answeredFreely(second, first);
  await run.after();
  run.end();
  const roles = new Map(threads.flatMap(([role, ofRole]) => ofRole.map((one) => [one, role])));
  const calls = [...traces].flatMap(([thread, lines]) =>
    callsIn(lines, run.root).map((call) => ({ ...call, role: roles.get(thread) ?? 'new' })),
  );
  // A thread that has just done something may not yet be free for the next thing.
  if (tries > 1 && calls.some(({ role }) => role === 'new')) {
    return withoutFault(name, lane, tries - 1);
  }
  return { right: { ...first, open }, calls, problems: run.problems };
}

const totals = { runs: 0, hit: 0, missed: 0, refused: 0, borne: 0 };
const kinds = new Set();
let failed = 0;

function report(title, problems) {
  if (problems.length === 0) return;
  failed += 1;
  complain(title, problems);
}

async function inject(lane, run, { call, number, role }, error, forever, right) {
  const { problems } = run;
  await lane.open(run.root, run.name);
  const fault = `error=${error}:when=${number}${forever ? '+' : ''}`;
  const stop = await lane.process.inject(run.folder, role, call, fault);
  const first = await lane.process.ask({ call: true }).catch(async (ended) => {
    // The number of the call has moved, and the one that failed was what wakes the event loop:
    // Node.js ends the process then.
    const lines = [...(await stop()).values()].flat();
    if (!lines.some((line) => line.includes('(INJECTED)') && line.includes('eventfd'))) throw ended;
    return undefined;
  });
  if (first === undefined) return { hit: false, refused: false };
  run.answered(first, error, right);
  // One as often as the other, and the same for the same call and error.
  const isCopy = (number + ERRORS.indexOf(error)) % 2 === 0;
  const look = () => (isCopy ? run.lookAtCopy(lane.process) : run.look());
  await look();
  if (forever) {
    const { again } = run.operation;
    const second = await lane.process.ask({ call: true });
    const refused = !second.ok && again?.test(`${second.name}: ${second.message}`);
    if (refused) run.answeredFreely(second, right);
    else run.answered(second, error, right);
    await look();
  }
  const lines = [...(await stop()).values()].flat();
  const hit = lines.some((line) => line.includes('(INJECTED)') && line.includes(run.root));
  run.answeredFreely(await lane.process.ask({ call: true }), right);
  const closed = await lane.process.ask({ close: true });
  if (!closed.ok) problems.push(`closing answered ${text(closed)}`);
  const open = lane.process.openBelow(run.root);
  if (open > right.open) problems.push(`${open} descriptors stay open, not ${right.open}`);
  await run.after(call);
  return { hit, refused: !first.ok };
}

const OTHER = { worker: 'blocking', blocking: 'worker', new: 'worker' };

/** Lets one call fail once or for ever; answers whether it was hit. */
async function faulted(name, lane, call, error, forever, right, tries = 4) {
  const run = new Run(name);
  const title = `${name}, ${call.what} (${call.number}, ${call.role}) fails with ${error} ${
    forever ? 'for ever' : 'once'
  }`;
  let found = { hit: false, refused: false };
  try {
    found = await inject(lane, run, call, error, forever, right);
    kinds.add(call.what);
  } catch (thrown) {
    run.problems.push(`${thrown.stack} ${text(thrown.details)}`);
    lane.end();
  }
  run.end();
  report(title, run.problems);
  if (found.hit || run.problems.length > 0) return found;
  // Threads have changed places, this time, or when the calls were looked for.
  lane.end();
  // On the other thread it might be the runtime's, which ends the process when it fails.
  const role = OF_THE_RUNTIME.includes(call.call) ? call.role : (OTHER[call.role] ?? call.role);
  if (tries > 1) return faulted(name, lane, { ...call, role }, error, forever, right, tries - 1);
  if (process.env.NAMZU_SAY) console.log(`missed: ${title}`);
  return found;
}

/** The kinds of calls that met every error in some operation. */
const covered = new Set();
/** What a sample is made of: so many operations, and this part of the kinds of calls of each. */
const OPERATIONS_SAMPLED = 20;
const SAMPLED = Number(process.env.NAMZU_SAMPLED ?? 0.25);
/** What the calls that are to fail are called, in part; every one when absent. */
const ONLY = process.env.NAMZU_ONLY ?? '';
const pick = (list) => list[Math.floor(random() * list.length)];

/**
 * The runs of an operation. Of each kind of call one is chosen at random. What no operation made
 * before fails with every error once, and with one of them for ever; what another did, as opening
 * a store, with one of them once and one for ever. Or every call fails with every error both ways;
 * or some do.
 */
function runsOf(calls) {
  const once = (call, errors) => errors.map((error) => [call, error, false]);
  const lasting = (call, errors) =>
    OF_THE_RUNTIME.includes(call.call) ? [] : errors.map((error) => [call, error, true]);
  if (all) return calls.flatMap((call) => [...once(call, ERRORS), ...lasting(call, LASTING)]);
  const chosen = [...new Set(calls.map(({ what }) => what))].map((what) =>
    pick(calls.filter((call) => call.what === what)),
  );
  if (sample) {
    return chosen
      .filter(() => random() < SAMPLED)
      .map((call) => pick([...once(call, ERRORS), ...lasting(call, LASTING)]));
  }
  return chosen.flatMap((call) => {
    const errors = covered.has(call.what) ? [pick(ERRORS)] : ERRORS;
    covered.add(call.what);
    return [...once(call, errors), ...lasting(call, [pick(LASTING)])];
  });
}

/** In another order each time, so that each operation is at times the first to make a call. */
function shuffled(list) {
  const waiting = [...list];
  return list.map(() => waiting.splice(Math.floor(random() * waiting.length), 1)[0]);
}

/** A root as a writer leaves it that died when it had committed a change, and not yet made it. */
async function prepareDead(lane) {
  const name = 'updateSession';
  const { calls, problems } = await withoutFault(name, lane);
  if (problems.length > 0) throw new Error(`${name}, without a fault: ${problems}`);
  // What comes after the last sync changes the record.
  const committed = calls.findLastIndex(({ call }) => call === 'fdatasync');
  for (const { call, number, role } of calls.slice(committed + 1)) {
    const run = new Run(name);
    await lane.open(run.root, name);
    const fault = `error=EIO:when=${number}+`;
    const stop = await lane.process.inject(run.folder, role, call, fault);
    const { details } = await lane.process.ask({ call: true });
    lane.end();
    await stop();
    if (details?.outcome === 'done') cpSync(run.root, join(models, 'dead'), { recursive: true });
    run.end();
    if (details?.outcome === 'done') return;
  }
  throw new Error('no call could be found that leaves a change committed and not made');
}

async function operation(name, lanes) {
  const started = Date.now();
  const { right, calls, problems } = await withoutFault(name, lanes[0]);
  if (calls.length === 0) problems.push('it makes no calls');
  report(`${name}, without a fault`, problems);
  const waiting = runsOf(calls.filter(({ what }) => what.includes(ONLY)));
  const counts = { runs: waiting.length, hit: 0, missed: 0, refused: 0, borne: 0 };
  const work = async (lane) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { hit, refused } = await faulted(name, lane, ...next, right);
      counts[hit ? 'hit' : 'missed'] += 1;
      counts[refused ? 'refused' : 'borne'] += 1;
    }
  };
  await Promise.all(lanes.map(work));
  for (const key of Object.keys(totals)) totals[key] += counts[key];
  const { runs, hit, missed, refused, borne } = counts;
  const of = new Set(calls.map(({ what }) => what)).size;
  const by = [...new Set(calls.map(({ role }) => role))].join(', ');
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  console.log(
    `${name.padEnd(22)} ${runs} runs of ${of} kinds of calls (${by}): ${hit} hit, ${missed} missed, ` +
      `${refused} refused, ${borne} borne, ${seconds} s`,
  );
  // Of an operation, a sample makes too few runs to tell.
  if (!sample && runs > 0) reportMissed(name, counts);
}

function reportMissed(title, { runs, hit, missed }) {
  if (hit === 0) report(title, ['nothing was hit']);
  if (missed > runs * MISSED_AT_MOST) report(title, [`${missed} of ${runs} runs missed`]);
}

const unknown = given.slice(all || sample ? 1 : 0).filter((name) => !(name in OPERATIONS));
if (unknown.length > 0) throw new Error(`no such operations: ${unknown}`);
const named = given.filter((name) => name in OPERATIONS);
const lanes = Array.from({ length: availableParallelism() }, () => new Lane());
try {
  await prepareDead(lanes[0]);
  const names = shuffled(named.length > 0 ? named : Object.keys(OPERATIONS));
  for (const name of sample && named.length === 0 ? names.slice(0, OPERATIONS_SAMPLED) : names) {
    await operation(name, lanes);
  }
} finally {
  for (const lane of lanes) lane.end();
  rmSync(folder, { recursive: true, force: true });
}
reportMissed('failing calls', totals);
console.log(
  `failing calls: ${JSON.stringify(totals)}, ${kinds.size} kinds of calls, ${failed} failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
