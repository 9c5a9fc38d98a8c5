/** What both stores share: every method, over a store of the compiled core. */

import * as argument from '../arguments';
import { publicError } from '../errors/from-native';
import type { MessageId, ProjectId, SessionId, SubSessionId, TenantId } from '../ids';
import * as json from '../json';
import type { Message, SessionMessage } from '../message';
import type { Page, PageOptions } from '../page';
import type { Project, ProjectConfig, ProjectConfigPatch } from '../project';
import type { Session } from '../session';
import type { SessionView, SubSession } from '../sub-session';
import type { SessionSummaryRef } from '../summary';
import { time } from '../time';
import { coreOf, notFound, sourceOf } from './core';
import type {
  AppendOptions,
  ClosableSessionStore,
  CreateConfiguredProjectParams,
  ListSessionsOptions,
  MessageRange,
} from './extended-session-store';
import { guardOf } from './guarded-update';
import { showInside } from './inspection';
import { MessageStream } from './message-stream';
import type { CreateSessionParams, CreateSubSessionParams } from './session-store';

const CONFIG_KEYS: readonly (keyof ProjectConfig)[] = [
  'maxDelegationDepth',
  'maxDelegationWidth',
  'maxInterventionDepth',
  'sharedMemoryStores',
  'sharedVaults',
  'sharedKnowledgeBases',
  'sharedDeliverables',
  'retentionPolicy',
];

/**
 * The arguments are checked and written as JSON before the first `await`, so
 * that what the caller does to them afterwards changes nothing.
 */
export abstract class NativeSessionStore implements ClosableSessionStore {
  async createProject(params: CreateConfiguredProjectParams, tenantId: TenantId): Promise<Project> {
    try {
      const { tenantId: owner, name, config } = argument.object('params', params);
      const text = argument.json('params', { tenantId: owner, name, config });
      return json.parseProject(
        await coreOf(this).createProject(text, argument.tenant(tenantId), time()),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getProject(id: ProjectId, tenantId: TenantId): Promise<Project | null> {
    try {
      const text = await coreOf(this).getProject(
        argument.string('id', id),
        argument.tenant(tenantId),
      );
      return text === null ? await notFound(this, null) : json.parseProject(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async updateProject(
    id: ProjectId,
    config: ProjectConfigPatch,
    tenantId: TenantId,
  ): Promise<Project | null> {
    try {
      const text = await coreOf(this).updateProject(
        argument.writtenId('id', 'ProjectId', 'prj_', id),
        argument.json(
          'config',
          argument.known('config', argument.object('config', config), CONFIG_KEYS),
        ),
        argument.tenant(tenantId),
        time(),
      );
      return text === null ? null : json.parseProject(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async listProjects(tenantId: TenantId, page?: PageOptions): Promise<Page<Project>> {
    try {
      const { limit, cursor } = argument.options('page', page, ['limit', 'cursor']);
      return json.parseProjects(
        await coreOf(this).listProjects(
          argument.tenant(tenantId),
          argument.json('page', { limit: argument.amount('page.limit', limit), cursor }),
        ),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async listSessionsByProject(
    projectId: ProjectId,
    tenantId: TenantId,
    options?: ListSessionsOptions,
  ): Promise<Page<Session>> {
    try {
      const { limit, cursor, status } = argument.options('options', options, [
        'limit',
        'cursor',
        'status',
      ]);
      const text = argument.json('options', {
        limit: argument.amount('options.limit', limit),
        cursor,
        status,
      });
      return json.parseSessions(
        await coreOf(this).listSessionsByProject(
          argument.string('projectId', projectId),
          argument.tenant(tenantId),
          text,
        ),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session> {
    try {
      const { projectId, currentActor } = argument.object('params', params);
      if (currentActor != null) argument.object('params.currentActor', currentActor);
      const text = argument.json('params', { projectId, currentActor: currentActor ?? null });
      return json.parseSession(
        await coreOf(this).createSession(text, argument.tenant(tenantId), time()),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getSession(id: SessionId, tenantId: TenantId): Promise<Session | null> {
    try {
      const sessionId = argument.string('id', id);
      const tenant = argument.tenant(tenantId);
      const text = await coreOf(this).getSession(sessionId, tenant);
      return text === null ? await notFound(this, null) : json.parseSession(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async updateSession(
    session: Session,
    tenantId: TenantId,
    expectedOwnerVersion?: number,
  ): Promise<void> {
    try {
      await coreOf(this).updateSession(
        argument.json('session', session),
        argument.tenant(tenantId),
        argument.ownerVersion(expectedOwnerVersion),
        time(),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async deleteSession(id: SessionId, tenantId: TenantId): Promise<void> {
    try {
      await coreOf(this).deleteSession(argument.string('id', id), argument.tenant(tenantId));
    } catch (error) {
      throw publicError(error);
    }
  }

  async createSubSession(params: CreateSubSessionParams, tenantId: TenantId): Promise<SubSession> {
    try {
      const { parentSessionId, childSessionId, kind, spawnedBy, failureMode, completionMode } =
        argument.object('params', params);
      const text = argument.json('params', {
        parentSessionId,
        childSessionId,
        kind,
        spawnedBy,
        failureMode,
        completionMode,
      });
      return json.parseSubSession(
        await coreOf(this).createSubSession(text, argument.tenant(tenantId), time()),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getSubSession(id: SubSessionId, tenantId: TenantId): Promise<SubSession | null> {
    try {
      const text = await coreOf(this).getSubSession(
        argument.string('id', id),
        argument.tenant(tenantId),
      );
      return text === null ? null : json.parseSubSession(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async updateSubSession(sub: SubSession, tenantId: TenantId): Promise<void> {
    try {
      const text = argument.json('sub', sub);
      argument.optionalDate('sub.archivedAt', sub.archivedAt);
      const [core, tenant, now] = [coreOf(this), argument.tenant(tenantId), time()];
      const guard = guardOf(core, sub, text, tenantId);
      await (guard === undefined ? core.updateSubSession(text, tenant, now) : guard(text, now));
    } catch (error) {
      throw publicError(error);
    }
  }

  async deleteSubSession(id: SubSessionId, tenantId: TenantId): Promise<void> {
    try {
      await coreOf(this).deleteSubSession(argument.string('id', id), argument.tenant(tenantId));
    } catch (error) {
      throw publicError(error);
    }
  }

  async appendMessage(
    sessionId: SessionId,
    message: Message,
    tenantId: TenantId,
    options?: AppendOptions,
  ): Promise<MessageId> {
    try {
      const id = argument.writtenId('sessionId', 'SessionId', 'ses_', sessionId);
      const text = argument.json('message', message);
      const tenant = argument.tenant(tenantId);
      const key = argument.idempotencyKey(options);
      const core = coreOf(this);
      const now = time();
      if (key === null) {
        // To await what is there already costs a tenth of the call.
        const answer = core.appendMessage(id, text, tenant, now);
        return (isText(answer) ? answer : await answer) as MessageId;
      }
      const [first] = JSON.parse(await core.appendMessages(id, `[${text}]`, key, tenant, now));
      return first;
    } catch (error) {
      throw publicError(error);
    }
  }

  async appendMessages(
    sessionId: SessionId,
    messages: readonly Message[],
    tenantId: TenantId,
    options?: AppendOptions,
  ): Promise<readonly MessageId[]> {
    try {
      return JSON.parse(
        await coreOf(this).appendMessages(
          argument.writtenId('sessionId', 'SessionId', 'ses_', sessionId),
          argument.jsonList('messages', messages),
          argument.idempotencyKey(options),
          argument.tenant(tenantId),
          time(),
        ),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async loadMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): Promise<readonly Message[]> {
    try {
      const id = argument.string('sessionId', sessionId);
      const tenant = argument.tenant(tenantId);
      const texts =
        range === undefined
          ? await coreOf(this).loadMessages(id, tenant)
          : await coreOf(this).loadMessagesSelected(id, argument.messageRange(range), tenant);
      const messages = json.parseList<Message>(texts);
      return messages.length === 0 ? await notFound(this, messages) : messages;
    } catch (error) {
      throw publicError(error);
    }
  }

  async loadSessionMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): Promise<readonly SessionMessage[]> {
    try {
      const id = argument.string('sessionId', sessionId);
      const tenant = argument.tenant(tenantId);
      const texts =
        range === undefined
          ? await coreOf(this).loadSessionMessages(id, tenant)
          : await coreOf(this).loadSessionMessagesSelected(
              id,
              argument.messageRange(range),
              tenant,
            );
      const messages = json.parseSessionMessages(texts);
      return messages.length === 0 ? await notFound(this, messages) : messages;
    } catch (error) {
      throw publicError(error);
    }
  }

  streamMessages(
    sessionId: SessionId,
    tenantId: TenantId,
    range?: MessageRange,
  ): AsyncIterableIterator<SessionMessage> {
    // Checked and copied now; what is wrong is told by the first `next`, as by any promise.
    const asked = attempted(
      () =>
        [
          argument.string('sessionId', sessionId),
          argument.messageRange(range),
          argument.tenant(tenantId),
        ] as const,
    );
    return new MessageStream(() => coreOf(this).streamMessages(...asked()));
  }

  async replaceMessages(
    sessionId: SessionId,
    messages: readonly Message[],
    tenantId: TenantId,
  ): Promise<void> {
    try {
      await coreOf(this).replaceMessages(
        argument.writtenId('sessionId', 'SessionId', 'ses_', sessionId),
        argument.jsonList('messages', messages),
        argument.tenant(tenantId),
        time(),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async countMessages(sessionId: SessionId, tenantId: TenantId): Promise<number> {
    try {
      return await coreOf(this).countMessages(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]> {
    try {
      const id = argument.string('sessionId', sessionId);
      const tenant = argument.tenant(tenantId);
      return json.parseSubSessions(await coreOf(this).getChildren(id, tenant));
    } catch (error) {
      throw publicError(error);
    }
  }

  async getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]> {
    try {
      const id = argument.string('sessionId', sessionId);
      const tenant = argument.tenant(tenantId);
      const ancestry: SessionId[] = JSON.parse(await coreOf(this).getAncestry(id, tenant));
      return ancestry.length === 0 ? await notFound(this, ancestry) : ancestry;
    } catch (error) {
      throw publicError(error);
    }
  }

  async drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null> {
    try {
      const id = argument.string('sessionId', sessionId);
      const tenant = argument.tenant(tenantId);
      const text = await coreOf(this).drill(id, tenant);
      return text === null ? await notFound(this, null) : json.parseSessionView(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async recordSummary(summary: SessionSummaryRef, tenantId: TenantId): Promise<void> {
    try {
      await coreOf(this).recordSummary(
        argument.json('summary', summary),
        argument.tenant(tenantId),
        time(),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getSummary(sessionId: SessionId, tenantId: TenantId): Promise<SessionSummaryRef | null> {
    try {
      const text = await coreOf(this).getSummary(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
      return text === null ? null : json.parseSummary(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Resolves when everything that this store answered before is synced and in the
   * records. With `durability: 'full'`, and in memory, it is already; with `'relaxed'` this
   * is how to wait for it, for instance before another program reads the files.
   *
   * @example
   * ```ts
   * const store = new DiskSessionStore({ rootDir: './data', durability: 'relaxed' });
   * // … many writes …
   * await store.flush(); // a power cut takes none of them from here on
   * ```
   *
   * @throws {StoreIoError} With `details.outcome` `'unknown'` when a sync failed since the
   * last flush of what was answered before: read before repeating it. With `'done'` when
   * it is synced and cannot be brought into the records yet.
   */
  async flush(): Promise<void> {
    try {
      await coreOf(this).flush();
    } catch (error) {
      throw publicError(error);
    }
  }

  /**
   * Finishes what was started and lets go of whatever the store holds; a disk store
   * syncs everything into its records first. Later calls reject with
   * `StoreClosedError`; closing again is fine.
   *
   * @throws {StoreIoError} When something cannot be synced, or could not be since the last
   * flush. It is kept in the journal, and the store is closed all the same.
   */
  async close(): Promise<void> {
    try {
      const core = coreOf(this);
      const source = sourceOf(this);
      if (source !== undefined) source.closed = true;
      await core.close();
      await source?.released?.();
    } catch (error) {
      throw publicError(error);
    }
  }

  async refresh(): Promise<void> {
    try {
      await coreOf(this).refresh();
    } catch (error) {
      throw publicError(error);
    }
  }

  /** Closes the store at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

showInside(NativeSessionStore);

/** Does something now, and answers or throws later what came of it. */
function attempted<T>(act: () => T): () => T {
  try {
    const value = act();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
