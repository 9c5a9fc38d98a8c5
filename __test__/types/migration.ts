import type {
  FilesystemMigrationEvent,
  FilesystemMigrationResult,
  FilesystemMigrator,
  MigrationMarker,
  MigrationWarning,
  ProjectId,
  SessionId,
} from 'namzu-native';
import {
  acceptLegacyThreadId,
  DefaultFilesystemMigrator,
  LEGACY_DEFAULT_SESSION_ID,
  NOOP_MIGRATION_WARNING_SINK,
} from 'namzu-native';
import type { __resetSeenLegacyForTests } from 'namzu-native/testing';
import type { Equal, Expect, ReadonlyKeys } from './assert.js';

export type Shapes = [
  Expect<
    Equal<FilesystemMigrationResult['kind'], 'migrated' | 'already_migrated' | 'noop_no_legacy'>
  >,
  Expect<Equal<ReadonlyKeys<FilesystemMigrationResult>, never>>,
  Expect<Equal<ReadonlyKeys<MigrationMarker>, never>>,
  Expect<Equal<MigrationMarker['migratedThreads'][number]['newProjectId'], ProjectId>>,
  Expect<Equal<FilesystemMigrationEvent['type'], 'filesystem.migrated'>>,
  Expect<Equal<MigrationWarning['emittedOncePerProcess'], true>>,
  Expect<Equal<ReturnType<typeof __resetSeenLegacyForTests>, void>>,
];

export const session: SessionId = LEGACY_DEFAULT_SESSION_ID;
export const project: ProjectId = acceptLegacyThreadId('thd_a', NOOP_MIGRATION_WARNING_SINK);
export const migrator: FilesystemMigrator = new DefaultFilesystemMigrator({
  emit: ({ result }) => void result.migratedThreads,
});
/** A migrator of an application's own, made for the original's interface. */
export const own: FilesystemMigrator = {
  migrate: async (markerPath: string) => ({
    kind: 'noop_no_legacy',
    migratedThreads: [],
    markerPath,
    at: new Date(),
  }),
};
