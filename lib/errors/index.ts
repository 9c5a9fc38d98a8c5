/** The error classes, all of them, by what they are about. */

export {
  ArchiveNotConfiguredError,
  ArchiveNotFoundError,
  SubSessionNotArchivableError,
  SubSessionNotArchivedError,
} from './archive';
export { DelegationCapacityExceeded, HandoffLockRejected, HandoffVersionConflict } from './handoff';
export { ArtifactRefCycleError, InterventionDepthExceeded } from './intervention';
export { FilesystemMigrationError, StalePrefixError } from './migration';
export { CorruptRecordError, StoreClosedError, StoreError, StoreIoError } from './storage';
export {
  AncestryCycleError,
  AttachedSubSessionsError,
  IdempotencyConflictError,
  InvalidArgumentError,
  InvalidIdError,
  LogTooLargeError,
  NotFoundError,
  SessionEvictedError,
  StaleSessionError,
  TenantIsolationError,
} from './store';
export { AgentSummaryTooLongError, SessionAlreadySummarizedError } from './summary';
export { WorkspaceBackendError } from './workspace';
