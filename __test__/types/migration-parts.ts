import type {
  acquireMigrationLock,
  FilesystemMigrationEvent,
  FilesystemMigrationOptions,
  FilesystemMigrationProgress,
  FilesystemMigrationSink,
  LEGACY_DEFAULT_PROJECT_PREFIX,
  LOCK_REL_PATH,
  MARKER_REL_PATH,
  MIGRATION_VERSION,
  MigrationMarker,
  MigrationWarning,
  MigrationWarningSink,
  readMarker,
  rejectLegacyPrefix,
  releaseMigrationLock,
  WINDOW_OPEN,
  writeMarker,
} from 'namzu-native';
import { NOOP_FILESYSTEM_MIGRATION_SINK } from 'namzu-native';
import type { Equal, Expect, OptionalKeys } from './assert.js';

export type Constants = [
  Expect<Equal<typeof MIGRATION_VERSION, '0.2.0'>>,
  Expect<Equal<typeof MARKER_REL_PATH, string>>,
  Expect<Equal<typeof LOCK_REL_PATH, string>>,
  Expect<Equal<typeof LEGACY_DEFAULT_PROJECT_PREFIX, 'prj_legacy_'>>,
  Expect<Equal<typeof WINDOW_OPEN, true>>,
];

export type Functions = [
  Expect<Equal<ReturnType<typeof readMarker>, Promise<MigrationMarker | null>>>,
  Expect<Equal<Parameters<typeof writeMarker>, [path: string, marker: MigrationMarker]>>,
  Expect<Equal<ReturnType<typeof writeMarker>, Promise<void>>>,
  Expect<Equal<ReturnType<typeof acquireMigrationLock>, Promise<void>>>,
  Expect<Equal<ReturnType<typeof releaseMigrationLock>, Promise<void>>>,
  Expect<Equal<ReturnType<typeof rejectLegacyPrefix>, void>>,
  Expect<Equal<OptionalKeys<FilesystemMigrationOptions>, 'onProgress' | 'signal'>>,
  Expect<Equal<keyof FilesystemMigrationProgress, 'prepared' | 'done' | 'total'>>,
];

/** Sinks as the original has them, in both directions. */
interface ContractSink {
  emit(event: FilesystemMigrationEvent): void;
}
interface ContractWarningSink {
  emit(warning: MigrationWarning): void;
}
declare const theirs: ContractSink;
declare const theirWarnings: ContractWarningSink;
declare const warnings: MigrationWarningSink;

export const sinkToOurs: FilesystemMigrationSink = theirs;
export const sinkToTheirs: ContractSink = NOOP_FILESYSTEM_MIGRATION_SINK;
export const warningsToOurs: MigrationWarningSink = theirWarnings;
export const warningsToTheirs: ContractWarningSink = warnings;
