// A thread of its own, and so a heap of its own, that takes the turns of one contender: a store's
// method. What one store leaves behind is then not collected in another's turns.
// Its data is a `Contestant` of `groups/own-heap.mjs`; each message is a number of calls, which is
// answered with the milliseconds that they took.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { findBaselines, MAP } from '../baselines/index.mjs';
import { storeMethods } from '../cases/store-methods.mjs';
import { OURS } from '../groups/group.mjs';
import { startRunner } from '../harness.mjs';

const { baseline, method, families, directory, from } = workerData;
const open = await opener();
const { prepare } = storeMethods.find(({ name }) => name === method);

// The young part of the heap is collected at the end of each turn, within the clock: otherwise one
// turn in a few would pay for the garbage of all. What preparing a turn leaves is collected before.
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const collect = () => gc({ type: 'minor' });
const runner = startRunner(await prepare(await open(directory, 1), families), collect);

parentPort.on('message', async (count) => {
  const calls = await runner.round(count);
  const start = performance.now();
  collect();
  parentPort.postMessage(calls + performance.now() - start);
});
parentPort.postMessage('ready');

async function opener() {
  if (baseline === undefined) return OURS.memory;
  if (baseline === MAP.name) return MAP.open;
  const { baselines } = await findBaselines(directory, from);
  return baselines.find(({ name }) => name === baseline).open;
}
