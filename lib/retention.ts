/** Retention: when sub-sessions leave the hot path. */

import type { ArchiveBackendRef } from './ids';

/** When sub-sessions of a project are archived. An absent field sets no limit. */
export interface RetentionPolicy {
  /** Archive what has been idle for longer than this many milliseconds. */
  readonly idleSubSessionTTL?: number;
  /** Archive the longest idle above this number. */
  readonly maxSubSessionsPerProject?: number;
  readonly archiveBackend?: ArchiveBackendRef;
}

/** The policy that archives nothing: frozen and empty. */
export const RETENTION_POLICY_DISABLED: RetentionPolicy = Object.freeze({});
