// The first process's work: one project, a dispatcher session that delegates each conversation to
// a session of its own, the conversations themselves, and a summary of every second one.

import { generateDeliverableId, generateSummaryId, generateTenantId } from 'namzu-native';
import { bySpawnTime, newEdge, newSession, say } from './desk.mjs';

/** Sessions that are worked on at the same time, as agents would. */
const AGENTS_AT_ONCE = 8;

/**
 * @param {import('namzu-native').SessionStore} store
 * @param {readonly import('./read-conversations.mjs').Conversation[]} conversations
 * @returns {Promise<import('./desk.mjs').Expectations>}
 */
export async function populate(store, conversations) {
  const tenantId = generateTenantId();
  const name = `demo: ${conversations.length} conversations`;
  const { id, createdAt, updatedAt } = await store.createProject({ tenantId, name }, tenantId);
  const config = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };
  const project = { id, tenantId, name, config, createdAt, updatedAt };

  const desk = { store, tenantId, projectId: id };
  const dispatcher = await openSession(desk, {
    kind: 'agent',
    agentId: 'agt_dispatcher',
    tenantId,
  });
  const agents = [];
  for (const conversation of conversations) {
    agents.push(await delegate(desk, dispatcher, conversation, agents.length + 1));
  }
  await inParallel(agents, AGENTS_AT_ONCE, (agent) => work(desk, agent));
  for (const agent of agents) await report(desk, dispatcher, agent);
  await summarize(desk, dispatcher, 'Every conversation has an agent of its own.');

  const sessions = [dispatcher, ...agents.map(({ expected }) => expected)];
  dispatcher.children = agents.map(({ edge }) => edge).sort(bySpawnTime);
  return { project, sessions, repository: null, workspaces: [] };
}

/** @returns {Promise<import('./desk.mjs').ExpectedSession>} */
async function openSession(desk, currentActor, ancestry) {
  const { store, tenantId, projectId } = desk;
  const created = await store.createSession({ projectId, currentActor }, tenantId);
  return newSession(desk, created, currentActor, ancestry);
}

async function delegate(desk, dispatcher, conversation, number) {
  const { store, tenantId } = desk;
  const spawnedBy = dispatcher.session.currentActor;
  const agentId = `agt_worker_${number}`;
  const actor = { kind: 'agent', agentId, tenantId, parentActor: spawnedBy };
  const expected = await openSession(desk, actor, dispatcher.ancestry);
  /** @type {import('namzu-native').CreateSubSessionParams} */
  const params = {
    parentSessionId: dispatcher.session.id,
    childSessionId: expected.session.id,
    kind: 'agent_spawn',
    spawnedBy,
  };
  const edge = newEdge(await store.createSubSession(params, tenantId), params);
  const callId = `call_${number}`;
  const call = { name: 'delegate', arguments: JSON.stringify({ agent: agentId, to: number }) };
  await say(desk, dispatcher, {
    role: 'assistant',
    content: null,
    toolCalls: [{ id: callId, type: 'function', function: call }],
  });
  return { expected, edge, conversation, callId, summarized: number % 2 === 1 };
}

async function work(desk, agent) {
  const { expected, edge, conversation, summarized } = agent;
  await updateSession(desk, expected, { status: 'active', ownerVersion: 1 });
  await updateEdge(desk, edge, { status: 'active' });
  for (const message of conversation.messages) await say(desk, expected, message);
  // The others stay open, as conversations do.
  if (!summarized) return;
  await summarize(desk, expected, lastWords(conversation.messages));
  // Recording a summary ends an active session by itself, but leaves its edge to the application.
  expected.session.status = 'idle';
  await updateEdge(desk, edge, { status: 'idle', summaryRef: expected.summary.id });
}

async function report(desk, dispatcher, { callId, conversation, expected }) {
  const { length } = conversation.messages;
  const content = expected.summary?.agentSummary ?? `still open after ${length} messages`;
  await say(desk, dispatcher, { role: 'tool', content, toolCallId: callId });
}

async function updateSession({ store, tenantId }, { session }, changes) {
  const version = session.ownerVersion;
  await store.updateSession(Object.assign(session, changes), tenantId, version);
}

async function updateEdge({ store, tenantId }, edge, changes) {
  await store.updateSubSession(Object.assign(edge, changes), tenantId);
}

async function summarize({ store, tenantId }, expected, agentSummary) {
  const at = new Date();
  const sessionId = expected.session.id;
  const messageId = expected.messageIds.at(-1) ?? 'msg_none';
  /** @type {import('namzu-native').SessionSummaryRef} */
  const summary = {
    id: generateSummaryId(),
    sessionRef: sessionId,
    tenantId,
    outcome: { status: 'succeeded', verdict: 'answered' },
    deliverables: [
      { id: generateDeliverableId(), kind: 'message', sessionId, runId: 'run_demo', messageId },
    ],
    agentSummary,
    keyDecisions: [{ at, summary: `ended after ${expected.messages.length} messages` }],
    at,
    materializedBy: 'kernel',
  };
  await store.recordSummary(summary, tenantId);
  expected.summary = summary;
}

/** The beginning of what an assistant said last: a stand-in for a summary that a model writes. */
function lastWords(messages) {
  const said = messages.filter(({ role, content }) => role === 'assistant' && content);
  return said.at(-1)?.content.slice(0, 200) ?? 'Nothing was said.';
}

async function inParallel(items, limit, use) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await use(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
