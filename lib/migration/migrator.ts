/** The migration of a root of the layout before 0.2.0. */

import { join, resolve } from 'node:path';
import type { AbortSignalLike } from '../abort-signal';
import * as argument from '../arguments';
import { PROGRESS, tell } from '../listeners';
import { type NativeMigration, native } from '../native';
import { time } from '../time';
import { MARKER_REL_PATH } from './constants';
import { migrationError } from './errors';
import { type MigrationMarker, parseMarker } from './marker';

/** How a migration ended. */
export interface FilesystemMigrationResult {
  /** The root is migrated, it was before, or it has no `threads/`. */
  kind: 'migrated' | 'already_migrated' | 'noop_no_legacy';
  /** The threads that were migrated now. */
  migratedThreads: MigrationMarker['migratedThreads'];
  markerPath: string;
  /** When the root was migrated. */
  at: Date;
}

/** Told when a root was migrated. */
export interface FilesystemMigrationEvent {
  type: 'filesystem.migrated';
  result: FilesystemMigrationResult;
}

/** Takes events of migrations. */
export interface FilesystemMigrationSink {
  emit(event: FilesystemMigrationEvent): void;
}

/** Drops events. */
export const NOOP_FILESYSTEM_MIGRATION_SINK: FilesystemMigrationSink = Object.freeze({ emit() {} });

/** How far a migration has come. */
export interface FilesystemMigrationProgress {
  /** Threads whose records are written; that comes first for all of them. */
  readonly prepared: number;
  /** Threads that are migrated. */
  readonly done: number;
  /** Threads in all. */
  readonly total: number;
}

/** What a migration can be asked for. */
export interface FilesystemMigrationOptions {
  /** Told, a few times a second at most times, how far the migration has come. */
  readonly onProgress?: ((progress: FilesystemMigrationProgress) => void) | undefined;
  /** Stops the migration; the next one goes on where it stopped. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Migrates roots. */
export interface FilesystemMigrator {
  migrate(
    rootDir: string,
    options?: FilesystemMigrationOptions,
  ): Promise<FilesystemMigrationResult>;
}

/** What a step of the core answers; nothing when it was told to stop. */
interface Step {
  readonly progress?: FilesystemMigrationProgress;
  readonly answer?: {
    readonly kind: FilesystemMigrationResult['kind'];
    readonly marker: MigrationMarker;
  };
}

/**
 * Migrates a root of the layout before 0.2.0: each `threads/thd_X` becomes the project
 * `prj_legacy_X` of the tenant {@link UNKNOWN_TENANT_ID}, with the session
 * `ses_legacy_default`, to which the thread's `runs/` move.
 *
 * A migration that stops at whatever point is run again and ends as if it had run once.
 * It is for the start of an application, before anything uses the root.
 *
 * @example
 * ```ts
 * const { kind, migratedThreads } = await new DefaultFilesystemMigrator().migrate('./data');
 * if (kind === 'migrated') console.log(`${migratedThreads.length} threads are projects now`);
 * const store = new DiskSessionStore({ rootDir: './data' });
 * ```
 */
export class DefaultFilesystemMigrator implements FilesystemMigrator {
  private readonly sink: FilesystemMigrationSink;

  /** @param sink - Told when a root was migrated, before its lock is given back. */
  constructor(sink: FilesystemMigrationSink = NOOP_FILESYSTEM_MIGRATION_SINK) {
    this.sink = sink;
  }

  /**
   * Migrates a root, unless it is migrated.
   *
   * @throws {FilesystemMigrationError} When it cannot go on; what it did so far stays.
   * @throws The signal's reason, when it is aborted.
   */
  async migrate(
    rootDir: string,
    options: FilesystemMigrationOptions = {},
  ): Promise<FilesystemMigrationResult> {
    const root = resolve(argument.path('rootDir', rootDir));
    const { onProgress, signal } = argument.object('options', options);
    if (signal?.aborted) throw signal.reason;
    const migration = new native.NativeMigration(root, time());
    const stop = () => migration.stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const { kind, marker } = await finish(migration, onProgress, signal);
      const { at, migratedThreads } = parseMarker(marker);
      const markerPath = join(rootDir, MARKER_REL_PATH);
      const result = { kind, migratedThreads, markerPath, at };
      if (kind === 'migrated') this.sink.emit({ type: 'filesystem.migrated', result });
      return result;
    } catch (error) {
      throw migrationError(rootDir, error);
    } finally {
      signal?.removeEventListener('abort', stop);
      // A lock that cannot be removed is taken over: what the migration led to stands.
      await migration.release().catch(() => {});
    }
  }
}

/** Does step after step, up to the last. */
async function finish(
  migration: NativeMigration,
  onProgress: FilesystemMigrationOptions['onProgress'],
  signal: AbortSignalLike | undefined,
): Promise<NonNullable<Step['answer']>> {
  // What throws in an application's callback is the application's to see, not the migration's.
  const report = (progress: FilesystemMigrationProgress) =>
    tell(PROGRESS, 'onProgress', () => onProgress?.(progress));
  let last: FilesystemMigrationProgress | undefined;
  for (;;) {
    const { progress, answer }: Step = JSON.parse(await migration.step());
    if (answer !== undefined) {
      if (last !== undefined) report({ ...last, done: last.total });
      return answer;
    }
    if (progress === undefined) throw signal?.reason;
    last = progress;
    report(progress);
  }
}
