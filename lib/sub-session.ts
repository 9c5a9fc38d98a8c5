/** Sub-sessions: the edges by which one session delegates to another. */

import type { ActorRef } from './actor';
import type { DeliverableRef } from './deliverable';
import type { ArchiveBackendRef, SessionId, SubSessionId, SummaryId, WorkspaceId } from './ids';
import type { Session } from './session';

/** Where a sub-session stands, from its creation to its merge or its archival. */
export type SubSessionStatus =
  | 'pending'
  | 'active'
  | 'idle'
  | 'failed'
  | 'awaiting_merge'
  | 'pending_merge'
  | 'merging'
  | 'merged'
  | 'merge_conflict'
  | 'merge_rejected'
  | 'archived';

/** Why a sub-session exists: an agent was spawned, a user handed over, or a person intervened. */
export type SubSessionKind = 'agent_spawn' | 'user_handoff' | 'intervention';

/** What a failure of the child does: fail the parent at once, or leave it to the parent. */
export type FailureMode = 'fail_fast' | 'delegate';

/** How the child's work reaches the parent: as a summary, or merged back. */
export type CompletionMode = 'summary_ref' | 'merge_back';

/** The edge from a parent session to a child session. */
export interface SubSession {
  id: SubSessionId;
  parentSessionId: SessionId;
  childSessionId: SessionId;
  kind: SubSessionKind;
  status: SubSessionStatus;
  spawnedBy: ActorRef;
  spawnedAt: Date;
  failureMode: FailureMode;
  completionMode: CompletionMode;
  workspaceId: WorkspaceId | null;
  /** What an intervention continues from. */
  prevArtifactRef?: DeliverableRef;
  /** The same for all edges of one broadcast. */
  broadcastGroupId?: string;
  summaryRef?: SummaryId;
  /** Where the bundle is; set while the sub-session is archived. */
  archiveRef?: ArchiveBackendRef;
  /** Set while the sub-session is archived. */
  archivedAt?: Date;
  updatedAt: Date;
}

/** A session with its surroundings, all of one instant. */
export interface SessionView {
  session: Session;
  /** The edges one level down, ordered by `spawnedAt`, then id. */
  children: readonly SubSession[];
  /** From the root to the session itself. */
  ancestry: readonly SessionId[];
}
