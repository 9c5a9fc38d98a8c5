/** The contract of a session store. */

import type { ActorRef } from '../actor';
import type { MessageId, ProjectId, SessionId, SubSessionId, TenantId } from '../ids';
import type { Message, SessionMessage } from '../message';
import type { Project } from '../project';
import type { Session } from '../session';
import type {
  CompletionMode,
  FailureMode,
  SessionView,
  SubSession,
  SubSessionKind,
} from '../sub-session';
import type { SessionSummaryRef } from '../summary';

/** What a new project is made from. */
export interface CreateProjectParams {
  /** Must be the tenant that asks. */
  tenantId: TenantId;
  name: string;
}

/** What a new session is made from. */
export interface CreateSessionParams {
  projectId: ProjectId;
  /** The first owner; `null` while the session has no owner. */
  currentActor: ActorRef | null;
}

/** What a new sub-session is made from. */
export interface CreateSubSessionParams {
  parentSessionId: SessionId;
  childSessionId: SessionId;
  kind: SubSessionKind;
  spawnedBy: ActorRef;
  /** `delegate` when absent. */
  failureMode?: FailureMode | undefined;
  /** `summary_ref` when absent. */
  completionMode?: CompletionMode | undefined;
}

/**
 * Keeps projects, their sessions, the messages of these, and the edges between
 * them. `InMemorySessionStore` and `DiskSessionStore` implement it;
 * applications may implement it as well.
 *
 * Every method takes the tenant that asks. A record of another tenant rejects
 * with `TenantIsolationError`, whatever the method. Every failure is a
 * rejection; no method throws synchronously. Beside the errors listed below,
 * any method of this package's stores rejects with `InvalidArgumentError` for an
 * argument of the wrong type, and any method of `DiskSessionStore` with
 * `StoreIoError` or `CorruptRecordError` for a file that fails or is damaged.
 * A read with a malformed id answers as for a missing record.
 *
 * What a method answers belongs to the caller: changing it changes nothing in
 * the store. A read that follows an answered write sees it.
 */
export interface SessionStore {
  /**
   * Creates a project with the default limits.
   *
   * @returns the new project; its two dates are equal
   * @throws TenantIsolationError when `params.tenantId` is not `tenantId`
   */
  createProject(params: CreateProjectParams, tenantId: TenantId): Promise<Project>;

  /** The project, or `null` when there is none with this id. */
  getProject(id: ProjectId, tenantId: TenantId): Promise<Project | null>;

  /**
   * Creates a session: `idle`, at owner version 0, without previous actors and
   * without a workspace.
   *
   * @returns the new session; its two dates are equal
   * @throws Error (`… not found`) when there is no such project
   */
  createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session>;

  /** The session, or `null` when there is none with this id. */
  getSession(id: SessionId, tenantId: TenantId): Promise<Session | null>;

  /**
   * Replaces the session's record by the given one and stamps `updatedAt`.
   * `createdAt` is taken as given; an optional field that is absent is cleared.
   *
   * @param expectedOwnerVersion when given, the update takes place only if the
   *   stored session is at this owner version, both in one atomic step
   * @throws Error (`… not found`) when there is no such session
   * @throws StaleSessionError when the stored owner version is another
   * @throws TenantIsolationError when `session.tenantId` is not `tenantId`
   */
  updateSession(session: Session, tenantId: TenantId, expectedOwnerVersion?: number): Promise<void>;

  /**
   * Deletes the session with its messages and its summary. Does nothing when it
   * is missing.
   *
   * @throws Error (`… attached sub-sessions`) while a sub-session names it as
   *   parent or as child
   */
  deleteSession(id: SessionId, tenantId: TenantId): Promise<void>;

  /**
   * Creates an edge from one session to another: `pending`, without a workspace.
   * An edge that closes a cycle is accepted; reading through it is the error.
   *
   * @returns the new edge; its two dates are equal
   * @throws Error (`… not found`) when either session is missing
   */
  createSubSession(params: CreateSubSessionParams, tenantId: TenantId): Promise<SubSession>;

  /** The edge, or `null` when there is none with this id. */
  getSubSession(id: SubSessionId, tenantId: TenantId): Promise<SubSession | null>;

  /**
   * Replaces the edge's record by the given one and stamps `updatedAt`.
   * `spawnedAt` is taken as given; an optional field that is absent is cleared;
   * another parent or child changes the tree.
   *
   * @throws Error (`… not found`) when there is no such edge
   */
  updateSubSession(sub: SubSession, tenantId: TenantId): Promise<void>;

  /** Deletes the edge, never its child session. Does nothing when it is missing. */
  deleteSubSession(id: SubSessionId, tenantId: TenantId): Promise<void>;

  /**
   * Appends a message to a session. The message is kept as `JSON.stringify`
   * writes it, unknown fields included.
   *
   * @returns the id that the message got
   * @throws Error (`… not found`) when there is no such session
   */
  appendMessage(sessionId: SessionId, message: Message, tenantId: TenantId): Promise<MessageId>;

  /** The messages in the order of their appending; `[]` when there are none, or no session. */
  loadMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly Message[]>;

  /** As {@link SessionStore.loadMessages}, each message in its envelope. */
  loadSessionMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionMessage[]>;

  /**
   * The edges one level below the session, ordered by `spawnedAt`, then id;
   * `[]` when there is no such session. Edges of other tenants are left out.
   */
  getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]>;

  /**
   * The sessions from the root down to this one; `[]` when there is no such
   * session. Of several edges to a session the earliest `spawnedAt`, then the
   * smallest id, leads to its parent.
   *
   * @throws AncestryCycleError when the session is its own ancestor
   */
  getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]>;

  /**
   * The session with its children and its ancestry, all of one instant, or
   * `null` when there is no such session.
   *
   * @throws AncestryCycleError when the session is its own ancestor
   */
  drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null>;

  /**
   * Keeps the summary of a session, and in the same step sets a session that is
   * `active`, `locked` or `awaiting_merge` to `idle`. The same summary id again
   * is accepted, and only replays the change of the status.
   *
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionAlreadySummarizedError when the session has another summary
   * @throws TenantIsolationError when `summary.tenantId` is not `tenantId`
   */
  recordSummary(summary: SessionSummaryRef, tenantId: TenantId): Promise<void>;

  /** The summary of the session, or `null` when it has none. */
  getSummary(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null>;
}
