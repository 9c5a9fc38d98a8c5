// Writes a record of every kind, under a umask that takes nothing away.
// Usage: write-everything.mjs <root>
import process from 'node:process';
import { DiskSessionStore, generateSummaryId } from 'namzu-native';

process.umask(0);

const tenant = 'tnt_alpha';
const actor = { kind: 'user', userId: 'usr_ada', tenantId: tenant };
const store = new DiskSessionStore({ rootDir: process.argv[2] });
const { id: projectId } = await store.createProject({ tenantId: tenant, name: 'x' }, tenant);
const session = await store.createSession({ projectId, currentActor: actor }, tenant);
const edge = await store.createSubSession(
  {
    parentSessionId: session.id,
    childSessionId: session.id,
    kind: 'agent_spawn',
    spawnedBy: actor,
  },
  tenant,
);
await store.appendMessage(session.id, { role: 'user', content: 'private' }, tenant);
await store.appendMessage(session.id, { role: 'user', content: 'private too' }, tenant);
await store.updateSession({ ...session, status: 'active' }, tenant);
await store.updateSubSession({ ...edge, status: 'active' }, tenant);
await store.recordSummary(
  {
    id: generateSummaryId(),
    sessionRef: session.id,
    tenantId: tenant,
    outcome: { status: 'succeeded' },
    deliverables: [],
    agentSummary: 'private',
    keyDecisions: [],
    at: new Date(),
    materializedBy: 'kernel',
  },
  tenant,
);
console.log(JSON.stringify({ session: session.id }));
