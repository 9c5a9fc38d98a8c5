// Makes random calls on one session's owner version and records each: in a process of its own, or
// in worker threads of one.
// Usage: recorded-calls.mjs <root> <session> <calls> <callers> <threads> <durability> <origin> <seed>
// `callers` are at it at once in each of `threads`, times are nanoseconds since `origin`. Prints
// a line for each call and another for its answer.
import process from 'node:process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { DiskSessionStore, StaleSessionError } from 'namzu-native';
import { say } from '../../children/say.mjs';

const [, , rootDir, sessionId, calls, callers, threads, durability, origin, seed] = process.argv;
const tenant = 'tnt_alpha';
const now = () => Number(process.hrtime.bigint() - BigInt(origin));

let state = Number(seed);
function below(limit) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >>> 8) % limit;
}

async function carryOut(store, session, step) {
  if (step.do === 'read') {
    return { ...step, seen: (await store.getSession(sessionId, tenant)).ownerVersion };
  }
  const changed = { ...session, ownerVersion: step.value };
  if (step.do === 'write') {
    await store.updateSession(changed, tenant);
    return step;
  }
  try {
    await store.updateSession(changed, tenant, step.expected);
    return step;
  } catch (error) {
    if (!(error instanceof StaleSessionError)) throw error;
    return { ...step, seen: error.details.actualVersion };
  }
}

async function caller(store, name, report) {
  const session = await store.getSession(sessionId, tenant);
  for (let n = 0; n < Number(calls); n += 1) {
    // Few values, so that many expectations come true and values come back.
    const value = below(4);
    const kind = below(10);
    let step = { do: 'compare and set', expected: below(4), value, seen: null };
    if (kind < 3) step = { do: 'read', seen: -1 };
    if (kind === 3) step = { do: 'write', value };
    const call = `${name}.${n}`;
    report({ call, step, called: now() });
    const answer = await carryOut(store, session, step);
    report({ call, step: answer, answered: now() });
  }
}

async function callersOf(name, report) {
  const store = new DiskSessionStore({ rootDir, durability });
  await Promise.all(
    Array.from({ length: Number(callers) }, (_, i) => caller(store, `${name}.${i}`, report)),
  );
}

const print = (record) => say(`${JSON.stringify(record)}\n`);
if (!isMainThread) {
  await callersOf(`${process.pid}.${seed}`, (record) => parentPort.postMessage(record));
} else if (threads === '0') {
  await callersOf(process.pid, print);
} else {
  for (let thread = 0; thread < Number(threads); thread += 1) {
    const argv = [...process.argv.slice(2, -1), String(Number(seed) + thread)];
    new Worker(new URL(import.meta.url), { argv }).on('message', print);
  }
}
