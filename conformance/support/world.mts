import type {
  ActorRef,
  Project,
  Session,
  SessionId,
  SessionStore,
  SessionSummaryRef,
  SubSession,
  TenantId,
} from 'namzu-native';
import { generateSummaryId } from 'namzu-native';

export const ALPHA: TenantId = 'tnt_alpha';
export const BETA: TenantId = 'tnt_beta';

export const UNKNOWN_SESSION: SessionId = 'ses_nobodyknows1';

export function userOf(tenantId: TenantId): ActorRef {
  return { kind: 'user', userId: 'usr_ada', tenantId };
}

export function agentOf(tenantId: TenantId): ActorRef {
  return { kind: 'agent', agentId: 'agt_writer', tenantId, parentActor: userOf(tenantId) };
}

/** A store with one project, and short ways to put sessions and edges into it. */
export class World {
  static async in(store: SessionStore, tenant: TenantId = ALPHA): Promise<World> {
    return new World(
      store,
      tenant,
      await store.createProject({ tenantId: tenant, name: 'World' }, tenant),
    );
  }

  private constructor(
    readonly store: SessionStore,
    readonly tenant: TenantId,
    readonly project: Project,
  ) {}

  session(currentActor: ActorRef | null = userOf(this.tenant)): Promise<Session> {
    return this.store.createSession({ projectId: this.project.id, currentActor }, this.tenant);
  }

  async sessions(count: number): Promise<Session[]> {
    const sessions: Session[] = [];
    for (let i = 0; i < count; i += 1) sessions.push(await this.session());
    return sessions;
  }

  /** An edge; with a second argument, spawned at that many milliseconds of the epoch. */
  async edge(parent: Session, child: Session, spawnedAtMs?: number): Promise<SubSession> {
    const edge = await this.store.createSubSession(
      {
        parentSessionId: parent.id,
        childSessionId: child.id,
        kind: 'agent_spawn',
        spawnedBy: userOf(this.tenant),
      },
      this.tenant,
    );
    return spawnedAtMs === undefined
      ? edge
      : this.change(edge, { spawnedAt: new Date(spawnedAtMs) });
  }

  /** Updates an edge and answers what is stored afterwards. */
  async change(edge: SubSession, change: Partial<SubSession>): Promise<SubSession> {
    await this.store.updateSubSession({ ...edge, ...change }, this.tenant);
    return present(await this.store.getSubSession(edge.id, this.tenant));
  }

  /** Updates a session and answers what is stored afterwards. */
  async changeSession(session: Session, change: Partial<Session>): Promise<Session> {
    await this.store.updateSession({ ...session, ...change }, this.tenant);
    return present(await this.store.getSession(session.id, this.tenant));
  }

  summary(session: Session, change: Partial<SessionSummaryRef> = {}): SessionSummaryRef {
    return {
      id: generateSummaryId(),
      sessionRef: session.id,
      tenantId: this.tenant,
      outcome: { status: 'succeeded' },
      deliverables: [],
      agentSummary: 'Done.',
      keyDecisions: [],
      at: new Date('2026-01-02T03:04:05.678Z'),
      materializedBy: 'kernel',
      ...change,
    };
  }
}

/** The value, which must be there. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value, got none');
  return value;
}
