// What is measured, in this order; each file says against what, targets.mjs what is to be reached.

import { compareWithBaselines } from './groups/against-baselines.mjs';
import { compareRootSizes } from './groups/by-root-size.mjs';
import { compareTrees } from './groups/delegation-tree.mjs';
import { compareWithBareCalls } from './groups/engine-against-bare-calls.mjs';
import { compareWriters } from './groups/engine-by-writers.mjs';
import { appendToLongLogs } from './groups/engine-on-a-long-log.mjs';
import { compareExtendedMethods } from './groups/extended-methods.mjs';
import { openLargeRoots } from './groups/first-answer.mjs';
import { measureFloor } from './groups/floor.mjs';
import { handOver } from './groups/handoffs.mjs';
import { compareHandoffs } from './groups/handoffs-against-baselines.mjs';
import { compareMemoryHeld } from './groups/memory-held.mjs';
import { compareLinkage } from './groups/memory-linkage.mjs';
import { readLongLogs } from './groups/reading-long-logs.mjs';
import { compareReadsWithBareCalls } from './groups/reads-against-bare-calls.mjs';
import { sweepFinishedWork } from './groups/retention.mjs';
import { compareLives } from './groups/session-life.mjs';

/**
 * What a group is given.
 *
 * @typedef {object} Run
 * @property {string} directory to put its stores into
 * @property {import('./harness.mjs').Effort} effort
 * @property {string} only the figures whose name, or whose group's title, contains this
 * @property {readonly import('./baselines/index.mjs').Baseline[]} baselines
 * @property {(edges: number) => Promise<string>} largeRoot a root with so many edges that a store
 *   has made its own, which all groups share
 */

/**
 * Each measures its groups, prints them, and keeps the figures in the run's record.
 *
 * @type {readonly ((run: Run) => Promise<void>)[]}
 */
export const groupsToRun = [
  measureFloor,
  compareWithBaselines,
  compareExtendedMethods,
  compareWithBareCalls,
  compareReadsWithBareCalls,
  compareWriters,
  compareLives,
  compareHandoffs,
  compareLinkage,
  compareMemoryHeld,
  openLargeRoots,
  compareRootSizes,
  appendToLongLogs,
  readLongLogs,
  handOver,
  sweepFinishedWork,
  compareTrees,
];
