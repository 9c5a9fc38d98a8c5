/** Stores, drivers and assignments for the tests of handoffs. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ActorRef,
  DefaultCapacityValidator,
  DiskSessionStore,
  generateHandoffId,
  generateMessageId,
  generateProjectId,
  generateSessionId,
  generateSubSessionId,
  generateTenantId,
  generateWorkspaceId,
  type HandoffAssignment,
  type HandoffEventSink,
  InMemorySessionStore,
  type Project,
  type Session,
  type SessionStore,
  type SingleHandoffDeps,
  type SubSession,
  type TenantId,
  type WorkspaceBackendDriver,
  WorkspaceBackendRegistry,
  type WorkspaceRef,
  type WorkspaceRegistry,
} from 'namzu-native';
import { afterAll } from 'vitest';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(name = 'namzu-handoff-'): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}

/** A store as an application might write one: plain maps, and fields that we know nothing of. */
export class JsSessionStore implements Partial<SessionStore> {
  readonly sessions = new Map<string, Session & Record<string, unknown>>();
  readonly edges = new Map<string, SubSession>();
  readonly projects = new Map<string, Project>();

  async createProject({ tenantId, name }: { tenantId: TenantId; name: string }) {
    const config = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };
    const at = new Date();
    const project: Project = {
      id: generateProjectId(),
      tenantId,
      name,
      config,
      createdAt: at,
      updatedAt: at,
    };
    this.projects.set(project.id, project);
    return project;
  }

  async getProject(id: string) {
    return this.projects.get(id) ?? null;
  }

  async createSession(
    { projectId, currentActor }: Pick<Session, 'projectId' | 'currentActor'>,
    tenantId: TenantId,
  ) {
    const at = new Date();
    const session = {
      id: generateSessionId(),
      projectId,
      tenantId,
      status: 'idle' as const,
      currentActor,
      previousActors: [],
      workspaceId: null,
      ownerVersion: 0,
      createdAt: at,
      updatedAt: at,
      // What JSON could not carry.
      labels: new Map([['a', 1]]),
      big: 12n,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  async getSession(id: string) {
    return this.sessions.get(id) ?? null;
  }

  async updateSession(session: Session, _tenant: TenantId, _expected?: number) {
    this.sessions.set(session.id, session as Session & Record<string, unknown>);
  }

  async deleteSession(id: string) {
    this.sessions.delete(id);
  }

  async createSubSession(params: Parameters<SessionStore['createSubSession']>[0]) {
    const at = new Date();
    const edge: SubSession = {
      id: generateSubSessionId(),
      status: 'pending',
      spawnedAt: at,
      updatedAt: at,
      failureMode: 'delegate',
      completionMode: 'summary_ref',
      workspaceId: null,
      ...params,
    };
    this.edges.set(edge.id, edge);
    return edge;
  }

  async deleteSubSession(id: string) {
    this.edges.delete(id);
  }

  async getChildren(id: string) {
    return [...this.edges.values()].filter((edge) => edge.parentSessionId === id);
  }

  async getAncestry(id: string) {
    const path = [id];
    for (;;) {
      const edge = [...this.edges.values()].find((e) => e.childSessionId === path[0]);
      if (edge === undefined) return path as Session['id'][];
      path.unshift(edge.parentSessionId);
    }
  }

  async appendMessage() {
    return generateMessageId();
  }
}

export type StoreKind = 'memory' | 'disk' | 'js';
export const STORE_KINDS: readonly StoreKind[] = ['memory', 'disk', 'js'];

export function makeStore(kind: StoreKind): SessionStore {
  if (kind === 'memory') return new InMemorySessionStore();
  if (kind === 'disk') return new DiskSessionStore({ rootDir: temporaryFolder() });
  return new JsSessionStore() as unknown as SessionStore;
}

/** A registry that has one driver for every kind. */
export function registryOf(driver: WorkspaceBackendDriver): WorkspaceRegistry {
  return { register() {}, get: () => driver, has: () => true };
}

/** A driver that keeps its workspaces in a set. */
export class FakeDriver implements WorkspaceBackendDriver {
  readonly kind = 'git-worktree' as const;
  readonly labels: (string | undefined)[] = [];
  readonly live = new Map<string, WorkspaceRef>();
  disposed = 0;

  async create({ label }: { label?: string }): Promise<WorkspaceRef> {
    this.labels.push(label);
    const ref: WorkspaceRef = {
      id: generateWorkspaceId(),
      meta: { backend: 'git-worktree', repoRoot: '/r', branch: `b/${label}`, worktreePath: '/w' },
      createdAt: new Date(),
    };
    this.live.set(ref.id, ref);
    return ref;
  }

  branch(_source: WorkspaceRef, params: { label?: string }) {
    return this.create(params);
  }

  async dispose(ref: WorkspaceRef) {
    // The very object that `create` answered.
    if (this.live.get(ref.id) !== ref) throw new Error('another workspace');
    this.live.delete(ref.id);
    this.disposed += 1;
  }

  async inspect(ref: WorkspaceRef) {
    return { exists: this.live.has(ref.id), currentRef: '', isDirty: false };
  }
}

/** Notes every event by its name. */
export class RecordingSink implements HandoffEventSink {
  readonly names: string[] = [];
  readonly events: Record<string, unknown>[] = [];

  private note(name: string, event: object) {
    this.names.push(name);
    this.events.push(event as Record<string, unknown>);
  }

  onLocked(event: object) {
    this.note('locked', event);
  }
  onUnlocked(event: object) {
    this.note('unlocked', event);
  }
  onCommitted(event: object) {
    this.note('committed', event);
  }
  onBroadcastRollback(event: object) {
    this.note('rollback', event);
  }
}

export interface Scene {
  store: SessionStore;
  tenant: TenantId;
  project: Project;
  source: Session;
  driver: FakeDriver;
  sink: RecordingSink;
  deps: SingleHandoffDeps;
}

export function user(tenantId: TenantId, name: string): ActorRef {
  return { kind: 'user', userId: `usr_${name}`, tenantId };
}

export function agent(tenantId: TenantId, name: string): ActorRef {
  return { kind: 'agent', agentId: `agt_${name}`, tenantId };
}

/** A project with one session, and what it takes to hand that over. */
export async function scene(store: SessionStore): Promise<Scene> {
  const tenant = generateTenantId();
  const project = await store.createProject({ tenantId: tenant, name: 'P' }, tenant);
  const source = await store.createSession(
    { projectId: project.id, currentActor: user(tenant, 'first') },
    tenant,
  );
  const driver = new FakeDriver();
  const workspaceRegistry = new WorkspaceBackendRegistry();
  workspaceRegistry.register(driver);
  const sink = new RecordingSink();
  const capacity = new DefaultCapacityValidator(store);
  const deps = { store, workspaceRegistry, capacity, events: sink };
  return { store, tenant, project, source, driver, sink, deps };
}

export function single(
  { tenant, project, source }: Scene,
  changes: Partial<HandoffAssignment> = {},
): HandoffAssignment {
  return {
    id: generateHandoffId(),
    mode: 'single',
    sourceSessionId: source.id,
    tenantId: tenant,
    projectId: project.id,
    sourceActor: user(tenant, 'first'),
    recipientActor: agent(tenant, 'second'),
    expectedOwnerVersion: 0,
    createdAt: new Date(),
    ...changes,
  };
}

export function broadcast(scene: Scene, recipients: number): HandoffAssignment[] {
  return Array.from({ length: recipients }, (_, n) =>
    single(scene, {
      mode: 'broadcast',
      broadcastId: 'brc_1',
      recipientActor: agent(scene.tenant, `r${n}`),
    }),
  );
}
