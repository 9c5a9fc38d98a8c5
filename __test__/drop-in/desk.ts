import {
  type ActorRef,
  createAssistantMessage,
  createSystemMessage,
  createUserMessage,
  generateSummaryId,
  type Session,
  type SessionId,
  type SessionStore,
  type SubSession,
  type TenantId,
} from 'namzu-native';

/** A small application, as one for the original package would be: a desk that delegates work. */
export class Desk {
  constructor(
    private readonly store: SessionStore,
    private readonly tenantId: TenantId,
  ) {}

  async open(name: string): Promise<Session> {
    const { store, tenantId } = this;
    const project = await store.createProject({ tenantId, name }, tenantId);
    const currentActor: ActorRef = { kind: 'user', userId: 'usr_dispatcher', tenantId };
    return store.createSession({ projectId: project.id, currentActor }, tenantId);
  }

  async ask(sessionId: SessionId, question: string, answer: string): Promise<void> {
    await this.store.appendMessage(sessionId, createUserMessage(question), this.tenantId);
    await this.store.appendMessage(sessionId, createAssistantMessage(answer), this.tenantId);
  }

  /** Spawns an agent's session below the given one, and undoes that when it cannot be briefed. */
  async delegate(parent: Session, agent: string, briefing: string): Promise<SubSession> {
    const { store, tenantId } = this;
    const currentActor: ActorRef = {
      kind: 'agent',
      agentId: `agt_${agent}`,
      tenantId,
      ...(parent.currentActor && { parentActor: parent.currentActor }),
    };
    const child = await store.createSession(
      { projectId: parent.projectId, currentActor },
      tenantId,
    );
    const edge = await store.createSubSession(
      {
        parentSessionId: parent.id,
        childSessionId: child.id,
        kind: 'agent_spawn',
        spawnedBy: currentActor,
      },
      tenantId,
    );
    try {
      await store.appendMessage(child.id, createSystemMessage(briefing, 'cache'), tenantId);
    } catch (error) {
      await store.deleteSubSession(edge.id, tenantId);
      await store.deleteSession(child.id, tenantId);
      throw error;
    }
    return edge;
  }

  async finish(edge: SubSession, agentSummary: string): Promise<void> {
    const { store, tenantId } = this;
    const id = generateSummaryId();
    await store.recordSummary(
      {
        id,
        sessionRef: edge.childSessionId,
        tenantId,
        outcome: { status: 'succeeded' },
        deliverables: [],
        agentSummary,
        keyDecisions: [{ at: new Date(0), summary: 'kept it short' }],
        at: new Date(1),
        materializedBy: 'kernel',
      },
      tenantId,
    );
    edge.status = 'merged';
    edge.summaryRef = id;
    await store.updateSubSession(edge, tenantId);
  }

  async takeOver(sessionId: SessionId, currentActor: ActorRef): Promise<Session | null> {
    const session = await this.store.getSession(sessionId, this.tenantId);
    if (!session) return null;
    const previousActors = session.currentActor
      ? [...session.previousActors, session.currentActor]
      : session.previousActors;
    const ownerVersion = session.ownerVersion + 1;
    await this.store.updateSession(
      { ...session, currentActor, previousActors, ownerVersion },
      this.tenantId,
    );
    return this.store.getSession(sessionId, this.tenantId);
  }

  /** The tree below a session, a line for each, indented by its depth. */
  async outline(sessionId: SessionId): Promise<string[]> {
    const view = await this.store.drill(sessionId, this.tenantId);
    if (!view) return [];
    const messages = await this.store.loadMessages(sessionId, this.tenantId);
    const summary = await this.store.getSummary(sessionId, this.tenantId);
    const indent = '  '.repeat(view.ancestry.length - 1);
    const result = summary ? `, ${summary.agentSummary}` : '';
    const lines = [`${indent}${messages.length} messages${result}`];
    for (const edge of view.children) lines.push(...(await this.outline(edge.childSessionId)));
    return lines;
  }
}
