/** Operations on a prepared root: each with how often it is seen to have taken effect. */

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  recoverHandoffs,
  SessionSummaryMaterializer,
  verify,
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

/** Makes the roots that runs start from copies of, in a folder; answers the ids in them. */
export async function prepare(folder) {
  const rootDir = join(folder, 'plain');
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
  const [idle, evicted] = [await edge(parent, child), await edge(parent, other)];
  const { archiveRef } = await archival(store, rootDir).archive(evicted.id, TENANT, {
    evict: true,
  });
  const archived = await store.getSubSession(evicted.id, TENANT);
  await store.recordSummary(summary(parent.id), TENANT);
  await store.close();
  const ids = { project, parent, child, loose, idle, archived, archiveRef };

  // As `@namzu/sdk` leaves a root.
  cpSync(rootDir, join(folder, 'old'), { recursive: true });
  rmSync(join(folder, 'old/.store'), { recursive: true });
  // As a process leaves one that died in the middle of a handoff.
  cpSync(rootDir, join(folder, 'handing'), { recursive: true });
  await interruptHandoff(join(folder, 'handing'), join(folder, 'interrupted'), ids);
  // As the first layout was.
  cpSync(rootDir, join(folder, 'threads'), { recursive: true });
  const run = join(folder, 'threads/threads/thd_old/runs/run_1');
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'run.json'), '{}');
  return JSON.parse(JSON.stringify(ids));
}

/** Copies a root in the middle of a handoff, and makes its intent one of a process that ended. */
async function interruptHandoff(rootDir, copy, ids) {
  const store = new DiskSessionStore({ rootDir });
  const deps = handoffDeps(store);
  const driver = deps.workspaceRegistry.get('git-worktree');
  driver.create = async () => {
    cpSync(rootDir, copy, { recursive: true });
    throw new Error('enough');
  };
  // One that never answered would keep this process alive.
  await executeSingleHandoff(deps, row(ids, 'single'), TENANT).catch(() => undefined);
  await store.close();
  // The journal would write the intent as it was.
  const copied = new DiskSessionStore({ rootDir: copy });
  await copied.createProject({ tenantId: TENANT, name: 'Q' }, TENANT);
  await copied.close();
  const file = join(copy, '.store/intents', `${ids.loose.id}.json`);
  const intent = JSON.parse(readFileSync(file, 'utf8'));
  intent.process.startTime = '1';
  writeFileSync(file, JSON.stringify(intent));
}

const summary = (sessionRef) => ({
  id: 'sum_1',
  sessionRef,
  tenantId: TENANT,
  outcome: { status: 'succeeded' },
  deliverables: [],
  agentSummary: 'x',
  keyDecisions: [],
  at: new Date(0),
  materializedBy: 'kernel',
});

const materializer = (store) =>
  new SessionSummaryMaterializer({ store, generateSummaryId: () => 'sum_2' });

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
const isArchived = async (s, { idle }) =>
  Number((await s.getSubSession(idle.id, TENANT)).status === 'archived');
const countOf = (id, before) => async (s, ids) =>
  (await s.countMessages(ids[id].id, TENANT)) - before;
const appends = {
  run: (s, { child }) => s.appendMessage(child.id, said('new'), TENANT),
  seen: countOf('child', 2),
};
const read = (run, more) => ({ run, reads: true, ...more });

async function all(values) {
  const found = [];
  for await (const value of values) found.push(value);
  return found;
}

/**
 * `run` makes the call; `seen` tells how often it took effect, `most` the most that can be.
 * `again` is what a second call is refused with when the first took effect; `reads` marks those
 * that change nothing, whose value must be the one of a run without a fault, or be `allowed`.
 * `warm` is called before, without a fault; `from` says which root a run starts from; `steps`
 * marks those whose errors say which step failed, and not whether it was done.
 */
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
  appendMessage: appends,
  appendMessages: {
    run: (s, { child }) => s.appendMessages(child.id, [said('new'), said('newer')], TENANT),
    // Half of it is not a whole number of times.
    seen: async (s, { child }) => ((await s.countMessages(child.id, TENANT)) - 2) / 2,
  },
  replaceMessages: {
    run: (s, { child }) => s.replaceMessages(child.id, [said('new')], TENANT),
    seen: async (s, { child }) => Number((await s.countMessages(child.id, TENANT)) === 1),
    most: 1,
  },
  recordSummary: {
    run: (s, { child }) => s.recordSummary(summary(child.id), TENANT),
    seen: async (s, { child }) => Number((await s.getSummary(child.id, TENANT)) !== null),
    most: 1,
  },
  materialize: {
    run: (s, { child }) =>
      materializer(s).materialize({
        sessionId: child.id,
        tenantId: TENANT,
        finalOutcome: { status: 'succeeded' },
        agentSummary: 'x',
        declaredDeliverables: [],
        keyDecisions: [],
      }),
    seen: async (s, { child }) => Number((await s.getSummary(child.id, TENANT)) !== null),
    most: 1,
    again: /^SessionAlreadySummarizedError/,
  },
  recoverSummary: read((s, { parent }) => materializer(s).recover(parent.id, TENANT)),

  getProject: read((s, { project }) => s.getProject(project.id, TENANT)),
  getSession: read((s, { loose }) => s.getSession(loose.id, TENANT)),
  getSubSession: read((s, { idle }) => s.getSubSession(idle.id, TENANT)),
  getSummary: read((s, { parent }) => s.getSummary(parent.id, TENANT)),
  getChildren: read((s, { parent }) => s.getChildren(parent.id, TENANT)),
  getAncestry: read((s, { child }) => s.getAncestry(child.id, TENANT)),
  drill: read((s, { parent }) => s.drill(parent.id, TENANT)),
  listProjects: read((s) => s.listProjects(TENANT)),
  listSessionsByProject: read((s, { project }) => s.listSessionsByProject(project.id, TENANT)),
  loadMessages: read((s, { child }) => s.loadMessages(child.id, TENANT)),
  loadSessionMessages: read((s, { child }) => s.loadSessionMessages(child.id, TENANT)),
  countMessages: read((s, { child }) => s.countMessages(child.id, TENANT)),
  streamMessages: read((s, { child }) => all(s.streamMessages(child.id, TENANT))),
  verify: read((_, __, root) => verify(root), {
    // What cannot be read is a finding of its own.
    allowed: (found) => found.length > 0 && found.every(({ kind }) => kind === 'unreadable'),
  }),

  archive: {
    run: (s, { idle }, root) => archival(s, root).archive(idle.id, TENANT),
    seen: isArchived,
    most: 1,
    again: /^SubSessionNotArchivableError/,
  },
  evict: {
    run: (s, { idle }, root) => archival(s, root).archive(idle.id, TENANT, { evict: true }),
    seen: isArchived,
    most: 1,
    again: /^SubSessionNotArchivableError/,
  },
  restore: {
    run: (s, { archived }, root) => archival(s, root).restore(archived.id, TENANT),
    seen: async (s, { archived }) =>
      Number((await s.getSubSession(archived.id, TENANT)).status === 'idle'),
    most: 1,
    again: /^SubSessionNotArchivedError/,
  },
  sweep: {
    run: async (s, { project }, root) => {
      const policy = { idleSubSessionTTL: 1 };
      const now = new Date(Date.now() + 1e6);
      const { failed } = await archival(s, root).sweep(project.id, TENANT, { policy, now });
      if (failed.length > 0) throw failed[0].error;
    },
    seen: isArchived,
    most: 1,
  },
  restoreBundle: read((_, { archiveRef }, rootDir) =>
    new DiskArchiveBackend({ rootDir }).restore(archiveRef),
  ),
  verifyBundles: read((_, __, rootDir) => new DiskArchiveBackend({ rootDir }).verify()),
  removeBundle: {
    // The session whose messages are in it is told to have no way back.
    leaves: 'missing_bundle',
    run: (_, { archiveRef }, rootDir) => new DiskArchiveBackend({ rootDir }).remove(archiveRef),
    seen: (_, { archiveRef }, rootDir) => Number(!existsSync(join(rootDir, 'archive', archiveRef))),
    most: 1,
  },

  handoff: {
    run: (s, ids) => executeSingleHandoff(handoffDeps(s), row(ids, 'single'), TENANT),
    seen: handedOff,
    most: 1,
    again: /^HandoffVersionConflict/,
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
    again: /^HandoffLockRejected/,
  },
  recoverHandoffs: {
    from: 'interrupted',
    run: (s) => recoverHandoffs(handoffDeps(s), TENANT),
    seen: async (s, { loose }) => Number((await s.getSession(loose.id, TENANT)).status === 'idle'),
    most: 1,
  },

  migrate: {
    from: 'threads',
    run: (_, __, root) => new DefaultFilesystemMigrator().migrate(root),
    seen: async (s) =>
      Number((await s.getProject('prj_legacy_old', 'tnt_unknown_legacy')) !== null),
    most: 1,
    steps: true,
  },
  firstWrite: {
    from: 'nothing',
    run: (s) => s.createProject({ tenantId: TENANT, name: 'new' }, TENANT),
    seen: async (s) => (await s.listProjects(TENANT)).items.length,
  },
  adoptByReading: read((s, { idle }) => s.getSubSession(idle.id, TENANT), { from: 'old' }),
  adoptByWriting: { ...appends, from: 'old' },
  // Of a writer that died when it had committed, and not yet changed the record.
  afterDeathByReading: read((s, { loose }) => s.getSession(loose.id, TENANT), { from: 'dead' }),
  afterDeathByWriting: { ...appends, from: 'dead' },
  appendMore: {
    ...appends,
    warm: (s, { child }) => s.appendMessage(child.id, said('before'), TENANT),
    seen: countOf('child', 3),
  },
  close: read((s) => s.close(), {
    warm: (s, { child }) => s.appendMessage(child.id, said('new'), TENANT),
    holds: async (s, { child }) => (await s.countMessages(child.id, TENANT)) === 3,
  }),
};

/** Reads that find their store open, and in memory what they read. */
const READ_AGAIN = [
  'getProject',
  'getSession',
  'getSubSession',
  'getSummary',
  'getChildren',
  'getAncestry',
  'drill',
  'loadMessages',
  'loadSessionMessages',
  'countMessages',
  'streamMessages',
];
for (const name of READ_AGAIN) {
  const { run } = OPERATIONS[name];
  OPERATIONS[`${name}Again`] = read(run, { warm: run });
}
