/** Errors of migration from older layouts and ids. */

import { causedBy, DetailedError, named, shortened } from './base';

interface FilesystemMigrationErrorDetails {
  /** The step that failed. */
  op:
    | 'acquire_lock'
    | 'enumerate_threads'
    | 'validate_thread_id'
    | 'mkdir_session'
    | 'rename_runs'
    | 'write_project_json'
    | 'write_session_json'
    | 'write_marker'
    | (string & {});
  path: string;
  cause?: unknown;
}

/** The migration of a root stopped. Running it again continues where it stopped. */
export class FilesystemMigrationError extends DetailedError<FilesystemMigrationErrorDetails> {
  static {
    named(FilesystemMigrationError, 'FilesystemMigrationError');
  }

  constructor(details: FilesystemMigrationErrorDetails) {
    super(
      `Filesystem migration failed on ${details.op} at ${details.path}`,
      details,
      causedBy(details),
    );
  }
}

interface StalePrefixErrorDetails {
  rawId: string;
  /** The prefix is none that was ever used, or it is the former `thd_`. */
  kind: 'unknown_prefix' | 'thd_rejected';
}

/** An id has a prefix that is not accepted here. */
export class StalePrefixError extends DetailedError<StalePrefixErrorDetails> {
  static {
    named(StalePrefixError, 'StalePrefixError');
  }

  constructor(details: StalePrefixErrorDetails) {
    super(`Stale id prefix in ${shortened(details.rawId)}: ${details.kind}`, details);
  }
}
