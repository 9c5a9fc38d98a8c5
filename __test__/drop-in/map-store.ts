import {
  type CreateProjectParams,
  type CreateSessionParams,
  type CreateSubSessionParams,
  generateMessageId,
  generateProjectId,
  generateSessionId,
  generateSubSessionId,
  getAncestry,
  getChildren,
  type LinkageView,
  type Message,
  orderChildren,
  type Project,
  type Session,
  type SessionId,
  type SessionMessage,
  type SessionStore,
  type SessionSummaryRef,
  type SubSession,
  type SubSessionId,
  type TenantId,
  TenantIsolationError,
} from 'namzu-native';

/** A store as an application writes one for its tests: maps, and the exported helpers. */
export class MapStore implements SessionStore, LinkageView {
  readonly projects = new Map<string, Project>();
  readonly sessions = new Map<string, Session>();
  readonly edges = new Map<string, SubSession>();
  readonly messages = new Map<string, SessionMessage[]>();
  readonly summaries = new Map<string, SessionSummaryRef>();

  async createProject(params: CreateProjectParams): Promise<Project> {
    const now = new Date();
    const config = { maxDelegationDepth: 4, maxDelegationWidth: 8, maxInterventionDepth: 10 };
    const dates = { createdAt: now, updatedAt: now };
    const project: Project = { id: generateProjectId(), ...params, config, ...dates };
    this.projects.set(project.id, project);
    return project;
  }

  async getProject(id: string): Promise<Project | null> {
    return this.projects.get(id) ?? null;
  }

  async createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session> {
    const now = new Date();
    const session: Session = {
      id: generateSessionId(),
      ...params,
      tenantId,
      status: 'idle',
      previousActors: [],
      workspaceId: null,
      ownerVersion: 0,
      createdAt: now,
      updatedAt: now,
    };
    this.sessions.set(session.id, session);
    return session;
  }

  async getSession(id: SessionId, tenantId: TenantId): Promise<Session | null> {
    const session = this.sessions.get(id) ?? null;
    if (session && session.tenantId !== tenantId) {
      throw new TenantIsolationError({ requested: tenantId, resource: `session(${id})` });
    }
    return session;
  }

  async updateSession(session: Session): Promise<void> {
    this.sessions.set(session.id, session);
  }

  async deleteSession(id: SessionId): Promise<void> {
    this.sessions.delete(id);
  }

  async createSubSession(params: CreateSubSessionParams): Promise<SubSession> {
    const now = new Date();
    const edge: SubSession = {
      id: generateSubSessionId(),
      failureMode: 'delegate',
      completionMode: 'summary_ref',
      ...params,
      status: 'pending',
      spawnedAt: now,
      workspaceId: null,
      updatedAt: now,
    };
    this.edges.set(edge.id, edge);
    return edge;
  }

  async getSubSession(id: SubSessionId): Promise<SubSession | null> {
    return this.edges.get(id) ?? null;
  }

  async updateSubSession(edge: SubSession): Promise<void> {
    this.edges.set(edge.id, edge);
  }

  async deleteSubSession(id: SubSessionId): Promise<void> {
    this.edges.delete(id);
  }

  async appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId) {
    const log = this.messages.get(sessionId) ?? [];
    const envelope = { id: generateMessageId(), sessionId, tenantId, message, at: new Date() };
    this.messages.set(sessionId, [...log, envelope]);
    return envelope.id;
  }

  async loadMessages(sessionId: SessionId): Promise<Message[]> {
    return (await this.loadSessionMessages(sessionId)).map(({ message }) => message);
  }

  async loadSessionMessages(sessionId: SessionId): Promise<SessionMessage[]> {
    return this.messages.get(sessionId) ?? [];
  }

  findChildSubSessions(parentId: SessionId): SubSession[] {
    return [...this.edges.values()].filter((edge) => edge.parentSessionId === parentId);
  }

  findParentSubSession(childId: SessionId): SubSession | null {
    return [...this.edges.values()].find((edge) => edge.childSessionId === childId) ?? null;
  }

  async getChildren(sessionId: SessionId): Promise<SubSession[]> {
    return orderChildren(getChildren(this, sessionId));
  }

  async getAncestry(sessionId: SessionId): Promise<readonly SessionId[]> {
    return getAncestry(this, sessionId);
  }

  async drill(sessionId: SessionId, tenantId: TenantId) {
    const session = await this.getSession(sessionId, tenantId);
    if (!session) return null;
    const children = await this.getChildren(sessionId);
    return { session, children, ancestry: await this.getAncestry(sessionId) };
  }

  async recordSummary(summary: SessionSummaryRef): Promise<void> {
    this.summaries.set(summary.sessionRef, summary);
  }

  async getSummary(sessionId: SessionId): Promise<SessionSummaryRef | null> {
    return this.summaries.get(sessionId) ?? null;
  }
}
