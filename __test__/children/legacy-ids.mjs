// Counts warnings of one id through import, require, and a worker thread.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { acceptLegacyThreadId } from 'namzu-native';
import { __resetSeenLegacyForTests } from 'namzu-native/testing';

const require = createRequire(import.meta.url);
const required = require('namzu-native');
const requiredTesting = require('namzu-native/testing');

let warnings = 0;
const sink = { emit: () => (warnings += 1) };
const counts = [];
const count = (accept) => {
  accept('thd_shared', sink);
  counts.push(warnings);
};

count(acceptLegacyThreadId);
count(required.acceptLegacyThreadId);
const inWorker = `
  const { parentPort } = require('node:worker_threads');
  let warnings = 0;
  require(${JSON.stringify(require.resolve('namzu-native'))})
    .acceptLegacyThreadId('thd_shared', { emit: () => (warnings += 1) });
  parentPort.postMessage(warnings);`;
const worker = new Worker(inWorker, { eval: true });
const warningsOfWorker = await new Promise((resolve) => worker.once('message', resolve));
__resetSeenLegacyForTests();
count(required.acceptLegacyThreadId);
requiredTesting.__resetSeenLegacyForTests();
count(acceptLegacyThreadId);

console.log(JSON.stringify({ counts, warningsOfWorker }));
