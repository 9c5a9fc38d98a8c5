/** Operations on a prepared root: each with how often it is seen to have taken effect. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ArchivalManager,
  DefaultCapacityValidator,
  DefaultFilesystemMigrator,
  DiskArchiveBackend,
  DiskSessionStore,
  executeBroadcastHandoff,
  executeSingleHandoff,
  generateHandoffId,
  generateWorkspaceId,
  NOOP_HANDOFF_SINK,
  WorkspaceBackendRegistry,
} from 'namzu-native';

export const TENANT = 'tnt_ada';
const ACTOR = { kind: 'user', userId: 'usr_ada', tenantId: TENANT };
const said = (content) => ({ role: 'user', content });

export const archival = (store, rootDir) =>
  new ArchivalManager({
    sessionStore: store,
    workspaceRegistry: new WorkspaceBackendRegistry(),
    archiveBackend: new DiskArchiveBackend({ rootDir }),
  });

export function handoffDeps(store) {
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register({
    kind: 'git-worktree',
    create: async ({ label }) => ({
      id: generateWorkspaceId(),
      meta: { backend: 'git-worktree', repoRoot: '/r', branch: label, worktreePath: '/w' },
      createdAt: new Date(),
    }),
    dispose: async () => undefined,
  });
  const capacity = new DefaultCapacityValidator(store);
  return { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
}

/** Makes the root that every run starts from a copy of; answers the ids in it. */
export async function prepare(rootDir) {
  const store = new DiskSessionStore({ rootDir });
  const project = await store.createProject({ tenantId: TENANT, name: 'P' }, TENANT);
  const session = () => store.createSession({ projectId: project.id, currentActor: ACTOR }, TENANT);
  const [parent, child, other, loose] = [
    await session(),
    await session(),
    await session(),
    await session(),
  ];
  for (const { id } of [child, other, loose]) {
    await store.appendMessages(id, [said('one'), said('two')], TENANT);
  }
  const edge = async (from, to) => {
    const made = await store.createSubSession(
      { parentSessionId: from.id, childSessionId: to.id, kind: 'agent_spawn', spawnedBy: ACTOR },
      TENANT,
    );
    await store.updateSubSession({ ...made, status: 'idle' }, TENANT);
    return store.getSubSession(made.id, TENANT);
  };
  const [idle, archived] = [await edge(parent, child), await edge(parent, other)];
  await archival(store, rootDir).archive(archived.id, TENANT, { evict: true });
  await store.close();
  mkdirSync(join(rootDir, 'threads/thd_old/runs/run_1'), { recursive: true });
  writeFileSync(join(rootDir, 'threads/thd_old/runs/run_1/run.json'), '{}');
  return { project, parent, child, loose, idle, archived };
}

const row = ({ project, loose }, mode) => ({
  id: generateHandoffId(),
  mode,
  ...(mode === 'broadcast' && { broadcastId: 'b' }),
  sourceSessionId: loose.id,
  tenantId: TENANT,
  projectId: project.id,
  sourceActor: ACTOR,
  recipientActor: { kind: 'agent', agentId: generateHandoffId(), tenantId: TENANT },
  expectedOwnerVersion: 0,
  createdAt: new Date(),
});
const handedOff = async (s, { loose }) => (await s.getSession(loose.id, TENANT)).ownerVersion;

/** `run` makes the call; `seen` tells how often it took effect; `most` is the most that can be. */
export const OPERATIONS = {
  createProject: {
    run: (s) => s.createProject({ tenantId: TENANT, name: 'new' }, TENANT),
    seen: async (s) => (await s.listProjects(TENANT)).items.filter((p) => p.name === 'new').length,
  },
  updateProject: {
    run: (s, { project }) => s.updateProject(project.id, { maxDelegationDepth: 7 }, TENANT),
    seen: async (s, { project }) =>
      Number((await s.getProject(project.id, TENANT)).config.maxDelegationDepth === 7),
    most: 1,
  },
  createSession: {
    run: (s, { project }) => s.createSession({ projectId: project.id, currentActor: null }, TENANT),
    seen: async (s, { project }) =>
      (await s.listSessionsByProject(project.id, TENANT)).items.filter(
        ({ currentActor }) => currentActor === null,
      ).length,
  },
  updateSession: {
    run: (s, { loose }) => s.updateSession({ ...loose, status: 'failed' }, TENANT),
    seen: async (s, { loose }) =>
      Number((await s.getSession(loose.id, TENANT)).status === 'failed'),
    most: 1,
  },
  deleteSession: {
    run: (s, { loose }) => s.deleteSession(loose.id, TENANT),
    seen: async (s, { loose }) => Number((await s.getSession(loose.id, TENANT)) === null),
    most: 1,
  },
  createSubSession: {
    run: (s, { child, loose }) =>
      s.createSubSession(
        {
          parentSessionId: child.id,
          childSessionId: loose.id,
          kind: 'agent_spawn',
          spawnedBy: ACTOR,
        },
        TENANT,
      ),
    seen: async (s, { child }) => (await s.getChildren(child.id, TENANT)).length,
  },
  updateSubSession: {
    run: (s, { idle }) => s.updateSubSession({ ...idle, broadcastGroupId: 'g' }, TENANT),
    seen: async (s, { idle }) =>
      Number((await s.getSubSession(idle.id, TENANT)).broadcastGroupId === 'g'),
    most: 1,
  },
  deleteSubSession: {
    run: (s, { idle }) => s.deleteSubSession(idle.id, TENANT),
    seen: async (s, { idle }) => Number((await s.getSubSession(idle.id, TENANT)) === null),
    most: 1,
  },
  appendMessage: {
    run: (s, { child }) => s.appendMessage(child.id, said('new'), TENANT),
    seen: async (s, { child }) => (await s.countMessages(child.id, TENANT)) - 2,
  },
  replaceMessages: {
    run: (s, { child }) => s.replaceMessages(child.id, [said('new')], TENANT),
    seen: async (s, { child }) => Number((await s.countMessages(child.id, TENANT)) === 1),
    most: 1,
  },
  recordSummary: {
    run: (s, { child }) =>
      s.recordSummary(
        {
          id: 'sum_1',
          sessionRef: child.id,
          tenantId: TENANT,
          outcome: { status: 'succeeded' },
          deliverables: [],
          agentSummary: 'x',
          keyDecisions: [],
          at: new Date(0),
          materializedBy: 'kernel',
        },
        TENANT,
      ),
    seen: async (s, { child }) => Number((await s.getSummary(child.id, TENANT)) !== null),
    most: 1,
  },
  drill: { run: (s, { parent }) => s.drill(parent.id, TENANT), reads: true },
  loadMessages: { run: (s, { child }) => s.loadMessages(child.id, TENANT), reads: true },
  listProjects: { run: (s) => s.listProjects(TENANT), reads: true },
  archive: {
    run: (s, { idle }, root) => archival(s, root).archive(idle.id, TENANT),
    seen: async (s, { idle }) =>
      Number((await s.getSubSession(idle.id, TENANT)).status === 'archived'),
    most: 1,
  },
  evict: {
    run: (s, { idle }, root) => archival(s, root).archive(idle.id, TENANT, { evict: true }),
    seen: async (s, { idle }) =>
      Number((await s.getSubSession(idle.id, TENANT)).status === 'archived'),
    most: 1,
  },
  restore: {
    run: (s, { archived }, root) => archival(s, root).restore(archived.id, TENANT),
    seen: async (s, { archived }) =>
      Number((await s.getSubSession(archived.id, TENANT)).status === 'idle'),
    most: 1,
  },
  handoff: {
    run: (s, ids) => executeSingleHandoff(handoffDeps(s), row(ids, 'single'), TENANT),
    seen: handedOff,
    most: 1,
    steps: true,
  },
  broadcast: {
    run: (s, ids) =>
      executeBroadcastHandoff(
        handoffDeps(s),
        [row(ids, 'broadcast'), row(ids, 'broadcast')],
        TENANT,
      ),
    seen: handedOff,
    most: 1,
    steps: true,
  },
  migrate: {
    run: (_, __, root) => new DefaultFilesystemMigrator().migrate(root),
    seen: async (s) =>
      Number((await s.getProject('prj_legacy_old', 'tnt_unknown_legacy')) !== null),
    most: 1,
    steps: true,
  },
  close: { run: (s) => s.close(), reads: true },
};
