/** Errors of what a store keeps its records in: each names the place. */

import { DetailedError, named } from './base';

/** Whether a change took place: it did not, it did all the same, or it cannot be told. */
type Outcome = 'not_done' | 'done' | 'unknown';

/** Where an error happened, for its message; also how an error of the core is made. */
interface StoreErrorOptions {
  /** Where the store is: the absolute path of its directory. */
  readonly place?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A store could not be used: what keeps its records failed, holds damage, or was closed.
 * The call was not at fault; another one of the same store may fail likewise.
 *
 * @example
 * ```ts
 * try {
 *   await store.appendMessage(sessionId, message, tenantId);
 * } catch (error) {
 *   if (!(error instanceof StoreError)) throw error;
 *   alertOperator(error.place, error.code, error.message);
 * }
 * ```
 */
export abstract class StoreError<Details extends object = object> extends DetailedError<Details> {
  static {
    named(StoreError, 'StoreError');
  }

  /** Where the store is: the absolute path of its directory; absent for one in memory. */
  declare readonly place?: string;

  constructor(message: string, details: Details, { place, ...cause }: StoreErrorOptions = {}) {
    super(message, details, cause);
    if (place !== undefined) this.place = place;
  }

  /** What was being done, where the error says so. */
  get op(): string | undefined {
    return (this.details as { readonly op?: string }).op;
  }

  /** Whether a change took place: it did not, it did all the same, or it cannot be told. */
  get outcome(): Outcome | undefined {
    return (this.details as { readonly outcome?: Outcome }).outcome;
  }
}

interface StoreIoErrorDetails {
  /** What was being done. */
  op: string;
  /** To which file, relative to `place`; `.` is the directory itself. */
  path: string;
  /** The system's error code, for example `EACCES`. */
  code: string;
  /** Whether the change took place. */
  outcome: Outcome;
  /** The absolute path of the store's directory. */
  place?: string;
}

/** The operating system refused an operation on a store's files. */
export class StoreIoError extends StoreError<StoreIoErrorDetails> {
  static {
    named(StoreIoError, 'StoreIoError');
  }

  constructor(
    details: StoreIoErrorDetails,
    { message, ...options }: { cause?: unknown; message?: string } = {},
  ) {
    const { op, path, place, code, outcome } = details;
    const words = `${op} failed on ${where(path, place)} with ${code} (${outcome})`;
    // The core says what to do as well.
    super(message ?? words, details, { ...options, place });
  }
}

interface CorruptRecordErrorDetails {
  /** The file, relative to the store's directory. */
  path: string;
  /** The damaged line, counted from 1, where the file has lines. */
  line?: number;
  reason: string;
}

/** A file of a store is damaged. Its siblings stay readable. */
export class CorruptRecordError extends StoreError<CorruptRecordErrorDetails> {
  static {
    named(CorruptRecordError, 'CorruptRecordError');
  }

  constructor(details: CorruptRecordErrorDetails, options?: StoreErrorOptions) {
    const line = details.line === undefined ? '' : ` line ${details.line}`;
    const file = where(details.path, options?.place);
    super(`Corrupt record ${file}${line}: ${details.reason}`, details, options);
  }
}

interface StoreClosedErrorDetails {
  /** The absolute path of the store's directory; absent for one in memory. */
  place?: string;
}

/** The store was closed. */
export class StoreClosedError extends StoreError<StoreClosedErrorDetails> {
  static {
    named(StoreClosedError, 'StoreClosedError');
  }

  constructor(details: StoreClosedErrorDetails = {}) {
    const { place } = details;
    const store = place === undefined ? 'The store' : `The store of \`${place}\``;
    super(`${store} is closed; make a new one to go on`, details, { place });
  }
}

/** A file of a store, in words. */
function where(path: string, place: string | undefined): string {
  if (place === undefined) return `\`${path}\``;
  return path === '.' ? `\`${place}\`` : `\`${path}\` of \`${place}\``;
}
