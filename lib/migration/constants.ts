/** Names and values that a migration is known by. */

import { join } from 'node:path';
import type { SessionId } from '../ids';

/** The layout that a migration leads to. */
export const MIGRATION_VERSION = '0.2.0';

/** Where the marker of a migrated root is, relative to the root. */
export const MARKER_REL_PATH: string = join('.migration', 'v0.2.0');

/** Where the lock of a migration is while it runs, relative to the root. */
export const LOCK_REL_PATH: string = join('.migration', 'v0.2.0.tmp');

/** The session that a thread becomes, in a project of its own. */
export const LEGACY_DEFAULT_SESSION_ID = 'ses_legacy_default' satisfies SessionId;

/** What the id of the project starts with that a thread becomes. */
export const LEGACY_DEFAULT_PROJECT_PREFIX = 'prj_legacy_';

/** Whether ids with the former prefix `thd_` are still accepted. */
export const WINDOW_OPEN = true;
