/** Errors of the stores. */

import type { ArchiveBackendRef, SessionId, SubSessionId, TenantId } from '../ids';
import { DetailedError, named, shortened } from './base';

interface TenantIsolationErrorDetails {
  /** The tenant that asked. */
  requested: TenantId;
  /** What it asked for, for example `session(ses_0a1b2c3d4e5f)`. */
  resource: string;
}

/** A tenant asked for what belongs to another. Nothing else is revealed. */
export class TenantIsolationError extends DetailedError<TenantIsolationErrorDetails> {
  static {
    named(TenantIsolationError, 'TenantIsolationError');
  }

  constructor(details: TenantIsolationErrorDetails) {
    super(`Tenant ${details.requested} may not access ${details.resource}`, details);
  }
}

interface AncestryCycleErrorDetails {
  /** Where the walk started. */
  sessionId: SessionId;
  /** From there upward; the last id is the one that was met before. */
  cyclePath: readonly SessionId[];
}

/** A session is, over one or more edges, its own ancestor. */
export class AncestryCycleError extends DetailedError<AncestryCycleErrorDetails> {
  static {
    named(AncestryCycleError, 'AncestryCycleError');
  }

  constructor(details: AncestryCycleErrorDetails) {
    super(
      `Ancestry cycle at session ${details.sessionId}: ${details.cyclePath.join(' -> ')}`,
      details,
    );
  }
}

interface StaleSessionErrorDetails {
  sessionId: SessionId;
  /** The `ownerVersion` that the caller expected. */
  expectedVersion: number;
  /** The `ownerVersion` that is stored. */
  actualVersion: number;
}

/** A session changed its owner since it was read: read it again, then decide again. */
export class StaleSessionError extends DetailedError<StaleSessionErrorDetails> {
  static {
    named(StaleSessionError, 'StaleSessionError');
  }

  constructor(details: StaleSessionErrorDetails) {
    super(
      `Session ${details.sessionId} is at owner version ${details.actualVersion}, ` +
        `expected ${details.expectedVersion}; read it again before updating`,
      details,
    );
  }
}

interface InvalidIdErrorDetails {
  /** The type of id, for example `SessionId`. */
  kind: string;
  /** The id as it was given. */
  value: string;
  /** What it should look like. */
  expected: string;
}

/** An id that is no path component was to be written. */
export class InvalidIdError extends DetailedError<InvalidIdErrorDetails> {
  static {
    named(InvalidIdError, 'InvalidIdError');
  }

  constructor(details: InvalidIdErrorDetails) {
    super(
      `${shortened(details.value)} is not a ${details.kind}: expected ${details.expected}`,
      details,
    );
  }
}

interface InvalidArgumentErrorDetails {
  /** The name of the argument. */
  argument: string;
  /** What it should be. */
  expected: string;
  /** What it is, for example `number 42`. */
  received: string;
}

/** An argument is missing, or of the wrong type or shape. Nothing was written. */
export class InvalidArgumentError extends DetailedError<InvalidArgumentErrorDetails> {
  static {
    named(InvalidArgumentError, 'InvalidArgumentError');
  }

  constructor(
    details: InvalidArgumentErrorDetails,
    options: { cause?: unknown; message?: string } = {},
  ) {
    super(
      options.message ??
        `Invalid argument \`${details.argument}\`: expected ${details.expected}, ` +
          `received ${details.received}`,
      details,
      options,
    );
  }
}

interface NotFoundErrorDetails {
  /** What is missing: `project`, `session`, `sub-session`, `workspace driver`. */
  kind: string;
  /** Its id, as it was given. */
  id: string;
}

/** What an operation needs does not exist. */
export class NotFoundError extends DetailedError<NotFoundErrorDetails> {
  static {
    named(NotFoundError, 'NotFoundError');
  }

  constructor(details: NotFoundErrorDetails, options: { message?: string } = {}) {
    const { kind, id } = details;
    const words = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${id} not found`;
    super(options.message ?? words, details);
  }
}

interface AttachedSubSessionsErrorDetails {
  sessionId: SessionId;
  /** The sub-sessions that name the session as parent or child. */
  edges: readonly SubSessionId[];
}

/** A session that sub-sessions still name as parent or child cannot be deleted. */
export class AttachedSubSessionsError extends DetailedError<AttachedSubSessionsErrorDetails> {
  static {
    named(AttachedSubSessionsError, 'AttachedSubSessionsError');
  }

  constructor(details: AttachedSubSessionsErrorDetails) {
    super(`Session ${details.sessionId} has attached sub-sessions; delete those first`, details);
  }
}

interface IdempotencyConflictErrorDetails {
  sessionId: SessionId;
  key: string;
  /**
   * The fields that differ, by name: `content`, of several messages `1.content`, and `length`
   * where there are more or fewer messages. Empty where they only come in another order.
   */
  fields?: readonly string[];
}

/** An idempotency key came again with other messages. Nothing was appended. */
export class IdempotencyConflictError extends DetailedError<IdempotencyConflictErrorDetails> {
  static {
    named(IdempotencyConflictError, 'IdempotencyConflictError');
  }

  constructor(details: IdempotencyConflictErrorDetails) {
    const { fields = [] } = details;
    super(
      `Idempotency key ${shortened(details.key)} was used in session ${details.sessionId} ` +
        `for another message${fields.length > 0 ? `: it differs in ${fields.join(', ')}` : ''}`,
      details,
    );
  }
}

interface SessionEvictedErrorDetails {
  sessionId: SessionId;
  /** The bundle that has the session's messages. */
  archiveRef: ArchiveBackendRef;
}

/** The messages of a session are in an archive only: restore its sub-session first. */
export class SessionEvictedError extends DetailedError<SessionEvictedErrorDetails> {
  static {
    named(SessionEvictedError, 'SessionEvictedError');
  }

  constructor(details: SessionEvictedErrorDetails) {
    super(
      `Session ${details.sessionId} was evicted to archive ${details.archiveRef}; restore it ` +
        'first, with `restore` of its sub-session or `restoreSession` of an ArchivalManager',
      details,
    );
  }
}

interface LogTooLargeErrorDetails {
  sessionId: SessionId;
  /** The longest log, in bytes, that is answered as one list. */
  maxBytes: number;
}

/** The messages of a session are too many for one list: stream them, or read them in parts. */
export class LogTooLargeError extends DetailedError<LogTooLargeErrorDetails> {
  static {
    named(LogTooLargeError, 'LogTooLargeError');
  }

  constructor(details: LogTooLargeErrorDetails) {
    super(
      `Messages of session ${details.sessionId} are too many for one list: they take more than ` +
        `${details.maxBytes} bytes; read them with streamMessages, or in pages with \`limit\``,
      details,
    );
  }
}
