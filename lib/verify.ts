/** Checks a root and says what is wrong with it. */

import { resolve } from 'node:path';
import { type FileUrl, path } from './arguments';
import { publicError } from './errors/from-native';
import { native } from './native';

/**
 * What is wrong.
 *
 * - `damaged_record`: it is not JSON, lacks a key or has a wrong value in one, carries
 *   another id than its folder, or was written by a release too new to be read. Reading
 *   it rejects with `CorruptRecordError`; its siblings stay readable. So is a file of a
 *   bundle that is not what its `archive.json` has the SHA-256 of, or missing, or one too
 *   many (`restore` rejects), and a `.migration/v0.2.0` that is none (it counts as absent).
 * - `broken_line`: a line of a message log is no message of its session. Reading that
 *   log rejects; a line that is only left unfinished at the end is a `torn_log`, unless it
 *   is the first and begins with NULs: what the log had is lost then.
 * - `torn_log`: the last line of a message log was never finished. Readers leave it out,
 *   and the next append moves it to `.store/salvage/`.
 * - `unreadable`: the system does not let us read a file or folder.
 * - `dangling_edge`: the parent or the child session of a sub-session is missing.
 * - `orphan`: messages, a summary, an `evicted.json` or runs of a session, or sessions of a
 *   project, whose own record is missing.
 * - `missing_bundle`: the bundle that an archived sub-session or an `evicted.json` names is
 *   missing or incomplete. Bundles that another backend keeps elsewhere are not missed.
 * - `stranded_eviction`: the messages of a session are in a bundle alone, and no sub-session
 *   leads there: `ArchivalManager.restoreSession` puts them back.
 * - `duplicate_id`: a session is in several projects, or a sub-session under several
 *   sessions; this is a copy that is not the one that the store reads.
 * - `leftover`: something that an interrupted operation left behind: a name ending in
 *   `.tmp`, a deleted tree not unlinked yet, a bundle never finished, the intent of a handoff
 *   whose process has ended (`recoverHandoffs` undoes that one).
 * - `salvaged`: a fragment of a message log that an append moved out of its way, or the version
 *   of a record that a recovery did not put in place of what another program wrote.
 * - `unapplied_transaction`: the journal holds answered or unanswered writes that the
 *   records do not show yet. The next open applies them.
 * - `unreadable_journal`: a part of the journal does not hold: a write that was never
 *   answered, or damage.
 * - `stale_index`: the index does not hold, or says other than the records.
 */
export type VerifyFindingKind =
  | 'damaged_record'
  | 'broken_line'
  | 'torn_log'
  | 'unreadable'
  | 'dangling_edge'
  | 'orphan'
  | 'missing_bundle'
  | 'stranded_eviction'
  | 'duplicate_id'
  | 'leftover'
  | 'salvaged'
  | 'unapplied_transaction'
  | 'unreadable_journal'
  | 'stale_index';

/**
 * How much a finding matters.
 *
 * - `error`: something is damaged or lost.
 * - `warning`: something is left over, or is rebuilt by itself; nothing is lost.
 * - `info`: what a healthy directory in use may show.
 */
export type VerifySeverity = 'error' | 'warning' | 'info';

/** One thing that is wrong with a root. */
export interface VerifyFinding {
  /** The file or folder, relative to the root, with `/` between its components. */
  readonly path: string;
  readonly kind: VerifyFindingKind;
  readonly severity: VerifySeverity;
  /** The line, counted from 1, in a message log. */
  readonly line?: number;
  /** What is wrong, in words for a person; they may change between releases. */
  readonly detail: string;
}

/**
 * Walks the root directory of a `DiskSessionStore` and answers everything in it that is
 * damaged, lost or left over, ordered by path; an empty list for a root that is sound. In
 * one that is healthy and in use nothing is above `info`. It changes nothing, creates nothing, and needs no permission
 * to write.
 *
 * Every file is read as a whole, bundles included, so that it takes as long as that takes.
 * The root may be in use: what is judged is one instant. Records are judged with what
 * the journal has committed and they do not show yet.
 *
 * Rejects with `StoreIoError` when the root is missing or no directory, or it or the engine's own
 * files cannot be read, and with `InvalidArgumentError` when `rootDir` is no path. What
 * cannot be read further in is a finding of its own.
 *
 * @example
 * ```ts
 * for (const { path, line, severity, kind, detail } of await verify('./data')) {
 *   console.warn(`${severity}: ${path}${line === undefined ? '' : `:${line}`}: ${kind}: ${detail}`);
 * }
 * ```
 */
export async function verify(rootDir: string | FileUrl): Promise<readonly VerifyFinding[]> {
  const root = resolve(path('rootDir', rootDir));
  try {
    return JSON.parse(await native.verify(root));
  } catch (error) {
    throw publicError(error);
  }
}
