/** What is handed over, by whom, to whom, and what came of it. */

import type { ActorRef } from '../actor';
import type { HandoffId, ProjectId, SessionId, TenantId, WorkspaceId } from '../ids';

/** Whether a session goes to one actor or to several at once. */
export type HandoffMode = 'single' | 'broadcast';

/** One session to one actor. A broadcast is several of these, made for the same session. */
export interface HandoffAssignment {
  id: HandoffId;
  mode: HandoffMode;
  sourceSessionId: SessionId;
  tenantId: TenantId;
  projectId: ProjectId;
  /** Who hands the session over. */
  sourceActor: ActorRef;
  /** Who gets it. */
  recipientActor: ActorRef;
  /** The `ownerVersion` of the session that this was made for. */
  expectedOwnerVersion: number;
  createdAt: Date;
  /** What the assignments of one broadcast have in common. */
  broadcastId?: string;
}

/** What came of an assignment. */
export interface HandoffOutcome {
  assignmentId: HandoffId;
  /** The recipient's session. */
  newSessionId: SessionId;
  /** The recipient's workspace. */
  workspaceId: WorkspaceId;
  /** The source's `ownerVersion` from now on. */
  committedOwnerVersion: number;
}
