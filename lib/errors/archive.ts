/** Errors of archival. */

import type { ArchiveBackendRef, SubSessionId } from '../ids';
import { DetailedError, NamzuError, named } from './base';

/** Archival was asked for, but there is no backend to keep the bundles. */
export class ArchiveNotConfiguredError extends NamzuError {
  static {
    named(ArchiveNotConfiguredError, 'ArchiveNotConfiguredError');
  }

  constructor() {
    super('Archival is not configured: there is no archive backend');
  }
}

interface SubSessionNotArchivableErrorDetails {
  subSessionId: SubSessionId;
  reason: 'missing' | 'already_archived' | 'not_idle';
}

/** A sub-session cannot be archived as it stands. */
export class SubSessionNotArchivableError extends DetailedError<SubSessionNotArchivableErrorDetails> {
  static {
    named(SubSessionNotArchivableError, 'SubSessionNotArchivableError');
  }

  constructor(details: SubSessionNotArchivableErrorDetails) {
    super(`Sub-session ${details.subSessionId} cannot be archived: ${details.reason}`, details);
  }
}

interface SubSessionNotArchivedErrorDetails {
  subSessionId: SubSessionId;
  reason: 'missing' | 'not_archived' | 'missing_archive_ref';
}

/** A sub-session cannot be restored, since it is not archived. */
export class SubSessionNotArchivedError extends DetailedError<SubSessionNotArchivedErrorDetails> {
  static {
    named(SubSessionNotArchivedError, 'SubSessionNotArchivedError');
  }

  constructor(details: SubSessionNotArchivedErrorDetails) {
    super(`Sub-session ${details.subSessionId} cannot be restored: ${details.reason}`, details);
  }
}

interface ArchiveNotFoundErrorDetails {
  archiveRef: ArchiveBackendRef;
  /** There is no such bundle, it was never finished, or it is damaged. */
  reason: 'missing' | 'incomplete' | 'corrupt';
}

/** A bundle cannot be read back. */
export class ArchiveNotFoundError extends DetailedError<ArchiveNotFoundErrorDetails> {
  static {
    named(ArchiveNotFoundError, 'ArchiveNotFoundError');
  }

  constructor(details: ArchiveNotFoundErrorDetails) {
    super(`Archive ${details.archiveRef} cannot be read: ${details.reason}`, details);
  }
}
