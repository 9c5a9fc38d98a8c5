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
export {
  AncestryCycleError,
  CorruptRecordError,
  IdempotencyConflictError,
  InvalidArgumentError,
  InvalidIdError,
  LogTooLargeError,
  SessionEvictedError,
  StaleSessionError,
  StoreClosedError,
  StoreIoError,
  TenantIsolationError,
} from './store';
export { AgentSummaryTooLongError, SessionAlreadySummarizedError } from './summary';
export { WorkspaceBackendError } from './workspace';
