/** Whether a run is in the way of a handoff. */

import type { HandoffLockRejectedReason } from '../errors/words';
import type { RunId, SessionId, TenantId } from '../ids';

/** A run that is in the way. */
export interface BlockingRun {
  reason: HandoffLockRejectedReason;
  runId?: RunId;
}

/** Knows the runs of sessions, which a store does not. */
export interface RunStatusResolver {
  /** The run that keeps a session from being handed over, or `null`. */
  blockingRun(sessionId: SessionId, tenantId: TenantId): Promise<BlockingRun | null>;
}

/** Knows no runs. */
export const NOOP_RUN_STATUS_RESOLVER: RunStatusResolver = Object.freeze({
  async blockingRun() {
    return null;
  },
});
