// Appends, creates, hands off, archives, deletes and closes until something fails, and writes a line
// for each answer to standard output: its number, when it was asked for and when it came, and
// whether it is `durable`, so that no power cut may take it. The last line is the error.
// Arguments: root, writer, seed, durability, the most rounds.

import { writeSync } from 'node:fs';
import process from 'node:process';
import {
  ArchivalManager,
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateHandoffId,
  generateWorkspaceId,
  NOOP_HANDOFF_SINK,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { prng } from '../lib/machine.mjs';

const [rootDir, writer, seed, durability, limit = 'Infinity'] = process.argv.slice(2);
const tenantId = `tnt_${writer}`;
const random = prng(Number(seed));
const pick = (list) => list[Math.floor(random() * list.length)];

// That a sync failed is what a power cut is for.
process.removeAllListeners('warning');

/** After at most so many rounds a writer closes its store and opens another. */
const ROUNDS_OF_A_STORE = 40;
const workspaceRegistry = new WorkspaceBackendRegistry();
workspaceRegistry.register({
  kind: 'git-worktree',
  create: async ({ label }) => ({
    id: generateWorkspaceId(),
    meta: { backend: 'git-worktree', repoRoot: '/r', branch: label, worktreePath: '/w' },
    createdAt: new Date(),
  }),
  branch: async () => undefined,
  dispose: async () => undefined,
  inspect: async () => ({ exists: true, currentRef: '', isDirty: false }),
});

let store;
let deps;
let archival;
function open() {
  store = new DiskSessionStore({ rootDir, durability });
  const capacity = new DefaultCapacityValidator(store);
  deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
  const archiveBackend = new DiskArchiveBackend({ rootDir });
  archival = new ArchivalManager({ sessionStore: store, workspaceRegistry, archiveBackend });
}
const actor = { kind: 'user', userId: 'usr_ada', tenantId };

const now = () => String(process.hrtime.bigint());
let calls = 0;

/** What is known of a call when it is made. */
function asked() {
  calls += 1;
  return { n: calls, from: now() };
}

function answered(call, record) {
  const durable = durability === 'full';
  const line = { writer: process.pid, ...call, at: now(), tenantId, durable, ...record };
  writeSync(1, `${JSON.stringify(line)}\n`);
}

let project;
const sessions = [];
const said = new Map();

async function session() {
  const call = asked();
  const { id } = await store.createSession(
    { projectId: project.id, currentActor: actor },
    tenantId,
  );
  answered(call, { op: 'session', id });
  sessions.push(id);
  said.set(id, 0);
  return id;
}

async function append() {
  const id = pick(sessions);
  const count = 1 + Math.floor(random() * 3);
  const first = said.get(id);
  said.set(id, first + count);
  // The last of its call is named in each, so that a part of a call can be told.
  const last = first + count - 1;
  const filling = () => 'x'.repeat(Math.floor(random() ** 4 * 20_000));
  const content = (n) => `${id} ${first + n} ${last} ${filling()}`;
  const messages = Array.from({ length: count }, (_, n) => ({ role: 'user', content: content(n) }));
  const call = asked();
  await store.appendMessages(id, messages, tenantId);
  answered(call, { op: 'append', id, first, count });
}

async function edge(parentSessionId, childSessionId) {
  const call = asked();
  const made = await store.createSubSession(
    { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy: actor },
    tenantId,
  );
  await store.updateSubSession({ ...made, status: 'idle' }, tenantId);
  answered(call, { op: 'edge', id: made.id, parent: parentSessionId, child: childSessionId });
  return made;
}

async function archive() {
  const [parent, child] = [await session(), await session()];
  await store.appendMessage(child, { role: 'user', content: `${child} 0 0 ` }, tenantId);
  const { id } = await edge(parent, child);
  const call = asked();
  const { archiveRef } = await archival.archive(id, tenantId, { evict: random() < 0.5 });
  // Archives and handoffs are committed as in `full`.
  answered(call, { op: 'archive', id, child, archiveRef, durable: true });
  // Nobody writes to it any more.
  sessions.splice(sessions.indexOf(child), 1);
}

async function handoff() {
  const sourceSessionId = await session();
  const several = random() < 0.5;
  const row = (n) => ({
    id: generateHandoffId(),
    mode: several ? 'broadcast' : 'single',
    ...(several && { broadcastId: 'b' }),
    sourceSessionId,
    tenantId,
    projectId: project.id,
    sourceActor: actor,
    recipientActor: { kind: 'agent', agentId: `agt_${n}`, tenantId },
    expectedOwnerVersion: 0,
    createdAt: new Date(),
  });
  const call = asked();
  const outcomes = several
    ? await executeBroadcastHandoff(deps, [row(0), row(1)], tenantId)
    : [await executeSingleHandoff(deps, row(0), tenantId)];
  const to = outcomes.map(({ newSessionId }) => newSessionId);
  answered(call, { op: 'handoff', id: sourceSessionId, several, to, durable: true });
}

async function remove() {
  const id = await session();
  await store.appendMessage(id, { role: 'user', content: `${id} 0 0 ` }, tenantId);
  said.set(id, 1);
  sessions.splice(sessions.indexOf(id), 1);
  const call = asked();
  answered(call, { op: 'deleting', id });
  await store.deleteSession(id, tenantId);
  answered(call, { op: 'deleted', id });
}

/** What the store answered before is synced when this is answered. */
async function flush() {
  const call = asked();
  await store.flush();
  answered(call, { op: 'flushed', durable: true });
}

async function close() {
  const call = asked();
  answered(call, { op: 'closing' });
  await store.close();
  answered(call, { op: 'closed', durable: true });
}

const EACH = [0, 0.7, 0.8, 0.9, 0.96, 0.99];
try {
  open();
  const config = { maxDelegationWidth: 1e6, maxDelegationDepth: 1e6 };
  const call = asked();
  project = await store.createProject({ tenantId, name: 'P', config }, tenantId);
  answered(call, { op: 'project', id: project.id });
  await session();
  let closeAt = 1 + Math.floor(random() * ROUNDS_OF_A_STORE);
  for (let n = 0; n < Number(limit); n += 1) {
    // A short load begins with one of each.
    const chance = Number.isFinite(Number(limit)) && n < EACH.length ? EACH[n] : random();
    if (chance < 0.6) await Promise.all(Array.from({ length: 1 + (n % 4) }, append));
    else if (chance < 0.75) await session();
    else if (chance < 0.85) await handoff();
    else if (chance < 0.95) await archive();
    else if (chance < 0.98) await remove();
    else await flush();
    if (n === closeAt) {
      await close();
      open();
      closeAt += 1 + Math.floor(random() * ROUNDS_OF_A_STORE);
    }
  }
  await close();
} catch (error) {
  answered(asked(), { op: 'error', error: `${error.stack} ${JSON.stringify(error.details)}` });
  process.exitCode = 1;
}
