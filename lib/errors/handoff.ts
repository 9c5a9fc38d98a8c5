/** Errors of handoffs. */

import type { RunId, SessionId } from '../ids';
import { DetailedError, named } from './base';
import type { CapacityDimension, HandoffLockRejectedReason } from './words';

interface HandoffVersionConflictDetails {
  sessionId: SessionId;
  /** The owner version that the assignment was made for. */
  expected: number;
  /** The owner version that the session has. */
  actual: number;
}

/** The source session changed its owner since the assignment was made. */
export class HandoffVersionConflict extends DetailedError<HandoffVersionConflictDetails> {
  static {
    named(HandoffVersionConflict, 'HandoffVersionConflict');
  }

  constructor(details: HandoffVersionConflictDetails) {
    super(
      `Session ${details.sessionId} is at owner version ${details.actual}, ` +
        `but the handoff expects ${details.expected}`,
      details,
    );
  }
}

interface HandoffLockRejectedDetails {
  sessionId: SessionId;
  reason: HandoffLockRejectedReason;
  /** The run that blocks the session, where it is known. */
  runId?: RunId;
}

/** The source session cannot be handed over now. */
export class HandoffLockRejected extends DetailedError<HandoffLockRejectedDetails> {
  static {
    named(HandoffLockRejected, 'HandoffLockRejected');
  }

  constructor(details: HandoffLockRejectedDetails) {
    const run = details.runId === undefined ? '' : ` (${details.runId})`;
    super(
      `Session ${details.sessionId} cannot be locked for a handoff: ${details.reason}${run}`,
      details,
    );
  }
}

interface DelegationCapacityExceededDetails {
  dimension: CapacityDimension;
  /** The depth, or the number of children, that would result. */
  current: number;
  limit: number;
  /** The parent. */
  sessionId: SessionId;
}

/** The project's limits forbid another level of delegation, or that many delegates. */
export class DelegationCapacityExceeded extends DetailedError<DelegationCapacityExceededDetails> {
  static {
    named(DelegationCapacityExceeded, 'DelegationCapacityExceeded');
  }

  constructor(details: DelegationCapacityExceededDetails) {
    super(
      `Delegation capacity exceeded below session ${details.sessionId}: ` +
        `${details.dimension} ${details.current} is over the limit of ${details.limit}`,
      details,
    );
  }
}
