/** Two tenants in one store: ALPHA, who says a secret wherever there is room, and BETA. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ArchivalManager,
  DefaultCapacityValidator,
  DiskArchiveBackend,
  DiskSessionStore,
  type ExtendedSessionStore,
  generateSummaryId,
  NOOP_HANDOFF_SINK,
  type Project,
  type Session,
  type SessionSummaryRef,
  type SingleHandoffDeps,
  type SubSession,
  type SubSessionTombstone,
  type TenantId,
  WorkspaceBackendRegistry,
  type WorkspaceRef,
} from 'namzu-native';
import { said } from '../extensions/stores.js';
import { FakeDriver } from '../handoff/fixtures.js';
import { managerOf } from '../retention/archive-world.js';
import { intentFile, leaveIntent } from '../support/intents.js';
import { tempRoot } from '../support/temp-root.js';
import { BETA, World } from '../support/world.js';

export { BETA };

export const SECRET = 'aLpH4-own-words';
export const ALPHA: TenantId = `tnt_${SECRET}`;

/** What ALPHA has in the store. */
export interface Alpha {
  readonly project: Project;
  /** It has messages, a summary, a parent and a child. */
  readonly session: Session;
  /** Nothing names it. */
  readonly alone: Session;
  /** A handoff locked it. */
  readonly source: Session;
  /** Another one, of a process that died in the middle; on disk, its intent is there. */
  readonly halfway: Session;
  readonly edge: SubSession;
  readonly archived: SubSession;
  readonly tombstone: SubSessionTombstone;
  /** Its messages are in an archive only. */
  readonly evicted: Session;
  readonly summary: SessionSummaryRef;
  everything(): Promise<Record<string, unknown>>;
}

export interface Tenancy {
  readonly root: string;
  readonly store: ExtendedSessionStore;
  readonly manager: ArchivalManager;
  readonly deps: SingleHandoffDeps;
  readonly alpha: Alpha;
  readonly beta: {
    readonly world: World;
    readonly project: Project;
    readonly session: Session;
    readonly edge: SubSession;
  };
}

/** Two records that are made with this between them are listed in that order. */
export const tick = () => sleep(3);

/** BETA's part, beside whatever `alphas` puts into the store first. */
export async function tenancy<A>(
  make: (root: string) => ExtendedSessionStore,
  alphas: (store: ExtendedSessionStore, manager: ArchivalManager, root: string) => Promise<A>,
): Promise<Omit<Tenancy, 'alpha'> & { readonly alpha: A }> {
  const root = tempRoot();
  const store = make(root);
  const backend = new DiskArchiveBackend({ rootDir: root, durability: 'relaxed' });
  const manager = managerOf(store, backend);
  const alpha = await alphas(store, manager, root);
  const world = await World.in(store, BETA);
  await tick();
  const session = await world.session();
  await tick();
  const edge = await world.edge(session, await world.session());
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(new FakeDriver());
  const capacity = new DefaultCapacityValidator(store);
  const deps = { store, workspaceRegistry, capacity, events: NOOP_HANDOFF_SINK };
  const beta = { world, project: world.project, session, edge };
  return { root, store, manager, deps, alpha, beta };
}

/** One record of every kind, the secret in each of its texts. */
export async function records(
  store: ExtendedSessionStore,
  manager: ArchivalManager,
  root: string,
): Promise<Alpha> {
  const project = await store.createProject({ tenantId: ALPHA, name: SECRET }, ALPHA);
  const actor = { kind: 'user', userId: `usr_${SECRET}`, tenantId: ALPHA } as const;
  const session = (): Promise<Session> =>
    store.createSession({ projectId: project.id, currentActor: actor }, ALPHA);
  const edgeOf = async (parent: Session, child: Session, change: Partial<SubSession> = {}) => {
    const ids = { parentSessionId: parent.id, childSessionId: child.id };
    const edge = await store.createSubSession(
      { ...ids, kind: 'agent_spawn', spawnedBy: actor },
      ALPHA,
    );
    await store.updateSubSession(
      { ...edge, status: 'idle', broadcastGroupId: SECRET, workspaceId: null, ...change },
      ALPHA,
    );
    return edge;
  };
  const [main, alone, source, parent, child, evicted, halfway] = [
    await session(),
    await session(),
    await session(),
    await session(),
    await session(),
    await session(),
    await session(),
  ] as const;
  for (const of of [main, child, evicted]) {
    await store.appendMessages(of.id, [said(SECRET), said(SECRET)], ALPHA, {
      idempotencyKey: SECRET,
    });
  }
  const summary: SessionSummaryRef = {
    // An id is told in refusals.
    id: generateSummaryId(),
    sessionRef: main.id,
    tenantId: ALPHA,
    outcome: { status: 'failed', verdict: SECRET },
    deliverables: [],
    agentSummary: SECRET,
    keyDecisions: [{ at: new Date(), summary: SECRET }],
    at: new Date(),
    materializedBy: 'kernel',
  };
  await store.recordSummary(summary, ALPHA);
  await store.updateSession({ ...source, status: 'locked' }, ALPHA);
  await store.updateSession({ ...halfway, status: 'locked' }, ALPHA);
  if (store instanceof DiskSessionStore) {
    const meta = {
      backend: 'git-worktree',
      repoRoot: SECRET,
      branch: SECRET,
      worktreePath: SECRET,
    };
    const workspace = { id: `wsp_${SECRET}`, meta, createdAt: new Date() } as const;
    await leaveIntent(root, halfway, ALPHA, SECRET, [workspace as WorkspaceRef]);
  }
  const edge = await edgeOf(main, child, { summaryRef: summary.id });
  const archived = await edgeOf(parent, main);
  await manager.archive(archived.id, ALPHA);
  const evicting = await edgeOf(parent, evicted);
  const tombstone = await manager.archive(evicting.id, ALPHA, { evict: true });
  const everything = async () => ({
    projects: await store.listProjects(ALPHA),
    sessions: await store.listSessionsByProject(project.id, ALPHA),
    messages: await store.loadSessionMessages(main.id, ALPHA),
    summary: await store.getSummary(main.id, ALPHA),
    views: [await store.drill(main.id, ALPHA), await store.drill(parent.id, ALPHA)],
    source: await store.getSession(source.id, ALPHA),
    halfway: await store.getSession(halfway.id, ALPHA),
    intent: intentOf(root, halfway),
    edges: [
      await store.getSubSession(archived.id, ALPHA),
      await store.getSubSession(edge.id, ALPHA),
    ],
  });
  return {
    project,
    session: main,
    alone,
    source,
    halfway,
    edge,
    archived,
    tombstone,
    evicted,
    summary,
    everything,
  };
}

function intentOf(root: string, source: Session): string | null {
  const file = join(root, intentFile(source));
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
