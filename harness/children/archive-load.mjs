// Archives, evicts, restores, edits and reads what other processes do as well, until its standard
// input ends; prints each call and each answer.
// Usage: archive-load.mjs <configuration as JSON>
import process from 'node:process';
import { say } from '../../__test__/children/say.mjs';
import { backendOf, managerOf, storeOf } from '../lib/archive-backends.mjs';
import { Caller } from '../lib/archive-calls.mjs';
import { PLACES } from '../lib/archive-world.mjs';
import { prng } from '../lib/machine.mjs';

const { name, kinds, rootDir, folder, durability, callers, origin, seed, world } = JSON.parse(
  process.argv[2],
);
const now = () => Number(process.hrtime.bigint() - BigInt(origin));
const report = (record) => say(`${JSON.stringify(record)}\n`);

const store = storeOf(kinds.store, { rootDir, durability });
const delays = prng(seed + 1);
const managers = Object.fromEntries(
  PLACES.map((place) => {
    const how = { kind: kinds.backend, rootDir, folder, durability, name, random: delays };
    return [place, managerOf(kinds.manager, store, backendOf(place, how))];
  }),
);

let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();

async function run(n) {
  const random = prng(seed + 1_000 * n);
  const caller = new Caller({
    name: `${name}${n}`,
    store,
    managers,
    world,
    random,
    now,
    report,
  });
  while (!ended) {
    await caller.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

report({ ready: name });
await Promise.all(Array.from({ length: callers }, (_, n) => run(n)));
await store.close();
