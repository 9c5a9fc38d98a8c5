// Lets each system call of each operation fail for real, by strace, and checks that what was
// answered is true: done, not done, or unknown; and that the root works when the fault is gone.
// Usage, after `npm run build`: node harness/failing-calls.mjs [all | sample | operation…]

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DiskSessionStore, recoverHandoffs, verify } from 'namzu-native';
import { canTrace, skip } from './lib/machine.mjs';
import { handoffDeps, OPERATIONS, prepare, TENANT } from './lib/operations.mjs';

const given = process.argv.slice(2);
const all = given[0] === 'all';
const sample = given[0] === 'sample';
if (process.platform !== 'linux') skip('failing calls', 'it needs Linux');
if (!canTrace()) skip('failing calls', 'it needs strace, and to be allowed to trace');
const CHILD = fileURLToPath(new URL('./children/one-operation.mjs', import.meta.url));
const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EROFS', 'EINTR'];
const CALLS =
  'openat,openat2,open,statx,newfstatat,fstat,getdents64,pread64,read,pwrite64,write,ftruncate,' +
  'fdatasync,fsync,syncfs,flock,rename,renameat,renameat2,unlinkat,unlink,mkdir,mkdirat,rmdir,' +
  'linkat,link,fchmod,fchmodat,utimensat,copy_file_range';
const folder = mkdtempSync(join(tmpdir(), 'namzu-calls-'));
const model = join(folder, 'model');
const ids = JSON.parse(JSON.stringify(await prepare(model)));
let made = 0;

/** The thread that carries out what a process is asked for. */
async function workerOf(pid) {
  for (let n = 0; n < 500; n += 1) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      if (readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').startsWith('tokio'))
        return thread;
    }
    await sleep(10);
  }
  throw new Error('no worker');
}

/**
 * Makes an operation twice on a copy of the root, under strace; answers what it was answered, and
 * the calls of the first time.
 */
async function traced(name, injection) {
  made += 1;
  const root = join(folder, `root-${made}`);
  const trace = join(folder, `trace-${made}`);
  cpSync(model, root, { recursive: true });
  if (name !== 'migrate') rmSync(join(root, 'threads'), { recursive: true });
  // One worker, so that it is known which thread makes which call.
  const env = { ...process.env, TOKIO_WORKER_THREADS: '1' };
  const program = spawn(process.execPath, [CHILD, root, name, JSON.stringify(ids)], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => program.once('close', resolve));
  const limit = setTimeout(() => program.kill('SIGKILL'), 60_000);
  program.stdin.on('error', () => undefined); // it ended: its answer is missing
  let troubles = '';
  program.stderr.on('data', (data) => {
    troubles += data;
  });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await lines.next()).value ?? 'null');
  try {
    await answer();
    const options = ['-y', '-o', trace, '-e', `trace=${CALLS}`];
    if (injection) options.push('-e', injection);
    const tracer = spawn('strace', [...options, '-p', await workerOf(program.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const gone = new Promise((resolve) => tracer.once('close', resolve));
    await new Promise((resolve) => tracer.stderr.once('data', resolve));
    program.stdin.write('go\n');
    const first = await answer();
    const calls = readFileSync(trace, 'utf8').split('\n');
    const hitFirst = calls.some((line) => line.includes('(INJECTED)'));
    program.stdin.write('go\n');
    const second = await answer();
    await ended;
    await gone;
    const injected = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.includes('(INJECTED)') && line.includes(root));
    return { root, calls, injected, hitFirst, first, second };
  } catch (error) {
    program.kill('SIGKILL');
    throw new Error(`${error.message} ${troubles}`);
  } finally {
    clearTimeout(limit);
    rmSync(trace, { force: true });
  }
}

/** The calls that an operation makes: which, and the number each has in its thread. */
async function callsOf(name) {
  const { root, calls: lines } = await traced(name);
  const counts = new Map();
  const calls = [];
  for (const line of lines) {
    const [, call] = /^(\w+)\(/.exec(line) ?? [];
    if (call === undefined) continue;
    counts.set(call, (counts.get(call) ?? 0) + 1);
    if (!line.includes(root)) continue;
    const path = line
      .split(root)[1]
      .split(/[">]/)[0]
      .replace(/_[0-9a-z]{12}/g, '_…');
    calls.push({ call, number: counts.get(call), what: `${call} ${path}` });
  }
  rmSync(root, { recursive: true, force: true });
  return calls;
}

const counts = { runs: 0, hit: 0, missed: 0, refused: 0, borne: 0 };
const kinds = new Set();
let failed = 0;

async function inject(name, { call, number, what }, error, forever) {
  // The runtime itself wakes its threads by writing: for ever would be for it as well.
  if (forever && call === 'write') return;
  const when = forever ? `${number}+` : `${number}`;
  counts.runs += 1;
  const problems = [];
  try {
    const run = await traced(name, `inject=${call}:error=${error}:when=${when}`);
    counts[run.injected.length > 0 ? 'hit' : 'missed'] += 1;
    counts[run.first.ok ? 'borne' : 'refused'] += 1;
    kinds.add(what);
    problems.push(
      ...(await judge(name, run.root, [run.first, run.second], {
        call,
        // The number of a call may have moved, into the second time.
        lasts: forever || !run.hitFirst,
      })),
    );
    rmSync(run.root, { recursive: true, force: true });
  } catch (error) {
    // The runtime writes to wake its threads, and does without nobody: such a run says nothing.
    if (call === 'write') counts.missed += 1;
    else problems.push(`no answer: ${error.message}`);
  }
  if (problems.length === 0) return;
  failed += 1;
  console.error(
    `${name}, ${what} (${number}) fails with ${error} ${forever ? 'for ever' : 'once'}:`,
  );
  for (const problem of problems.slice(0, 4)) console.error(`  ${problem.slice(0, 500)}`);
}

const TYPED = ['StoreIoError', 'FilesystemMigrationError', 'ArchiveNotFoundError'];
/** What the second call is answered when the first took effect. */
const TAKEN = [
  'HandoffVersionConflict',
  'HandoffLockRejected',
  'SubSessionNotArchivableError',
  'SubSessionNotArchivedError',
  'StoreClosedError',
  'SessionEvictedError',
];

/** Whether the answers are true of what a process finds that meets no fault. */
async function judge(name, root, answers, { call, lasts }) {
  const { seen, most = Number.POSITIVE_INFINITY, reads, steps } = OPERATIONS[name];
  const problems = [];
  let [least, greatest] = [0, 0];
  for (const [n, answer] of answers.entries()) {
    const { ok, details, message } = answer;
    if (ok) {
      least += 1;
      greatest += 1;
      continue;
    }
    const typed = TYPED.includes(answer.name) || (n === 1 && TAKEN.includes(answer.name));
    const gone = n === 1 && /not found|attached/.test(message);
    if (!typed && !gone) problems.push(`answered ${JSON.stringify(answer)}`);
    if (n === 1 && !lasts && answer.name === 'StoreIoError' && details.outcome === 'not_done') {
      problems.push(`refused again without a fault: ${message}`);
    }
    if (details?.outcome === 'done') [least, greatest] = [least + 1, greatest + 1];
    // Of several steps, the one that failed is told, not those before it.
    if (details?.outcome === 'unknown' || steps) greatest += 1;
    if (n === 1 && TAKEN.includes(answer.name)) greatest = Math.max(greatest, 1);
  }
  const store = new DiskSessionStore({ rootDir: root });
  try {
    await recoverHandoffs(handoffDeps(store), TENANT);
    if (!reads) {
      const found = await seen(store, ids);
      const [low, high] = [Math.min(least, most), Math.min(greatest, most)];
      if (steps ? found < Math.min(low, Number(answers[0].ok === true)) : found < low) {
        problems.push(`done ${low} times at least, seen ${found}: ${JSON.stringify(answers)}`);
      }
      if (found > high) {
        problems.push(`done ${high} times at most, seen ${found}: ${JSON.stringify(answers)}`);
      }
    }
    const session = await store.createSession(
      { projectId: ids.project.id, currentActor: null },
      TENANT,
    );
    await store.appendMessage(session.id, { role: 'user', content: 'after' }, TENANT);
    if ((await store.countMessages(session.id, TENANT)) !== 1) problems.push('it does not work');
    const { status } = (await store.getSession(ids.loose.id, TENANT)) ?? {};
    if (status === 'locked') problems.push('a session stays locked');
    await store.close();
    for (const { kind, path, detail } of await verify(root)) {
      if (kind === 'leftover' && path.startsWith('archive/')) continue;
      // What may not be unlinked stays, and is said to be there.
      if (kind === 'leftover' && call === 'unlinkat') continue;
      problems.push(`verify: ${kind} ${path}: ${detail}`);
    }
  } catch (error) {
    problems.push(`afterwards: ${error.stack} ${JSON.stringify(error.details)}`);
  }
  return problems;
}

const isSampled = (_, n) => n % 5 === 0;

/** The runs of an operation: every error of every call, or each call with one of them in turn. */
function runsOf(calls) {
  const distinct = [...new Map(calls.map((call) => [call.what, call])).values()];
  if (all) {
    return calls.flatMap((call) =>
      ERRORS.flatMap((error) => [
        [call, error, false],
        // What is interrupted is tried again, and no system interrupts for ever.
        ...(error === 'EINTR' ? [] : [[call, error, true]]),
      ]),
    );
  }
  if (sample) return distinct.map((call, n) => [call, ERRORS[n % 6], false]).filter(isSampled);
  return distinct.flatMap((call, n) => [
    [call, ERRORS[n % 6], false],
    [call, ERRORS[n % 5], true],
  ]);
}

const SAMPLED = ['createSession', 'appendMessage', 'deleteSession', 'evict', 'handoff'];
const named = sample ? SAMPLED : given.filter((name) => name in OPERATIONS);
try {
  for (const name of named.length > 0 ? named : Object.keys(OPERATIONS)) {
    const waiting = runsOf(await callsOf(name));
    if (process.env.NAMZU_SAY) console.log(`${name}: ${waiting.length} runs`);
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await inject(name, ...next);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, lane));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `failing calls: ${JSON.stringify(counts)}, ${kinds.size} kinds of calls, ${failed} failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
