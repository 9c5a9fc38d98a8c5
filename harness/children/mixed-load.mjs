// Appends, creates, hands off, archives and deletes until something fails, and writes a line for
// each answer to standard output, with the time at which it came; the last line is the error.
// Arguments: root, writer, seed, the most rounds.

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

const [rootDir, writer, seed, limit = 'Infinity'] = process.argv.slice(2);
const tenantId = `tnt_${writer}`;
const random = prng(Number(seed));
const pick = (list) => list[Math.floor(random() * list.length)];

const store = new DiskSessionStore({ rootDir });
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
const deps = {
  store,
  workspaceRegistry,
  capacity: new DefaultCapacityValidator(store),
  events: NOOP_HANDOFF_SINK,
};
const archival = new ArchivalManager({
  sessionStore: store,
  workspaceRegistry,
  archiveBackend: new DiskArchiveBackend({ rootDir }),
});
const actor = { kind: 'user', userId: 'usr_ada', tenantId };

function answered(record) {
  const at = String(process.hrtime.bigint());
  writeSync(1, `${JSON.stringify({ at, tenantId, ...record })}\n`);
}

let project;
const sessions = [];
const said = new Map();

async function session() {
  const { id } = await store.createSession(
    { projectId: project.id, currentActor: actor },
    tenantId,
  );
  answered({ op: 'session', id });
  sessions.push(id);
  said.set(id, 0);
  return id;
}

async function append() {
  const id = pick(sessions);
  const count = 1 + Math.floor(random() * 3);
  const first = said.get(id);
  said.set(id, first + count);
  const content = (n) => `${id} ${first + n} ${'x'.repeat(Math.floor(random() ** 4 * 20_000))}`;
  const messages = Array.from({ length: count }, (_, n) => ({ role: 'user', content: content(n) }));
  await store.appendMessages(id, messages, tenantId);
  answered({ op: 'append', id, first, count });
}

async function edge(parentSessionId, childSessionId) {
  const made = await store.createSubSession(
    { parentSessionId, childSessionId, kind: 'agent_spawn', spawnedBy: actor },
    tenantId,
  );
  await store.updateSubSession({ ...made, status: 'idle' }, tenantId);
  answered({ op: 'edge', id: made.id, parent: parentSessionId, child: childSessionId });
  return made;
}

async function archive() {
  const [parent, child] = [await session(), await session()];
  await store.appendMessage(child, { role: 'user', content: `${child} 0 ` }, tenantId);
  const { id } = await edge(parent, child);
  const { archiveRef } = await archival.archive(id, tenantId, { evict: random() < 0.5 });
  answered({ op: 'archive', id, child, archiveRef });
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
  const outcomes = several
    ? await executeBroadcastHandoff(deps, [row(0), row(1)], tenantId)
    : [await executeSingleHandoff(deps, row(0), tenantId)];
  const to = outcomes.map(({ newSessionId }) => newSessionId);
  answered({ op: 'handoff', id: sourceSessionId, several, to });
}

async function remove() {
  const id = await session();
  await store.appendMessage(id, { role: 'user', content: `${id} 0 ` }, tenantId);
  said.set(id, 1);
  sessions.splice(sessions.indexOf(id), 1);
  answered({ op: 'deleting', id });
  await store.deleteSession(id, tenantId);
  answered({ op: 'deleted', id });
}

const EACH = [0, 0.7, 0.8, 0.9, 0.97];
try {
  project = await store.createProject(
    { tenantId, name: 'P', config: { maxDelegationWidth: 1e6, maxDelegationDepth: 1e6 } },
    tenantId,
  );
  answered({ op: 'project', id: project.id });
  await session();
  for (let n = 0; n < Number(limit); n += 1) {
    // A short load begins with one of each.
    const chance = Number.isFinite(Number(limit)) && n < EACH.length ? EACH[n] : random();
    if (chance < 0.6) await Promise.all(Array.from({ length: 1 + (n % 4) }, append));
    else if (chance < 0.75) await session();
    else if (chance < 0.85) await handoff();
    else if (chance < 0.95) await archive();
    else await remove();
  }
  await store.close();
} catch (error) {
  answered({ op: 'error', error: `${error.stack} ${JSON.stringify(error.details)}` });
  process.exitCode = 1;
}
