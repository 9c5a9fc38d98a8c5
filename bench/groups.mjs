// What is measured, in this order; each file says against what, and what is to be reached.

import { compareWithBaselines } from './groups/against-baselines.mjs';
import { compareSizes } from './groups/by-edges.mjs';
import { compareWithBareCalls } from './groups/engine-against-bare-calls.mjs';
import { compareWriters } from './groups/engine-by-writers.mjs';
import { openLargeRoots } from './groups/engine-on-a-large-root.mjs';
import { appendToLongLogs } from './groups/engine-on-a-long-log.mjs';
import { handOver } from './groups/handoffs.mjs';
import { readLongLogs } from './groups/reading-long-logs.mjs';
import { sweepFinishedWork } from './groups/retention.mjs';

/**
 * Each measures its groups in a directory of its own, prints them, and answers the figures.
 *
 * @type {readonly ((directory: string, effort: import('./harness.mjs').Effort, only: string) =>
 *   Promise<import('./report.mjs').Group[]>)[]}
 */
export const groupsToRun = [
  compareWithBaselines,
  compareSizes,
  compareWithBareCalls,
  compareWriters,
  openLargeRoots,
  appendToLongLogs,
  readLongLogs,
  sweepFinishedWork,
  handOver,
];
