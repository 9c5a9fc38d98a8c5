/** The marker of a migrated root, and the lock of a migration. */

import { resolve } from 'node:path';
import * as argument from '../arguments';
import type { ProjectId } from '../ids';
import { native } from '../native';
import { time } from '../time';
import { fileError } from './errors';

/** Says that a root is migrated. */
export interface MigrationMarker {
  /** The layout that it was brought to. */
  version: string;
  at: Date;
  /** The threads that were migrated, and the project that each became. */
  migratedThreads: readonly {
    legacyThreadId: string;
    newProjectId: ProjectId;
  }[];
}

/** The marker in a file; `null` when there is none, or something else. */
export async function readMarker(path: string): Promise<MigrationMarker | null> {
  const file = absolute(path);
  try {
    const text = await native.readMigrationMarker(file);
    return text === null ? null : parseMarker(JSON.parse(text));
  } catch (error) {
    throw fileError(error);
  }
}

/**
 * Makes a file hold a marker: in one step, with the folders it needs, and so that it
 * survives a power cut.
 */
export async function writeMarker(path: string, marker: MigrationMarker): Promise<void> {
  const file = absolute(path);
  const { version, at, migratedThreads } = argument.object('marker', marker);
  const text = argument.json('marker', { version, at, migratedThreads });
  try {
    await native.writeMigrationMarker(file, text);
  } catch (error) {
    throw fileError(error);
  }
}

/**
 * Takes the lock of a migration: this process has it until it gives it back or ends. One
 * that a process left that is gone is taken over.
 *
 * @throws An error with the `code` `'EEXIST'` when another process has it.
 */
export async function acquireMigrationLock(tmpPath: string): Promise<void> {
  const file = absolute(tmpPath, 'tmpPath');
  try {
    await native.acquireMigrationLock(file, time());
  } catch (error) {
    throw fileError(error);
  }
}

/** Removes the lock of a migration; fine where there is none. */
export async function releaseMigrationLock(tmpPath: string): Promise<void> {
  const file = absolute(tmpPath, 'tmpPath');
  try {
    await native.releaseMigrationLock(file);
  } catch (error) {
    throw fileError(error);
  }
}

/** A marker as the core writes it, with its date. */
export function parseMarker(marker: MigrationMarker & { at: unknown }): MigrationMarker {
  return { ...marker, at: new Date(marker.at as unknown as string) };
}

function absolute(path: string, name = 'path'): string {
  return resolve(argument.path(name, path));
}
