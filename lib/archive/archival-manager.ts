/** Moves finished sub-sessions into an archive, and back. */

import * as argument from '../arguments';
import { ArchiveNotConfiguredError } from '../errors';
import { publicError } from '../errors/from-native';
import type { ProjectId, SubSessionId, TenantId, WorkspaceId } from '../ids';
import { native } from '../native';
import type { SessionStore } from '../store/session-store';
import { untouchedCore } from '../store/untouched-core';
import type { SubSession } from '../sub-session';
import { time } from '../time';
import { untouched } from '../untouched';
import type { BackendMeta, WorkspaceRef, WorkspaceRegistry } from '../workspace';
import { placeOfUntouched } from './disk-archive-backend';
import { inTurn } from './in-turn';
import { type Settle, SWEEP_OPTIONS, type SweepOptions, type SweepResult, sweep } from './sweep';
import { archiveThrough, restoreThrough } from './through-plug-ins';
import type { ArchiveBackend, SubSessionTombstone } from './types';

/** Finds a workspace; `null` when there is none of this id any more. */
export type WorkspaceResolver = (
  workspaceId: WorkspaceId,
  tenantId: TenantId,
) => Promise<WorkspaceRef | null>;

/** What an {@link ArchivalManager} works with. Each is looked up when it is needed. */
export interface ArchivalManagerDeps {
  readonly sessionStore: SessionStore;
  readonly workspaceRegistry: WorkspaceRegistry;
  /** Where bundles go. Absent: nothing can be archived. */
  readonly archiveBackend?: ArchiveBackend | undefined;
  readonly workspaceResolver?: WorkspaceResolver | undefined;
  readonly onArchived?: ((tombstone: SubSessionTombstone) => void) | undefined;
  readonly onRestored?: ((subSessionId: SubSessionId, tenantId: TenantId) => void) | undefined;
}

/** The same, with no more of a registry than what is called, and with workspaces of any backend. */
interface AcceptedDeps
  extends Omit<ArchivalManagerDeps, 'workspaceRegistry' | 'workspaceResolver'> {
  readonly workspaceRegistry: Pick<WorkspaceRegistry, 'get'>;
  readonly workspaceResolver?:
    | ((workspaceId: WorkspaceId, tenantId: TenantId) => Promise<WorkspaceRef<BackendMeta> | null>)
    | undefined;
}

/** How a sub-session is archived. */
export interface ArchiveOptions {
  /**
   * Whether the child's messages and summary are to be in the archive only. They
   * read as none until the sub-session is restored, and appending rejects with
   * `SessionEvictedError`. `false` when absent.
   *
   * With {@link DiskArchiveBackend} they come back byte for byte. Any other backend
   * keeps what it is given: the messages with their ids and times, not their
   * idempotency keys, nor what was replaced before.
   */
  readonly evict?: boolean | undefined;
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
   * `archived`. Its workspace is disposed of, where there is a way to find it; a
   * failure of that is ignored. Archivals of one sub-session take turns.
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
    const { evict = false } = argument.options('options', options, ['evict']);
    return await inTurn(turnsOf([id], tenant), () =>
      archiveInTurn(this.deps, backend, id, tenant, evict === true),
    );
  }

  /**
   * Verifies the bundle of an archived sub-session and makes it `idle` again, with
   * everything of its child where it was. The bundle stays.
   *
   * @throws ArchiveNotConfiguredError without a backend
   * @throws SubSessionNotArchivedError when it is missing or not archived
   * @throws ArchiveNotFoundError when the bundle cannot be believed; the sub-session
   *   stays archived
   */
  async restore(subSessionId: SubSessionId, tenantId: TenantId): Promise<void> {
    const backend = backendOf(this.deps);
    const id = argument.string('subSessionId', subSessionId) as SubSessionId;
    const tenant = argument.tenant(tenantId) as TenantId;
    return await inTurn(turnsOf([id], tenant), () => restoreInTurn(this.deps, backend, id, tenant));
  }

  /**
   * Applies a project's retention policy: archives what has been finished for longer
   * than `idleSubSessionTTL`, then the longest idle above `maxSubSessionsPerProject`.
   * Ages are counted from the records' own `updatedAt`. One failure does not stop the
   * rest. Bundles that were never finished are removed.
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
      manager: this,
      // Past the method `archive`, which nobody notices of a manager that is exactly ours.
      archiveBatch: (...batch) =>
        isUntouched(this) ? archiveTogether(this.deps, ...batch) : nobody,
      store: this.deps.sessionStore,
      backend,
      projectId: argument.string('projectId', projectId) as ProjectId,
      tenantId: argument.tenant(tenantId) as TenantId,
      options: argument.options('options', options, SWEEP_OPTIONS),
    });
  }
}

function backendOf(deps: ArchivalManagerDeps): ArchiveBackend {
  const backend = deps.archiveBackend;
  if (backend === undefined || backend === null) throw new ArchiveNotConfiguredError();
  return backend;
}

async function archiveInTurn(
  deps: ArchivalManagerDeps,
  backend: ArchiveBackend,
  id: SubSessionId,
  tenant: TenantId,
  evict: boolean,
): Promise<SubSessionTombstone> {
  const store = deps.sessionStore;
  const [core, place] = [untouchedCore(store), placeOfUntouched(backend)];
  const edge = await store.getSubSession(id, tenant);
  assertArchivable(id, edge);
  let workspace: WorkspaceRef | null = null;
  const resolve = async () => {
    if (edge.workspaceId === null || edge.workspaceId === undefined) return null;
    workspace = (await deps.workspaceResolver?.(edge.workspaceId, tenant)) ?? null;
    return workspace;
  };
  let tombstone: SubSessionTombstone;
  if (core !== undefined && place !== undefined) {
    const found = await resolve();
    const how = { workspace: found === null ? undefined : JSON.stringify(found), evict };
    tombstone = await nativeArchive(
      () => core.archive(place, id, tenant, how, time()),
      (text) => reviveTombstone(JSON.parse(text)),
    );
  } else {
    tombstone = await archiveThrough({ store, backend, edge, tenant, evict, resolve });
  }
  await dispose(deps, workspace);
  deps.onArchived?.(tombstone);
  return tombstone;
}

async function archiveTogether(
  deps: ArchivalManagerDeps,
  ids: readonly SubSessionId[],
  tenant: TenantId,
  evict: boolean,
  settle: Settle,
): Promise<number> {
  const { sessionStore, workspaceResolver } = deps;
  const [core, place] = [untouchedCore(sessionStore), placeOfUntouched(backendOf(deps))];
  if (core === undefined || place === undefined) return nobody;
  return await inTurn(turnsOf(ids, tenant), async () => {
    const resolves = workspaceResolver !== undefined && workspaceResolver !== null;
    const answers = await nativeArchive(
      () => core.archiveBatch(place, ids, tenant, { evict, resolves }, time()),
      (text): readonly BatchAnswer[] => JSON.parse(text),
    );
    const failures: unknown[] = [];
    for (const [index, answer] of answers.entries()) {
      try {
        settle(ids[index] as SubSessionId, () => {
          if ('namzuError' in answer) throw publicError(answer);
          const tombstone = reviveTombstone(answer);
          deps.onArchived?.(tombstone);
          return tombstone;
        });
      } catch (error) {
        failures.push(error); // the others are archived, and to be told about, all the same
      }
    }
    if (failures.length > 0) throw failures[0];
    return answers.length;
  });
}

async function restoreInTurn(
  deps: ArchivalManagerDeps,
  backend: ArchiveBackend,
  id: SubSessionId,
  tenant: TenantId,
): Promise<void> {
  const store = deps.sessionStore;
  const [core, place] = [untouchedCore(store), placeOfUntouched(backend)];
  if (core !== undefined && place !== undefined) {
    try {
      await core.restore(place, id, tenant, time());
    } catch (error) {
      throw publicError(error);
    }
  } else {
    await restoreThrough({ store, backend, id, tenant });
  }
  deps.onRestored?.(id, tenant);
}

async function dispose(deps: ArchivalManagerDeps, workspace: WorkspaceRef | null): Promise<void> {
  if (workspace === null) return;
  try {
    await deps.workspaceRegistry.get(workspace.meta.backend).dispose(workspace);
  } catch {
    // The sub-session is archived: a workspace that stays behind does no harm.
  }
}

const isUntouched = untouched(ArchivalManager);

/** How many of a batch had their turn when it could not be archived as one. */
const nobody = 0;

/** What became of one sub-session of a batch: its tombstone, or an error as the core marks it. */
type BatchAnswer =
  | (Omit<SubSessionTombstone, 'archivedAt'> & { readonly archivedAt: string })
  | { readonly namzuError: string; readonly message: string; readonly details?: string };

function turnsOf(ids: readonly SubSessionId[], tenant: TenantId): string[] {
  return ids.map((id) => `${tenant}\0${id}`);
}

function reviveTombstone({
  archivedAt,
  ...rest
}: Omit<SubSessionTombstone, 'archivedAt'> & { readonly archivedAt: string }): SubSessionTombstone {
  return { ...rest, archivedAt: new Date(archivedAt) };
}

function assertArchivable(id: SubSessionId, edge: SubSession | null): asserts edge is SubSession {
  try {
    native.assertArchivable(id, edge?.status ?? null);
  } catch (error) {
    throw publicError(error);
  }
}

async function nativeArchive<T>(
  archive: () => Promise<string>,
  parse: (text: string) => T,
): Promise<T> {
  try {
    return parse(await archive());
  } catch (error) {
    throw publicError(error);
  }
}
