// Makes changes through a store, and is killed behind the last one.
// Usage: take-a-turn.mjs <root> <changes, as JSON> <tenant>
import process from 'node:process';
import { DiskSessionStore } from 'namzu-native';

const [, , rootDir, changes, tenant] = process.argv;
const store = new DiskSessionStore({ rootDir });
const dated = (value) =>
  value.spawnedAt === undefined
    ? value
    : { ...value, spawnedAt: new Date(0), updatedAt: new Date(0) };
for (const [method, ...args] of JSON.parse(changes)) {
  await store[method](...args.map(dated), tenant);
}
process.kill(process.pid, 'SIGKILL');
