/** Migration from the layout and the ids before 0.2.0. */

export {
  LEGACY_DEFAULT_PROJECT_PREFIX,
  LEGACY_DEFAULT_SESSION_ID,
  LOCK_REL_PATH,
  MARKER_REL_PATH,
  MIGRATION_VERSION,
  WINDOW_OPEN,
} from './constants';
export type { MigrationWarning, MigrationWarningSink } from './legacy-ids';
export {
  acceptLegacyThreadId,
  NOOP_MIGRATION_WARNING_SINK,
  rejectLegacyPrefix,
} from './legacy-ids';
export type { MigrationMarker } from './marker';
export { acquireMigrationLock, readMarker, releaseMigrationLock, writeMarker } from './marker';
export type {
  FilesystemMigrationEvent,
  FilesystemMigrationOptions,
  FilesystemMigrationProgress,
  FilesystemMigrationResult,
  FilesystemMigrationSink,
  FilesystemMigrator,
} from './migrator';
export { DefaultFilesystemMigrator, NOOP_FILESYSTEM_MIGRATION_SINK } from './migrator';
