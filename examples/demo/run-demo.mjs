// The demo as a function: fills a root, has a second process check it, and answers what was
// found. Prints nothing and decides nothing; main.mjs does that.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DiskSessionStore } from 'namzu-native';
import { countingCalls } from './counting-calls.mjs';
import { diskUsage } from './disk-usage.mjs';
import { writeExpectations } from './expectations-file.mjs';
import { populate } from './populate.mjs';

const VERIFY = fileURLToPath(new URL('verify.mjs', import.meta.url));

/**
 * @typedef {object} Outcome
 * @property {import('./verify.mjs').Report} report
 * @property {import('./populate.mjs').Expectations} expectations
 * @property {{ calls: number, milliseconds: number }} writing
 * @property {Awaited<ReturnType<typeof diskUsage>>} usage
 */

/**
 * @param {object} options
 * @param {readonly import('./read-conversations.mjs').Conversation[]} options.conversations
 * @param {string} options.root of the store
 * @param {string} options.expectationsPath a file outside the root, to be written
 * @param {(expectations: import('./populate.mjs').Expectations) => Promise<void>}
 *   [options.betweenProcesses] runs when the first process has written and the second has not
 *   started: a test damages the root here and sees whether it is noticed
 * @returns {Promise<Outcome>}
 */
export async function runDemo({ conversations, root, expectationsPath, betweenProcesses }) {
  const { store, calls } = countingCalls(new DiskSessionStore({ rootDir: root }));
  const start = performance.now();
  const expectations = await populate(store, conversations);
  const writing = { calls: calls(), milliseconds: performance.now() - start };

  await writeExpectations(expectationsPath, expectations);
  await betweenProcesses?.(expectations);
  const report = await verifyInSecondProcess(root, expectationsPath);
  return { report, expectations, writing, usage: await diskUsage(root) };
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
