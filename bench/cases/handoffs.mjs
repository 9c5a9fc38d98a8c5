// Handing sessions over, to one actor and to several: with workspaces that cost nothing, so that
// what is measured is the store's part.

import {
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateHandoffId,
  generateWorkspaceId,
  NOOP_HANDOFF_SINK,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { consuming } from './consuming.mjs';
import { ACTOR, newSession, TENANT } from './plant.mjs';

const RECIPIENTS = 4;

/** @type {readonly { name: string, prepare: (store: any) => Promise<import('../harness.mjs').Contender> }[]} */
export const handoffs = [
  {
    name: 'executeSingleHandoff',
    prepare: (store) =>
      handingOver(store, (deps, session) =>
        executeSingleHandoff(deps, assignment(session, 'single', 0), TENANT),
      ),
  },
  {
    name: `executeBroadcastHandoff to ${RECIPIENTS}`,
    prepare: (store) =>
      handingOver(store, (deps, session) => {
        const to = (_, i) => assignment(session, 'broadcast', i);
        return executeBroadcastHandoff(deps, Array.from({ length: RECIPIENTS }, to), TENANT);
      }),
  },
];

async function handingOver(store, handOver) {
  const project = await store.createProject({ tenantId: TENANT, name: 'handoffs' }, TENANT);
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(freeWorkspaces);
  // The limits of a project would be met by the second round.
  const capacity = { async validateDepth() {}, async validateWidth() {} };
  const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
  return consuming(
    () => newSession(store, project.id),
    (session) => handOver(deps, session),
  );
}

function assignment(session, mode, i) {
  return {
    id: generateHandoffId(),
    mode,
    sourceSessionId: session.id,
    tenantId: TENANT,
    projectId: session.projectId,
    sourceActor: ACTOR,
    recipientActor: { kind: 'agent', agentId: `agt_recipient${i}`, tenantId: TENANT },
    expectedOwnerVersion: session.ownerVersion,
    createdAt: new Date(),
    ...(mode === 'broadcast' ? { broadcastId: `brc_${session.id}` } : {}),
  };
}

const freeWorkspaces = {
  kind: 'git-worktree',
  async create() {
    const id = generateWorkspaceId();
    const meta = { backend: 'git-worktree', repoRoot: '/r', branch: id, worktreePath: `/w/${id}` };
    return { id, meta, createdAt: new Date() };
  },
  async branch() {
    return freeWorkspaces.create();
  },
  async dispose() {},
  async inspect() {
    return { exists: true, currentRef: null, isDirty: false };
  },
};
