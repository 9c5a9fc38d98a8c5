// The second process: `node verify.mjs <root> <expectations file>`. It has seen nothing of what
// the first one held in memory. Writes a report as JSON to standard output; exits 1 when the
// store answers anything else than what was put in.

import { DiskSessionStore } from 'namzu-native';
import { compareAll } from './compare.mjs';
import { countingCalls } from './counting-calls.mjs';
import { readExpectations } from './expectations-file.mjs';

/**
 * @typedef {object} Report
 * @property {string[]} differences one line each; empty when all is well
 * @property {number} reads
 * @property {number} milliseconds that the reads took
 * @property {import('./print-tree.mjs').TreeNode} tree as read back
 */

const [root, expectationsPath] = process.argv.slice(2);
const expectations = await readExpectations(expectationsPath);
const { store, calls } = countingCalls(new DiskSessionStore({ rootDir: root }));
const start = performance.now();
const answers = await readEverything(store, expectations);
const milliseconds = performance.now() - start;

const differences = compareAll(expectations, answers);
const tree = treeOf(expectations, answers);
const report = JSON.stringify({ differences, reads: calls(), milliseconds, tree });
// A pipe takes only so much at once: let it drain rather than cut the report off by exiting.
process.stdout.write(report);
process.exitCode = differences.length === 0 ? 0 : 1;

/**
 * Reads each record by every method that answers it.
 *
 * @param {import('namzu-native').SessionStore} store
 * @param {import('./populate.mjs').Expectations} expectations
 * @returns {Promise<import('./compare.mjs').Answers>}
 */
async function readEverything(store, { project, sessions }) {
  const { tenantId } = project;
  /** @type {import('./compare.mjs').Answers} */
  const answers = { project: await settled(store.getProject(project.id, tenantId)), sessions: [] };
  for (const { session, children } of sessions) {
    const { id } = session;
    const [single, view, edges, ancestry, messages, envelopes, summary, ...singleEdges] =
      await Promise.all([
        settled(store.getSession(id, tenantId)),
        settled(store.drill(id, tenantId)),
        settled(store.getChildren(id, tenantId)),
        settled(store.getAncestry(id, tenantId)),
        settled(store.loadMessages(id, tenantId)),
        settled(store.loadSessionMessages(id, tenantId)),
        settled(store.getSummary(id, tenantId)),
        ...children.map((edge) => settled(store.getSubSession(edge.id, tenantId))),
      ]);
    const linkage = { view, edges, singleEdges, ancestry };
    answers.sessions.push({ single, ...linkage, messages, envelopes, summary });
  }
  return answers;
}

// A refusal is an answer too, and to be reported like any other that differs.
function settled(promise) {
  return promise.catch((error) => error);
}

function treeOf({ sessions }, answers) {
  const [dispatcher, ...agents] = sessions.map(({ session }, index) => {
    const { single, messages, summary } = answers.sessions[index];
    return {
      id: session.id,
      actor: single?.currentActor?.agentId ?? '(unreadable)',
      status: single?.status ?? '(unreadable)',
      messages: Array.isArray(messages) ? messages.length : 0,
      opening: Array.isArray(messages) ? openingOf(messages) : '',
      summarized: summary?.id !== undefined,
      children: [],
    };
  });
  const edges = answers.sessions[0].edges;
  const spawned = Array.isArray(edges) ? edges.map((edge) => edge.childSessionId) : [];
  dispatcher.children = spawned.flatMap((id) => agents.find((agent) => agent.id === id) ?? []);
  return dispatcher;
}

function openingOf(messages) {
  const content = messages.find(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content.slice(0, 200) : '';
}
