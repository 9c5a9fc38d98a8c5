// The second process: `node verify.mjs <root> <expectations file>`. It has seen nothing of what
// the first one held in memory. Writes a report as JSON to standard output; exits 1 when anything
// else is found than what was put in.

import { DiskArchiveBackend, DiskSessionStore } from 'namzu-native';
import { compareAll } from './compare.mjs';
import { countingCalls } from './counting-calls.mjs';
import { readExpectations } from './expectations-file.mjs';
import { readArchive, readStore, readWorkspaces } from './read-back.mjs';
import { treeOf } from './tree-of.mjs';

/**
 * @typedef {object} Report
 * @property {string[]} differences one line each; empty when all is well
 * @property {number} reads
 * @property {number} milliseconds that the reads took
 * @property {import('./print-tree.mjs').TreeNode} tree as read back
 */

const [rootDir, expectationsPath] = process.argv.slice(2);
const expectations = await readExpectations(expectationsPath);
const { store, calls } = countingCalls(new DiskSessionStore({ rootDir }));
const start = performance.now();
const stored = await readStore(store, expectations);
const milliseconds = performance.now() - start;

const archived = await readArchive(new DiskArchiveBackend({ rootDir }), expectations);
const answers = { ...stored, ...archived, ...(await readWorkspaces(expectations)) };
const differences = compareAll(expectations, answers);
const tree = treeOf(expectations, answers);
const report = JSON.stringify({ differences, reads: calls(), milliseconds, tree });
// A pipe takes only so much at once: let it drain rather than cut the report off by exiting.
process.stdout.write(report);
process.exitCode = differences.length === 0 ? 0 : 1;
