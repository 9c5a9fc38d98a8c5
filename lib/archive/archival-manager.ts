/** Moves finished sub-sessions into an archive, and back. */

import * as argument from '../arguments';
import { publicError } from '../errors/from-native';
import type { ProjectId, SessionId, SubSessionId, TenantId } from '../ids';
import { ARCHIVAL, tell } from '../listeners';
import { pristine } from '../pristine';
import { pristineCore } from '../store/pristine';
import { time } from '../time';
import {
  archiveAlone,
  archiveBatch,
  backendOf,
  lockKeyFor,
  lockKeyOf,
  none,
  reentered,
  restoreAlone,
} from './alone';
import type { AcceptedDeps, ArchivalManagerDeps } from './dependencies';
import { placeOfPristine } from './disk-archive-backend';
import { runExclusive } from './keyed-mutex';
import { SWEEP_OPTIONS, type SweepOptions, type SweepResult, sweep } from './sweep';
import type { SubSessionTombstone } from './types';
import { restoreSessionViaInterfaces } from './via-interfaces';

/** How a sub-session is archived. */
export interface ArchiveOptions {
  /**
   * Whether the child's messages and summary are to be in the archive only. They
   * read as none until the sub-session is restored, and appending rejects with
   * `SessionEvictedError`. `false` when absent.
   *
   * With {@link DiskArchiveBackend} they come back byte for byte. Any other backend
   * keeps what it is given: the messages with their ids and times, not what was replaced
   * before. Their idempotency keys stay with the session and come back too.
   */
  readonly evict?: boolean | undefined;
  /**
   * Whether the workspace is disposed of with whatever is in it. When absent or `false`, one
   * with uncommitted changes, with commits that are on no branch, or that is locked is kept,
   * and the tombstone says so in `keptWorkspaces`.
   */
  readonly discardWorkspaces?: boolean | undefined;
  /**
   * Archives only what was not used since: a sub-session whose record, child or child's
   * messages were changed later, or whose child is in use, is refused as `not_idle`. What a
   * sweep decides is checked so again, in the transaction that archives.
   */
  readonly idleSince?: Date | undefined;
}

/**
 * Archives and restores sub-sessions.
 *
 * Archiving is safe to interrupt anywhere when both the store and the backend are
 * this package's and share a root: the sub-session is as it was and its bundle
 * incomplete, or it is archived and its bundle complete.
 *
 * @example
 * ```ts
 * const archival = new ArchivalManager({
 *   sessionStore: store,
 *   workspaceRegistry: new WorkspaceBackendRegistry(),
 *   archiveBackend: new DiskArchiveBackend({ rootDir: './data' }),
 * });
 * const { archiveRef } = await archival.archive(subSession.id, tenant, { evict: true });
 * await archival.restore(subSession.id, tenant);
 * ```
 */
export class ArchivalManager {
  private readonly deps: ArchivalManagerDeps;

  constructor(deps: AcceptedDeps) {
    this.deps = deps as ArchivalManagerDeps;
  }

  /**
   * Archives a sub-session that is `idle`, `merged`, `merge_rejected` or `failed`:
   * its child's messages and summary go into a new bundle, and it becomes
   * `archived`. Its workspace is disposed of, where there is a way to find it and no work
   * would be lost with it ({@link ArchiveOptions.discardWorkspaces}); a failure of that is
   * ignored. Archivals and restorations of one child take turns.
   *
   * With `evict`, a child that is `active`, `locked`, `awaiting_hitl` or `awaiting_merge` is
   * refused as `not_idle`.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws SubSessionNotArchivableError when it is missing, archived already or busy
   * @throws SessionEvictedError when its messages are in another bundle only
   */
  async archive(
    subSessionId: SubSessionId,
    tenantId: TenantId,
    options?: ArchiveOptions,
  ): Promise<SubSessionTombstone> {
    const backend = backendOf(this.deps);
    const id = argument.string('subSessionId', subSessionId) as SubSessionId;
    const tenant = argument.tenant(tenantId) as TenantId;
    const {
      evict = false,
      discardWorkspaces = false,
      idleSince,
    } = argument.options('options', options, ['evict', 'discardWorkspaces', 'idleSince']);
    const how = {
      evict: argument.boolean('options.evict', evict),
      discard: argument.boolean('options.discardWorkspaces', discardWorkspaces),
      idleSince:
        idleSince === undefined ? undefined : argument.date('options.idleSince', idleSince),
    };
    const key = await lockKeyFor(this.deps, id, tenant);
    const tombstone = await runExclusive([key], reentered, () =>
      archiveAlone(this.deps, backend, id, tenant, how),
    );
    tell(ARCHIVAL, 'onArchived', () => this.deps.onArchived?.(tombstone));
    return tombstone;
  }

  /**
   * Verifies the bundle of an archived sub-session and makes it `idle` again, with
   * everything of its child where it was. The bundle stays. A workspace that is gone by then
   * is named no more.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws SubSessionNotArchivedError when it is missing or not archived
   * @throws ArchiveNotFoundError when the bundle cannot be believed; the sub-session
   *   stays archived
   * @throws SessionEvictedError when its child was evicted into another bundle
   */
  async restore(subSessionId: SubSessionId, tenantId: TenantId): Promise<void> {
    const backend = backendOf(this.deps);
    const id = argument.string('subSessionId', subSessionId) as SubSessionId;
    const tenant = argument.tenant(tenantId) as TenantId;
    const key = await lockKeyFor(this.deps, id, tenant);
    await runExclusive([key], reentered, () => restoreAlone(this.deps, backend, id, tenant));
    tell(ARCHIVAL, 'onRestored', () => this.deps.onRestored?.(id, tenant));
  }

  /**
   * Puts the messages and the summary of an evicted session back from the bundle that its
   * eviction names, whatever became of its sub-session: use it where `restore` has no
   * sub-session to start from. The sub-session, where there is one, stays as it is, and the
   * bundle stays too. A session that is not evicted is left alone.
   *
   * @example
   * ```ts
   * try {
   *   await store.appendMessage(sessionId, message, tenant);
   * } catch (error) {
   *   if (!(error instanceof SessionEvictedError)) throw error;
   *   await archival.restoreSession(sessionId, tenant);
   *   await store.appendMessage(sessionId, message, tenant);
   * }
   * ```
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws Error (`… not found`) when there is no such session
   * @throws ArchiveNotFoundError when the bundle cannot be believed; the session stays evicted
   */
  async restoreSession(sessionId: SessionId, tenantId: TenantId): Promise<void> {
    const backend = backendOf(this.deps);
    const id = argument.string('sessionId', sessionId) as SessionId;
    const tenant = argument.tenant(tenantId) as TenantId;
    await runExclusive([lockKeyOf(id, tenant)], reentered, async () => {
      const store = this.deps.sessionStore;
      const [core, place] = [pristineCore(store), placeOfPristine(backend)];
      if (core === undefined || place === undefined) {
        return restoreSessionViaInterfaces({ store, backend, tenant }, id);
      }
      try {
        await core.restoreSession(place, id, tenant, time());
      } catch (error) {
        throw publicError(error);
      }
    });
  }

  /**
   * Applies a project's retention policy: archives what has been finished for longer
   * than `idleSubSessionTTL`, then the longest idle above `maxSubSessionsPerProject`.
   * Ages are counted from the last change of the sub-session's record, its child's record or
   * its child's messages. A child that is `active`, `locked`, `awaiting_hitl` or
   * `awaiting_merge` is kept, and so is what is used before its turn comes. One failure does
   * not stop the rest. Bundles that their writers
   * left unfinished are removed.
   *
   * The store must be able to list: one of this package's is.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws Error (`… not found`) when there is no such project
   */
  async sweep(
    projectId: ProjectId,
    tenantId: TenantId,
    options?: SweepOptions,
  ): Promise<SweepResult> {
    const backend = backendOf(this.deps);
    return sweep({
      archive: (...sub) => this.archive(...sub),
      // Past the method `archive`, which does not show of a manager that is exactly ours.
      archiveBatch: (...batch) => (isPristine(this) ? archiveBatch(this.deps, ...batch) : none),
      store: this.deps.sessionStore,
      backend,
      projectId: argument.string('projectId', projectId) as ProjectId,
      tenantId: argument.tenant(tenantId) as TenantId,
      options: argument.options('options', options, SWEEP_OPTIONS),
    });
  }
}

const isPristine = pristine(ArchivalManager);
