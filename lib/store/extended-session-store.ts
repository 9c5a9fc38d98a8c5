/** What the stores of this package do beyond the contract that applications implement. */

import type { MessageId, ProjectId, SessionId, TenantId } from '../ids';
import type { Message, SessionMessage } from '../message';
import type { Page, PageOptions } from '../page';
import type { Project, ProjectConfigPatch } from '../project';
import type { Session, SessionStatus } from '../session';
import type { CreateProjectParams, SessionStore } from './session-store';

/** Which part of a project's sessions is wanted. */
export interface ListSessionsOptions extends PageOptions {
  /** Only sessions of this status. */
  readonly status?: SessionStatus | undefined;
}

/** What a new project is made from, its configuration included. */
export interface CreateConfiguredProjectParams extends CreateProjectParams {
  /** Any part of the configuration; the rest gets its default. */
  config?: ProjectConfigPatch | undefined;
}

/** How messages are appended. */
export interface AppendOptions {
  /**
   * Names the append, so that it can be sent again when it is not known whether it
   * arrived: the second time appends nothing and answers the first time's ids.
   */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Which messages are wanted: those after `after` and before `before`; of these
 * the first `limit` where there is an `after`, otherwise the last `limit`.
 */
export interface MessageRange {
  readonly limit?: number | undefined;
  readonly before?: MessageId | undefined;
  readonly after?: MessageId | undefined;
}

/**
 * A {@link SessionStore} that also lists, pages, streams and replaces.
 * `InMemorySessionStore` and `DiskSessionStore` implement it.
 */
export interface ExtendedSessionStore extends SessionStore {
  /** As {@link SessionStore.createProject}, with any part of the configuration. */
  createProject(params: CreateConfiguredProjectParams, tenantId: TenantId): Promise<Project>;

  /**
   * Changes part of a project's configuration, key by key, and stamps
   * `updatedAt`. A key that is absent or `undefined` is left alone.
   *
   * @returns the changed project, or `null` when there is none with this id
   */
  updateProject(
    id: ProjectId,
    config: ProjectConfigPatch,
    tenantId: TenantId,
  ): Promise<Project | null>;

  /**
   * The tenant's projects, oldest first; those of one millisecond in the order of their creation,
   * as far as this package created them, else by id. A cursor stays valid while
   * projects come and go: one that is there throughout comes exactly once.
   */
  listProjects(tenantId: TenantId, page?: PageOptions): Promise<Page<Project>>;

  /**
   * The sessions whose records say this project, ordered likewise; an empty page when there
   * is no such project. Cursors are as those of
   * {@link ExtendedSessionStore.listProjects}.
   */
  listSessionsByProject(
    projectId: ProjectId,
    tenantId: TenantId,
    options?: ListSessionsOptions,
  ): Promise<Page<Session>>;

  /**
   * As {@link SessionStore.appendMessage}, once only for an idempotency key.
   *
   * @throws IdempotencyConflictError when the key was used for another message
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  appendMessage(
    sessionId: SessionId,
    message: Message,
    tenantId: TenantId,
    options?: AppendOptions,
  ): Promise<MessageId>;

  /**
   * Appends messages, all or none, with nothing of another caller between them: an
   * assistant's tool calls and their results never come apart.
   *
   * @returns the ids that the messages got, in order
   * @throws Error (`… not found`) when there is no such session
   * @throws IdempotencyConflictError when the key was used for other messages
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  appendMessages(
    sessionId: SessionId,
    messages: readonly Message[],
    tenantId: TenantId,
    options?: AppendOptions,
  ): Promise<readonly MessageId[]>;

  /**
   * The messages in the order of their appending, or the part of them that
   * `range` selects. What a part costs follows its size, not the log's length.
   *
   * @throws InvalidArgumentError when `range` names a message that is not there
   * @throws LogTooLargeError when the messages are too many for one list: read
   *   them with {@link ExtendedSessionStore.streamMessages}, or in parts
   */
  loadMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): Promise<readonly Message[]>;

  /** As {@link ExtendedSessionStore.loadMessages}, each message in its envelope. */
  loadSessionMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): Promise<readonly SessionMessage[]>;

  /**
   * The messages one by one, in memory that does not grow with the log: those that
   * are there when the first is asked for. A stream that has begun goes on to its end as
   * it began when messages are replaced, evicted or deleted meanwhile.
   *
   * @example
   * ```ts
   * for await (const { message } of store.streamMessages(session.id, tenant)) {
   *   console.log(message.role);
   * }
   * ```
   */
  streamMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): AsyncIterableIterator<SessionMessage>;

  /**
   * Compacts a session: readers see `messages` from now on, with new ids, instead
   * of what was there. The earlier lines stay in the log file, which only ever
   * grows.
   *
   * A log with such a replacement is the one thing that `@namzu/sdk` 0.2.0 itself
   * misreads: do not replace messages in a root that it still opens. Later releases
   * of it write and read the same lines.
   *
   * @throws Error (`… not found`) when there is no such session
   * @throws SessionEvictedError while the session's messages are in an archive only
   */
  replaceMessages(
    sessionId: SessionId,
    messages: readonly Message[],
    tenantId: TenantId,
  ): Promise<void>;

  /**
   * Resolves when everything that this store answered before is synced and in the
   * records. Where a write is answered only then, as in memory, it resolves at once.
   *
   * @throws StoreIoError when it cannot be synced, or could not be since the last flush
   */
  flush(): Promise<void>;

  /** How many messages `loadMessages` would answer; 0 when there is no such session. */
  countMessages(sessionId: SessionId, tenantId: TenantId): Promise<number>;

  /**
   * Looks again at what other programs wrote into the store's directory while it is open: a
   * restored backup, another tool, `@namzu/sdk` itself. What was there when it was opened is
   * seen without. In memory there is nothing to look at.
   *
   * @throws {StoreIoError} When something in the directory cannot be read.
   *
   * @example
   * ```ts
   * // Another program changed the directory.
   * await store.refresh();
   * const line = await store.getAncestry(session.id, tenant);
   * ```
   */
  refresh(): Promise<void>;
}

/**
 * A store that is closed when it is no longer used, by `close()` or at the end of an
 * `await using` block. `InMemorySessionStore` and `DiskSessionStore` implement it.
 *
 * @example
 * ```ts
 * async function withStore(store: ClosableSessionStore): Promise<void> {
 *   await using open = store;
 *   await open.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * }
 * ```
 */
export interface ClosableSessionStore extends ExtendedSessionStore {
  /**
   * Finishes what was started and lets go of what the store holds. Later calls reject with
   * `StoreClosedError`; closing again does nothing.
   */
  close(): Promise<void>;
  /** Closes the store at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}
