/** When sessions were last used, which decides what is archived. */

import { CorruptRecordError, SubSessionNotArchivableError } from '../errors';
import { publicError } from '../errors/from-native';
import type { SessionId, TenantId } from '../ids';
import type { SessionMessage } from '../message';
import type { SessionStatus } from '../session';
import { findCore } from '../store/core';
import type { ExtendedSessionStore } from '../store/extended-session-store';
import type { SessionStore } from '../store/session-store';
import type { SubSession } from '../sub-session';

const IN_USE: ReadonlySet<SessionStatus> = new Set([
  'active',
  'locked',
  'awaiting_hitl',
  'awaiting_merge',
]);

/**
 * When the record or the messages of a session were last changed; `null` where that does not
 * count, as there is no such session.
 */
export async function activityOf(
  store: SessionStore,
  id: SessionId,
  tenant: TenantId,
): Promise<Date | 'in use' | null> {
  const core = findCore(store);
  if (core !== undefined) {
    try {
      const at = await core.activityOf(id, tenant);
      if (at === null) return null;
      return at < 0 ? 'in use' : new Date(at);
    } catch (error) {
      throw publicError(error);
    }
  }
  const child = await store.getSession(id, tenant);
  if (child === null) return null;
  if (IN_USE.has(child.status)) return 'in use';
  const last = await lastMessage(store, id, tenant);
  if (last === 'unknown') return 'in use';
  return last !== undefined && last.at > child.updatedAt ? last.at : child.updatedAt;
}

/**
 * The last message; one that cannot be read at this moment may be new. A log that is damaged has
 * none. A store may ignore the limit.
 */
async function lastMessage(
  store: SessionStore,
  id: SessionId,
  tenant: TenantId,
): Promise<SessionMessage | 'unknown' | undefined> {
  try {
    const { loadSessionMessages } = store as ExtendedSessionStore;
    return (await loadSessionMessages.call(store, id, tenant, { limit: 1 })).at(-1);
  } catch (error) {
    return error instanceof CorruptRecordError ? undefined : 'unknown';
  }
}

/** Refuses a sub-session that was used after the time since which it is to be idle. */
export async function assertIdleSince(
  store: SessionStore,
  edge: SubSession,
  tenant: TenantId,
  since: Date | undefined,
): Promise<void> {
  if (since === undefined) return;
  const last = await activityOf(store, edge.childSessionId, tenant);
  if (edge.updatedAt <= since && last !== 'in use' && (last === null || last <= since)) return;
  throw new SubSessionNotArchivableError({ subSessionId: edge.id, reason: 'not_idle' });
}
