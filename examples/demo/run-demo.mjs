// The demo as a function: fills a root, has a second process check it, and answers what was
// found. Prints nothing and decides nothing; main.mjs does that.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DiskSessionStore } from 'namzu-native';
import { countingCalls } from './counting-calls.mjs';
import { learnUpdateDates } from './desk.mjs';
import { diskUsage } from './disk-usage.mjs';
import { writeExpectations } from './expectations-file.mjs';
import { makeRepository } from './git.mjs';
import { handOver } from './hand-over.mjs';
import { populate } from './populate.mjs';
import { retire } from './retire.mjs';

const VERIFY = fileURLToPath(new URL('verify.mjs', import.meta.url));

/**
 * @typedef {object} Outcome
 * @property {import('./verify.mjs').Report} report
 * @property {import('./desk.mjs').Expectations} expectations
 * @property {{ calls: number, milliseconds: number }} writing
 * @property {number} handingOver milliseconds
 * @property {number} retiring milliseconds
 * @property {Awaited<ReturnType<typeof diskUsage>>} usage
 */

/**
 * @param {object} options
 * @param {readonly import('./read-conversations.mjs').Conversation[]} options.conversations
 * @param {string} options.root of the store
 * @param {string} options.repositoryPath a folder outside the root, to be made
 * @param {string} options.expectationsPath a file outside the root, to be written
 * @param {(expectations: import('./desk.mjs').Expectations) => Promise<void>}
 *   [options.betweenProcesses] runs when the first process has written and the second has not
 *   started: a test damages the root here and sees whether it is noticed
 * @returns {Promise<Outcome>}
 */
export async function runDemo(options) {
  const { conversations, root, repositoryPath, expectationsPath, betweenProcesses } = options;
  const store = new DiskSessionStore({ rootDir: root });
  const counting = countingCalls(store);
  const [expectations, milliseconds] = await timed(() => populate(counting.store, conversations));
  const writing = { calls: counting.calls(), milliseconds };

  const { id: projectId, tenantId } = expectations.project;
  const desk = { store, tenantId, projectId };
  expectations.repository = await makeRepository(repositoryPath);
  const [, handingOver] = await timed(async () => {
    if (expectations.repository !== null) await handOver(desk, expectations);
  });
  const [, retiring] = await timed(() => retire(desk, expectations, root));
  await learnUpdateDates(desk, expectations.sessions);

  await writeExpectations(expectationsPath, expectations);
  await betweenProcesses?.(expectations);
  const report = await verifyInSecondProcess(root, expectationsPath);
  const usage = await diskUsage(root);
  return { report, expectations, writing, handingOver, retiring, usage };
}

/** @template T @param {() => Promise<T>} work @returns {Promise<[T, number]>} */
async function timed(work) {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

/** @returns {Promise<import('./verify.mjs').Report>} */
async function verifyInSecondProcess(root, expectationsPath) {
  const child = spawn(process.execPath, [VERIFY, root, expectationsPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const [output, end] = await Promise.all([text(child.stdout), ended]);
  try {
    return JSON.parse(output);
  } catch {
    throw new Error(`the second process gave no report (${end})`);
  }
}
