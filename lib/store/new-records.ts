/**
 * New records as the core makes them of the same parameters: it need not tell what it
 * was told, and answers their ids alone.
 */

import type { ActorRef } from '../actor';
import type { SessionId, SubSessionId, TenantId } from '../ids';
import type { Session } from '../session';
import type { SubSession } from '../sub-session';
import type { CreateSessionParams, CreateSubSessionParams } from './session-store';

/**
 * An actor that JSON would carry as it is, copied; nothing of any other. What is
 * stored and what is answered are then the same, whatever becomes of the original.
 */
export function plainActor(actor: object): ActorRef | undefined {
  if (typeof (actor as { toJSON?: unknown }).toJSON === 'function') return undefined;
  const copy: Record<string, string> = {};
  for (const key of Object.keys(actor)) {
    const value = (actor as Record<string, unknown>)[key];
    if (typeof value !== 'string' || key === '__proto__') return undefined;
    copy[key] = value;
  }
  return copy as unknown as ActorRef;
}

/**
 * A new session; nothing when `now` is no time, and the core has taken its own.
 *
 * @param params what the core was told, or the text of it
 */
export function newSession(
  id: string,
  params: CreateSessionParams | string,
  tenantId: TenantId,
  now: number,
): Session | undefined {
  const createdAt = new Date(now);
  if (Number.isNaN(createdAt.getTime())) return undefined;
  const told: CreateSessionParams = typeof params === 'string' ? JSON.parse(params) : params;
  return {
    id: id as SessionId,
    projectId: told.projectId,
    tenantId,
    status: 'idle',
    currentActor: told.currentActor,
    previousActors: [],
    workspaceId: null,
    ownerVersion: 0,
    createdAt,
    updatedAt: new Date(now),
  };
}

/** A new edge; otherwise as {@link newSession}. */
export function newSubSession(
  id: string,
  params: CreateSubSessionParams | string,
  now: number,
): SubSession | undefined {
  const spawnedAt = new Date(now);
  if (Number.isNaN(spawnedAt.getTime())) return undefined;
  const told: CreateSubSessionParams = typeof params === 'string' ? JSON.parse(params) : params;
  return {
    id: id as SubSessionId,
    parentSessionId: told.parentSessionId,
    childSessionId: told.childSessionId,
    kind: told.kind,
    status: 'pending',
    spawnedBy: told.spawnedBy,
    spawnedAt,
    failureMode: told.failureMode ?? 'delegate',
    completionMode: told.completionMode ?? 'summary_ref',
    workspaceId: null,
    updatedAt: new Date(now),
  };
}
