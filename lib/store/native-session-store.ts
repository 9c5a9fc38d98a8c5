/** What both stores share: every method, over a store of the compiled core. */

import * as argument from '../arguments';
import { publicError } from '../errors/from-native';
import type { MessageId, ProjectId, SessionId, SubSessionId, TenantId } from '../ids';
import * as json from '../json';
import type { Message, SessionMessage } from '../message';
import type { Project } from '../project';
import type { Session } from '../session';
import type { SessionView, SubSession } from '../sub-session';
import type { SessionSummaryRef } from '../summary';
import { coreOf, notFound } from './core';
import type {
  CreateProjectParams,
  CreateSessionParams,
  CreateSubSessionParams,
  SessionStore,
} from './session-store';

/**
 * The arguments are checked and written as JSON before the first `await`, so
 * that what the caller does to them afterwards changes nothing.
 */
export abstract class NativeSessionStore implements SessionStore {
  async createProject(params: CreateProjectParams, tenantId: TenantId): Promise<Project> {
    try {
      const { tenantId: owner, name } = argument.object('params', params);
      const text = argument.json('params', { tenantId: owner, name });
      return json.parseProject(
        await coreOf(this).createProject(text, argument.tenant(tenantId), Date.now()),
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

  async createSession(params: CreateSessionParams, tenantId: TenantId): Promise<Session> {
    try {
      const { projectId, currentActor: actor } = argument.object('params', params);
      const currentActor = actor == null ? null : argument.object('params.currentActor', actor);
      const text = argument.json('params', { projectId, currentActor });
      return json.parseSession(
        await coreOf(this).createSession(text, argument.tenant(tenantId), Date.now()),
      );
    } catch (error) {
      throw publicError(error);
    }
  }

  async getSession(id: SessionId, tenantId: TenantId): Promise<Session | null> {
    try {
      const text = await coreOf(this).getSession(
        argument.string('id', id),
        argument.tenant(tenantId),
      );
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
        Date.now(),
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
        await coreOf(this).createSubSession(text, argument.tenant(tenantId), Date.now()),
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
      await coreOf(this).updateSubSession(text, argument.tenant(tenantId), Date.now());
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
  ): Promise<MessageId> {
    try {
      const id = await coreOf(this).appendMessage(
        argument.writtenId('sessionId', 'SessionId', 'ses_', sessionId),
        argument.json('message', message),
        argument.tenant(tenantId),
        Date.now(),
      );
      return id as MessageId;
    } catch (error) {
      throw publicError(error);
    }
  }

  async loadMessages(sessionId: SessionId, tenantId: TenantId): Promise<readonly Message[]> {
    try {
      const texts = await coreOf(this).loadMessages(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
      const messages = json.parseList<Message>(texts);
      return messages.length === 0 ? await notFound(this, messages) : messages;
    } catch (error) {
      throw publicError(error);
    }
  }

  async loadSessionMessages(
    sessionId: SessionId,
    tenantId: TenantId,
  ): Promise<readonly SessionMessage[]> {
    try {
      const texts = await coreOf(this).loadSessionMessages(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
      const messages = json.parseSessionMessages(texts);
      return messages.length === 0 ? await notFound(this, messages) : messages;
    } catch (error) {
      throw publicError(error);
    }
  }

  async getChildren(sessionId: SessionId, tenantId: TenantId): Promise<readonly SubSession[]> {
    try {
      const text = await coreOf(this).getChildren(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
      return json.parseSubSessions(text);
    } catch (error) {
      throw publicError(error);
    }
  }

  async getAncestry(sessionId: SessionId, tenantId: TenantId): Promise<readonly SessionId[]> {
    try {
      const text = await coreOf(this).getAncestry(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
      const ancestry: SessionId[] = JSON.parse(text);
      return ancestry.length === 0 ? await notFound(this, ancestry) : ancestry;
    } catch (error) {
      throw publicError(error);
    }
  }

  async drill(sessionId: SessionId, tenantId: TenantId): Promise<SessionView | null> {
    try {
      const text = await coreOf(this).drill(
        argument.string('sessionId', sessionId),
        argument.tenant(tenantId),
      );
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
        Date.now(),
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
   * Finishes what was started and lets go of whatever the store holds; a disk store
   * syncs everything into its records first. Later calls reject with
   * `StoreClosedError`; closing again is fine.
   *
   * @throws {StoreIoError} When something cannot be synced. It is kept in the journal,
   * and the store is closed all the same.
   */
  async close(): Promise<void> {
    try {
      await coreOf(this).close();
    } catch (error) {
      throw publicError(error);
    }
  }

  /** Closes the store at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
