/** Sessions: one conversation, owned by one actor at a time. */

import type { ActorRef } from './actor';
import type { ProjectId, SessionId, TenantId, WorkspaceId } from './ids';
import type { RunStatus } from './run';

/**
 * - `active`: a run is working on it
 * - `idle`: nothing is
 * - `locked`: a handoff is changing its owner
 * - `awaiting_hitl`: a run waits for a person
 * - `awaiting_merge`: its delegates have not been merged yet
 * - `failed`: every run of it failed
 * - `archived`: it was moved out of the way
 */
export type SessionStatus =
  | 'active'
  | 'idle'
  | 'locked'
  | 'awaiting_hitl'
  | 'awaiting_merge'
  | 'failed'
  | 'archived';

/** A session's record. Its messages are read apart. */
export interface Session {
  id: SessionId;
  projectId: ProjectId;
  tenantId: TenantId;
  status: SessionStatus;
  /** Who owns the session now; `null` without an owner. */
  currentActor: ActorRef | null;
  /** Who owned it before, oldest first. */
  previousActors: readonly ActorRef[];
  workspaceId: WorkspaceId | null;
  /** Grows by one with each change of the owner; 0 in a new session. */
  ownerVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The status that a session should have, given the runs that work on it. Pure.
 *
 * A session that is `locked`, `awaiting_merge` or `archived` keeps its status.
 * Otherwise the first rule that fits decides: a run that is `running` or
 * `awaiting_subsession` gives `active`; one that waits for a person gives
 * `awaiting_hitl`; at least one run, and all of them failed, gives `failed`;
 * anything else gives `idle`.
 */
export function deriveStatus(
  session: Pick<Session, 'status'>,
  runs: readonly { readonly status: RunStatus }[],
): SessionStatus {
  switch (session.status) {
    case 'locked':
    case 'awaiting_merge':
    case 'archived':
      return session.status;
  }
  const any = (...statuses: RunStatus[]) => runs.some((run) => statuses.includes(run.status));
  if (any('running', 'awaiting_subsession')) return 'active';
  if (any('awaiting_hitl', 'awaiting_hitl_resolution')) return 'awaiting_hitl';
  if (runs.length > 0 && runs.every((run) => run.status === 'failed')) return 'failed';
  return 'idle';
}
