// Makes calls, each when it is told to, and prints what was answered: `{ open, name }` makes a store
// on a root, `{ call }` makes the call, `{ close }` closes the store.
// Argument: ids as JSON.

import { rmSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { DiskSessionStore } from 'namzu-native';
import { OPERATIONS, TENANT } from '../lib/operations.mjs';

const ids = JSON.parse(process.argv[2]);
let rootDir;
let operation;
let store;
let started = false;

/** What a process looks at once, it has looked at afterwards, and its threads are there. */
async function start(folder) {
  const first = new DiskSessionStore({ rootDir: folder });
  await first.createProject({ tenantId: TENANT, name: 'first' }, TENANT);
  await first.close();
  rmSync(folder, { recursive: true });
}

async function attempt(call) {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    const { name, message, details, cause } = error;
    return { ok: false, name, message, details, cause: cause?.code };
  }
}

async function answer(order) {
  if (order.open !== undefined) {
    rootDir = order.open;
    operation = OPERATIONS[order.name];
    if (!started) await start(`${rootDir}-first`);
    started = true;
    // Also when it waited for long.
    await new DiskSessionStore({ rootDir: `${rootDir}-none` }).getSession('ses_none', TENANT);
    store = new DiskSessionStore({ rootDir });
    await operation.warm?.(store, ids, rootDir);
    return 'ready';
  }
  if (order.call) return attempt(() => operation.run(store, ids, rootDir));
  return attempt(() => store.close());
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
