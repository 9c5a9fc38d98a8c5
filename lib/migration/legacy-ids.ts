/** Acceptance of ids with the former prefix `thd_`. */

import { StalePrefixError } from '../errors';
import type { ProjectId } from '../ids';
import { native } from '../native';

/** Told of an id with a former prefix. */
export interface MigrationWarning {
  kind: 'id_prefix_legacy_read';
  /** The id as it was read. */
  legacyId: string;
  /** What it is now. */
  normalizedId: ProjectId;
  at: Date;
  /** There is one warning for each id and process. */
  emittedOncePerProcess: true;
}

/** Takes warnings. */
export interface MigrationWarningSink {
  emit(warning: MigrationWarning): void;
}

/** Drops warnings. */
export const NOOP_MIGRATION_WARNING_SINK: MigrationWarningSink = Object.freeze({ emit() {} });

const PRESENT = 'prj_';
const FORMER = 'thd_';

/**
 * A project id, also when it still has its former prefix: `prj_…` as it is, `thd_X`
 * as `prj_X`, with a warning to `sink` the first time that this process sees it.
 *
 * @throws {StalePrefixError} For anything else.
 */
export function acceptLegacyThreadId(raw: string, sink: MigrationWarningSink): ProjectId {
  const id: unknown = raw;
  if (typeof id === 'string' && id.startsWith(PRESENT)) return id as ProjectId;
  if (typeof id !== 'string' || !id.startsWith(FORMER)) {
    throw new StalePrefixError({ rawId: raw, kind: 'unknown_prefix' });
  }
  const normalizedId: ProjectId = `${PRESENT}${id.slice(FORMER.length)}`;
  // As JSON, an id that is no Unicode is not taken for another one.
  if (native.firstSightOfLegacyId(JSON.stringify(id))) {
    sink.emit({
      kind: 'id_prefix_legacy_read',
      legacyId: id,
      normalizedId,
      at: new Date(),
      emittedOncePerProcess: true,
    });
  }
  return normalizedId;
}

/**
 * Lets every id through that does not have the former prefix.
 *
 * @throws {StalePrefixError} For `thd_…`.
 */
export function rejectLegacyPrefix(id: string): void {
  if (typeof id === 'string' && id.startsWith(FORMER)) {
    throw new StalePrefixError({ rawId: id, kind: 'thd_rejected' });
  }
}
