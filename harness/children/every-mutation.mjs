// Makes every operation that changes a root, each on a root of its own, and prints as a JSON array
// what was wrong: what rejected, did not take effect, left a file behind, or is found by `verify`.
// Arguments: folder for the roots, durability.

import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DiskSessionStore, verify } from 'namzu-native';
import { OPERATIONS, prepare } from '../lib/operations.mjs';

const [folder, durability] = process.argv.slice(2);
process.removeAllListeners('warning'); // of roots that are not migrated, on purpose
const models = join(folder, 'models');
const problems = [];
const ids = await prepare(models);
const changes = Object.entries(OPERATIONS).filter(([, o]) => !o.reads && o.from !== 'dead');

/** How often an operation took effect; never, where what it makes is not there to be asked about. */
async function seen(operation, store, root) {
  try {
    return await operation.seen(store, ids, root);
  } catch {
    return 0;
  }
}

for (const [name, operation] of changes) {
  const root = join(folder, name);
  const { from = 'plain' } = operation;
  if (from !== 'nothing') cpSync(join(models, from), root, { recursive: true });
  const store = new DiskSessionStore({ rootDir: root, durability });
  try {
    await operation.warm?.(store, ids, root);
    const before = await seen(operation, store, root);
    await operation.run(store, ids, root);
    const after = await operation.seen(store, ids, root);
    if (after - before !== 1) problems.push(`${name}: seen ${before} times, then ${after}`);
    await store.close();
    const left = readdirSync(root, { recursive: true }).filter((path) => path.endsWith('.tmp'));
    if (left.length > 0) problems.push(`${name}: left ${left}`);
    const found = (await verify(root)).filter(({ kind }) => kind !== operation.leaves);
    if (found.length > 0) problems.push(`${name}: ${JSON.stringify(found)}`);
  } catch (error) {
    problems.push(`${name}: ${error.name} ${error.message} ${JSON.stringify(error.details)}`);
  }
}
process.stdout.write(JSON.stringify({ changes: changes.length, problems }));
