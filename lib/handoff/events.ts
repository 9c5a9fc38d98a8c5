/** What a handoff tells while it happens. */

import type { HandoffId, SessionId } from '../ids';

/** The source is locked: no other handoff of it can begin now. */
export interface HandoffLockedEvent {
  sessionId: SessionId;
  at: Date;
}

/** The handoff was undone, and the source unlocked: never told of one that stays locked. */
export interface HandoffUnlockedEvent {
  sessionId: SessionId;
  at: Date;
}

/** The handoff is done. */
export interface HandoffCommittedEvent {
  sessionId: SessionId;
  /** The source's `ownerVersion` from now on. */
  newVersion: number;
  handoffIds: readonly HandoffId[];
  at: Date;
}

/** A broadcast was undone. */
export interface HandoffBroadcastRollbackEvent {
  sessionId: SessionId;
  broadcastId: string;
  /** The message of the error that it failed with. */
  reason: string;
  /** How far it had come. */
  partialState: {
    assignmentsWritten: number;
    subsessionsCreated: number;
    worktreesProvisioned: number;
  };
  at: Date;
}

/**
 * Listens to handoffs. A callback that throws, or whose promise rejects, changes nothing
 * about the handoff; it is reported by `process.emitWarning`.
 */
export interface HandoffEventSink {
  onLocked?(event: HandoffLockedEvent): void;
  onUnlocked?(event: HandoffUnlockedEvent): void;
  onCommitted?(event: HandoffCommittedEvent): void;
  onBroadcastRollback?(event: HandoffBroadcastRollbackEvent): void;
}

/** Listens to nothing. */
export const NOOP_HANDOFF_SINK: HandoffEventSink = Object.freeze({});
