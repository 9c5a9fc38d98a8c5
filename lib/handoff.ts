/** Handoffs: how a session passes from one actor to others. */

/** Which of a project's limits on delegation was met. */
export type CapacityDimension = 'depth' | 'width';

/** What keeps a session from being handed over. */
export type HandoffLockRejectedReason = 'active_run' | 'pending_hitl' | 'pending_subsession';
