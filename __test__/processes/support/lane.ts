import type {
  ActorRef,
  Message,
  MessageId,
  ProjectId,
  Session,
  SessionId,
  SessionStore,
  SubSession,
  SubSessionId,
  SummaryId,
} from 'namzu-native';
import { generateSummaryId } from 'namzu-native';
import type { Prng } from '../../support/prng.js';
import { ALPHA, userOf } from '../../support/world.js';
import { StoreGoneError } from './remote-store.js';

/** What a lane knows of one of its sessions. */
export interface Known {
  readonly id: SessionId;
  version: number;
  status: 'idle' | 'active';
  messages: MessageId[];
  summary: SummaryId | null;
  edge: SubSession | null;
}

/** The call that was not answered when the store went away. */
export type Pending =
  | { readonly do: 'create session' }
  | { readonly do: 'append' | 'update' | 'delete session'; readonly session: SessionId }
  | { readonly do: 'append to the shared log' }
  | { readonly do: 'summarize'; readonly session: SessionId; readonly summary: SummaryId }
  | { readonly do: 'create edge'; readonly child: SessionId }
  | { readonly do: 'update edge' | 'delete edge'; readonly edge: SubSessionId };

export const ownerAt = (version: number): ActorRef => ({
  kind: 'agent',
  agentId: `agt_${version}`,
  tenantId: ALPHA,
});

export interface LanePlace {
  readonly name: string;
  readonly project: ProjectId;
  /** A session that every lane appends to. */
  readonly shared: SessionId;
}

/**
 * One caller that changes a store, a random call after the other, and knows what was acknowledged.
 * Apart from the shared log, nobody else touches its sessions.
 */
export class Lane {
  root: Known | null = null;
  readonly children = new Map<SessionId, Known>();
  readonly deletedSessions: SessionId[] = [];
  readonly deletedEdges: SubSessionId[] = [];
  readonly sharedMessages: MessageId[] = [];
  pending: Pending | null = null;
  acknowledged = 0;

  constructor(
    readonly place: LanePlace,
    readonly random: Prng,
  ) {}

  /** What message `n` of a log says: never the same twice, of very different lengths. */
  message(log: string, n: number): Message {
    const filler = '\u{1f9f5}é-'.repeat((n * 7919) % 13 === 0 ? 3_000 : (n * 31) % 90);
    return { role: 'user', content: `${this.place.name}/${log}/${n} ${filler}` };
  }

  /** Calls the store until it goes away; any other failure is an error. */
  async run(store: SessionStore): Promise<void> {
    try {
      for (;;) await this.#step(store);
    } catch (error) {
      if (!(error instanceof StoreGoneError)) throw error;
    }
  }

  async #step(store: SessionStore): Promise<void> {
    const { root, random } = this;
    if (root === null) {
      this.root = await this.#createSession(store);
      return;
    }
    const children = [...this.children.values()];
    if (random.chance(0.15)) return this.#appendShared(store);
    if (children.length === 0 || random.chance(0.4)) {
      if (children.length < 3 && random.chance(0.3)) {
        const child = await this.#createSession(store);
        this.children.set(child.id, child);
        return;
      }
      return this.#append(store, random.pick([root, ...children]));
    }
    const child = random.pick(children);
    if (child.edge === null) {
      if (random.chance(0.25)) return this.#deleteSession(store, child);
      return this.#createEdge(store, root, child);
    }
    if (random.chance(0.3)) return this.#deleteEdge(store, child, child.edge);
    if (random.chance(0.3)) return this.#updateEdge(store, child, child.edge);
    if (child.summary === null && child.status === 'active') return this.#summarize(store, child);
    return this.#update(store, random.chance(0.5) ? root : child);
  }

  async #acknowledged<T>(pending: Pending, answer: Promise<T>): Promise<T> {
    this.pending = pending;
    const value = await answer;
    this.pending = null;
    this.acknowledged += 1;
    return value;
  }

  async #createSession(store: SessionStore): Promise<Known> {
    const params = { projectId: this.place.project, currentActor: ownerAt(0) };
    const { id } = await this.#acknowledged(
      { do: 'create session' },
      store.createSession(params, ALPHA),
    );
    return { id, version: 0, status: 'idle', messages: [], summary: null, edge: null };
  }

  async #append(store: SessionStore, known: Known): Promise<void> {
    const message = this.message(known.id, known.messages.length);
    const answer = store.appendMessage(known.id, message, ALPHA);
    known.messages.push(await this.#acknowledged({ do: 'append', session: known.id }, answer));
  }

  async #appendShared(store: SessionStore): Promise<void> {
    const { shared } = this.place;
    const answer = store.appendMessage(
      shared,
      this.message(shared, this.sharedMessages.length),
      ALPHA,
    );
    this.sharedMessages.push(await this.#acknowledged({ do: 'append to the shared log' }, answer));
  }

  async #update(store: SessionStore, known: Known): Promise<void> {
    const session: Session = {
      id: known.id,
      projectId: this.place.project,
      tenantId: ALPHA,
      status: 'active',
      currentActor: ownerAt(known.version + 1),
      previousActors: [],
      workspaceId: null,
      ownerVersion: known.version + 1,
      createdAt: new Date(0),
      updatedAt: new Date(0),
    };
    const answer = store.updateSession(session, ALPHA, known.version);
    await this.#acknowledged({ do: 'update', session: known.id }, answer);
    known.version += 1;
    known.status = 'active';
  }

  async #deleteSession(store: SessionStore, known: Known): Promise<void> {
    const answer = store.deleteSession(known.id, ALPHA);
    await this.#acknowledged({ do: 'delete session', session: known.id }, answer);
    this.children.delete(known.id);
    this.deletedSessions.push(known.id);
  }

  async #createEdge(store: SessionStore, parent: Known, child: Known): Promise<void> {
    const answer = store.createSubSession(
      {
        parentSessionId: parent.id,
        childSessionId: child.id,
        kind: 'agent_spawn',
        spawnedBy: userOf(ALPHA),
      },
      ALPHA,
    );
    child.edge = await this.#acknowledged({ do: 'create edge', child: child.id }, answer);
  }

  async #updateEdge(store: SessionStore, child: Known, edge: SubSession): Promise<void> {
    const changed: SubSession = { ...edge, status: edge.status === 'idle' ? 'active' : 'idle' };
    const answer = store.updateSubSession(changed, ALPHA);
    await this.#acknowledged({ do: 'update edge', edge: edge.id }, answer);
    child.edge = changed;
  }

  async #deleteEdge(store: SessionStore, child: Known, edge: SubSession): Promise<void> {
    const answer = store.deleteSubSession(edge.id, ALPHA);
    await this.#acknowledged({ do: 'delete edge', edge: edge.id }, answer);
    child.edge = null;
    this.deletedEdges.push(edge.id);
  }

  async #summarize(store: SessionStore, known: Known): Promise<void> {
    const summary = generateSummaryId();
    const answer = store.recordSummary(
      {
        id: summary,
        sessionRef: known.id,
        tenantId: ALPHA,
        outcome: { status: 'succeeded' },
        deliverables: [],
        agentSummary: known.id,
        keyDecisions: [],
        at: new Date(0),
        materializedBy: 'kernel',
      },
      ALPHA,
    );
    await this.#acknowledged({ do: 'summarize', session: known.id, summary }, answer);
    known.summary = summary;
    known.status = 'idle';
  }
}
