/** Errors of the compiled core as those of a migration. */

import { join } from 'node:path';
import { FilesystemMigrationError } from '../errors';
import { publicError } from '../errors/from-native';

/** How an error of a file operation looks, as Node.js has it. */
interface SystemError extends Error {
  code: string;
  path?: string;
  syscall?: string;
}

interface Marked {
  readonly namzuError: string;
  readonly message: string;
  readonly details: string;
}

/** What to throw for an error of a migration of a root, whose paths are relative to it. */
export function migrationError(rootDir: string, thrown: unknown): unknown {
  const details = detailsOf('FilesystemMigrationError', thrown);
  if (details === undefined) return publicError(thrown);
  const path = join(rootDir, details.path);
  const cause = systemError(`${details.code}: ${details.reason}`, { code: details.code, path });
  return new FilesystemMigrationError({
    op: details.op as FilesystemMigrationError['details']['op'],
    path,
    cause,
  });
}

/** What to throw for an error of a file operation on an absolute path. */
export function fileError(thrown: unknown): unknown {
  const details = detailsOf('StoreIoError', thrown);
  if (details === undefined) return publicError(thrown);
  const { code, op: syscall, path } = details;
  return systemError(`${code}: ${syscall} '${path}'`, { code, syscall, path });
}

function systemError(message: string, fields: Omit<SystemError, keyof Error>): SystemError {
  return Object.assign(new Error(message), fields);
}

function detailsOf(
  name: string,
  thrown: unknown,
): { op: string; path: string; code: string; reason: string } | undefined {
  const marked = thrown as Partial<Marked> | null;
  if (typeof marked !== 'object' || marked?.namzuError !== name) return undefined;
  return JSON.parse(marked.details as string);
}
