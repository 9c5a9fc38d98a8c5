/** Handoffs: how a session passes from one actor to others. */

export type { CapacityDimension, HandoffLockRejectedReason } from '../errors/words';
export type { CapacityValidator } from './capacity';
export { DefaultCapacityValidator } from './capacity';
export type { BroadcastHandoffDeps, HandoffRecoveryDeps, SingleHandoffDeps } from './dependencies';
export type {
  HandoffBroadcastRollbackEvent,
  HandoffCommittedEvent,
  HandoffEventSink,
  HandoffLockedEvent,
  HandoffUnlockedEvent,
} from './events';
export { NOOP_HANDOFF_SINK } from './events';
export { executeBroadcastHandoff, executeSingleHandoff } from './execute';
export type { RecoveredHandoff } from './recovery';
export { recoverHandoffs } from './recovery';
export type { BlockingRun, RunStatusResolver } from './run-status';
export { NOOP_RUN_STATUS_RESOLVER } from './run-status';
export type {
  HandoffAssignment,
  HandoffMode,
  HandoffOutcome,
} from './types';
