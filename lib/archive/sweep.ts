/** Applies a project's retention policy. */

import { types } from 'node:util';
import type { AbortSignalLike } from '../abort-signal';
import { amount, boolean, invalid, object } from '../arguments';
import { CorruptRecordError, NotFoundError, SubSessionNotArchivableError } from '../errors';
import { publicError } from '../errors/from-native';
import type { ArchiveBackendRef, ProjectId, SessionId, SubSessionId, TenantId } from '../ids';
import { ARCHIVAL, tell } from '../listeners';
import { type NativeArchive, type NativeStore, native } from '../native';
import type { DamagedRecord } from '../page';
import type { RetentionPolicy } from '../retention';
import type { ExtendedSessionStore } from '../store/extended-session-store';
import { pristineCore } from '../store/pristine';
import type { SessionStore } from '../store/session-store';
import type { SubSession } from '../sub-session';
import { activityOf } from './activity';
import { placeOfPristine } from './disk-archive-backend';
import type { ArchiveBackend, KeptWorkspace, SubSessionTombstone } from './types';

/** Every option of a sweep. */
export const SWEEP_OPTIONS: readonly (keyof SweepOptions)[] = [
  'policy',
  'dryRun',
  'now',
  'evict',
  'discardWorkspaces',
  'signal',
  'onProgress',
];

/** How a sweep goes about it. */
export interface SweepOptions {
  /** In place of the project's own. */
  readonly policy?: RetentionPolicy | undefined;
  /** Only says what would be archived: the tombstones' `archiveRef` is `arc_dry_run`. */
  readonly dryRun?: boolean | undefined;
  /** The time from which ages are counted; the current time when absent. */
  readonly now?: Date | (() => Date) | undefined;
  /** Whether what is archived is evicted too; `false` when absent. */
  readonly evict?: boolean | undefined;
  /** Whether workspaces are disposed of with whatever is in them; `false` when absent. */
  readonly discardWorkspaces?: boolean | undefined;
  /** Stops the sweep between two sub-sessions; those that are under way are finished. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called after each sub-session that was due. */
  readonly onProgress?: ((progress: SweepProgress) => void) | undefined;
}

/** How far a sweep has come. */
export interface SweepProgress {
  /** How many of those that are due were archived, or failed. */
  readonly done: number;
  /** How many are due. */
  readonly total: number;
  /** The last of them. */
  readonly subSessionId: SubSessionId;
}

/** What a sweep did. */
export interface SweepResult {
  /** The longest idle first. */
  readonly archived: SubSessionTombstone[];
  readonly failed: { readonly subSessionId: SubSessionId; readonly error: unknown }[];
  /**
   * How many sub-sessions of the project are neither archived nor failed, those included that
   * came into use before it was their turn.
   */
  readonly kept: number;
  /**
   * Sessions that cannot be read, or have a sub-session that cannot be, each with the damaged
   * file: nothing below them and nothing that leads to them is archived, and `kept` counts no
   * sub-session that is not seen for it. Absent without any.
   */
  readonly damaged?: readonly DamagedRecord[];
  /** Workspaces that were not disposed of, as work would have been lost; absent without any. */
  readonly keptWorkspaces?: readonly KeptWorkspace[];
}

/** Takes note of what became of a sub-session that was due. */
export type Settle = (id: SubSessionId, outcome: () => SubSessionTombstone) => void;

interface Sweep {
  /** Archives one sub-session, as `ArchivalManager.archive` does. */
  readonly archive: (
    id: SubSessionId,
    tenantId: TenantId,
    options: { evict: boolean; discardWorkspaces?: boolean; idleSince: Date },
  ) => Promise<SubSessionTombstone>;
  /**
   * Archives the first of some sub-sessions with one commit, and answers how many had
   * their turn: none where that cannot be done.
   */
  readonly archiveBatch: (
    edges: readonly DueEdge[],
    tenant: TenantId,
    evict: boolean,
    settle: Settle,
  ) => Promise<number> | number;
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly projectId: ProjectId;
  readonly tenantId: TenantId;
  readonly options: SweepOptions;
}

/** A sub-session that is to be archived, as it is idle since a time in milliseconds. */
export interface DueEdge extends Pick<SubSession, 'id' | 'childSessionId' | 'summaryRef'> {
  readonly idleSince: number;
}

/** How many batches are archived at a time, where nothing of the application's is called. */
const AT_ONCE = 4;
/**
 * The most sub-sessions in one. They start with one and become larger, so that a sweep
 * that is stopped early has done little.
 */
const BATCH = 32;
/** How many sessions are asked for their children at a time. */
const PAGE = 200;
const DRY_RUN: ArchiveBackendRef = 'arc_dry_run';

export async function sweep(request: Sweep): Promise<SweepResult> {
  const { archive, store, backend, projectId, tenantId, options } = request;
  const evict = boolean('options.evict', options.evict === undefined ? false : options.evict);
  const discard = boolean(
    'options.discardWorkspaces',
    options.discardWorkspaces === undefined ? false : options.discardWorkspaces,
  );
  const dryRun = boolean('options.dryRun', options.dryRun === undefined ? false : options.dryRun);
  const now = timeOf(options.now);
  const own = await policyOf(request);
  const policy = options.policy === undefined ? own : object('options.policy', options.policy);
  const [core, place] = [pristineCore(store), placeOfPristine(backend)];
  const due = await (core === undefined
    ? dueThrough(store, projectId, tenantId, policy, now)
    : dueIn(core, projectId, tenantId, policy, now));
  const ours = core !== undefined && place !== undefined && !dryRun;
  if (ours) await removeUnsealed(core, place);

  const tombstones = new Map<SubSessionId, SubSessionTombstone>();
  const failed: { subSessionId: SubSessionId; error: unknown }[] = [];
  let done = 0;
  const settle: Settle = (id, outcome) => {
    try {
      tombstones.set(id, outcome());
    } catch (error) {
      // What came into use after it was found to be due is kept.
      if (!isUsed(error)) failed.push({ subSessionId: id, error });
    }
    done += 1;
    const progress = { done, total: due.edges.length, subSessionId: id };
    tell(ARCHIVAL, 'onProgress', () => options.onProgress?.(progress));
  };
  const archiveOne = async (edge: DueEdge) => {
    let outcome: () => SubSessionTombstone;
    try {
      const tombstone = dryRun
        ? outlook(edge, tenantId, now)
        : await archive(edge.id, tenantId, {
            evict,
            idleSince: new Date(edge.idleSince),
            ...(discard ? { discardWorkspaces: true } : {}),
          });
      outcome = () => tombstone;
    } catch (error) {
      outcome = () => {
        throw error;
      };
    }
    settle(edge.id, outcome);
    return 1;
  };
  const archiveSome = async (edges: readonly DueEdge[]) => {
    const done = ours ? await request.archiveBatch(edges, tenantId, evict, settle) : 0;
    return done || archiveOne(edges[0] as DueEdge);
  };

  let [taken, size, ended] = [0, 1, false];
  const lane = async (batches: number) => {
    for (let n = 0; n < batches && taken < due.edges.length; n += 1) {
      let edges = due.edges.slice(taken, taken + size);
      taken += edges.length;
      size = Math.min(2 * size, BATCH);
      while (edges.length > 0) {
        if (ended || options.signal?.aborted) return;
        try {
          edges = edges.slice(await archiveSome(edges));
        } catch (error) {
          ended = true;
          throw error;
        }
      }
    }
  };
  await lane(1);
  const lanes = Array.from({ length: ours ? AT_ONCE : 1 }, () => lane(Number.POSITIVE_INFINITY));
  await allDone(lanes);
  const archived = due.edges.flatMap(({ id }) => tombstones.get(id) ?? []);
  const left = due.edges.length - archived.length - failed.length;
  const keptWorkspaces = archived.flatMap((tombstone) => tombstone.keptWorkspaces ?? []);
  return {
    ...{ archived, failed, kept: due.kept + left },
    ...(due.damaged.length === 0 ? {} : { damaged: due.damaged }),
    ...(keptWorkspaces.length === 0 ? {} : { keptWorkspaces }),
  };
}

function isUsed(error: unknown): boolean {
  return error instanceof SubSessionNotArchivableError && error.details.reason === 'not_idle';
}

/** Waits for all, and throws what the first of them threw. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

async function removeUnsealed(core: NativeStore, place: NativeArchive): Promise<void> {
  try {
    await core.removeUnsealed(place);
  } catch (error) {
    throw publicError(error);
  }
}

function timeOf(now: SweepOptions['now']): Date {
  const time = typeof now === 'function' ? now() : (now ?? new Date());
  if (types.isDate(time) && Number.isFinite(time.getTime())) return new Date(time);
  throw invalid('options.now', 'a valid date, or a function that answers one', now, timeOf);
}

async function policyOf({ store, projectId, tenantId }: Sweep): Promise<RetentionPolicy> {
  const project = await store.getProject(projectId, tenantId);
  if (project === null) throw new NotFoundError({ kind: 'project', id: projectId });
  return project.config.retentionPolicy ?? {};
}

/** The sub-sessions whose parents are in a project. */
async function edgesOf(
  store: SessionStore,
  projectId: ProjectId,
  tenantId: TenantId,
  damaged: Map<string, DamagedRecord>,
): Promise<Map<SubSessionId, SubSession>> {
  const lister = store as Partial<ExtendedSessionStore>;
  if (typeof lister.listSessionsByProject !== 'function') {
    throw invalid('sessionStore', 'a store with listSessionsByProject', store, edgesOf);
  }
  const edges = new Map<SubSessionId, SubSession>();
  let cursor: string | undefined;
  do {
    const options = cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor };
    const page = await lister.listSessionsByProject(projectId, tenantId, options);
    for (const record of page.damaged ?? []) damaged.set(record.id, record);
    const children = page.items.map(async ({ id }) => {
      try {
        return await store.getChildren(id, tenantId);
      } catch (error) {
        return noteDamage(damaged, id, error, []);
      }
    });
    for (const edge of (await Promise.all(children)).flat()) edges.set(edge.id, edge);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return edges;
}

/** Takes note of a damaged record, which decides nothing about others; throws any other error. */
function noteDamage<T>(
  damaged: Map<string, DamagedRecord>,
  id: SessionId,
  error: unknown,
  instead: T,
): T {
  if (!(error instanceof CorruptRecordError)) throw error;
  damaged.set(id, { id, path: error.details.path, reason: error.details.reason });
  return instead;
}

interface Due {
  /** The longest idle first. */
  readonly edges: readonly DueEdge[];
  readonly kept: number;
  readonly damaged: readonly DamagedRecord[];
}

function dueOf(
  edges: ReadonlyMap<SubSessionId, SubSession>,
  policy: RetentionPolicy,
  now: Date,
): Omit<Due, 'damaged'> {
  const ages = [...edges.values()].map(({ id, status, updatedAt }) => ({ id, status, updatedAt }));
  try {
    const { ids, kept }: { ids: SubSessionId[]; kept: number } = JSON.parse(
      native.dueEdges(JSON.stringify(ages), policyJson(policy), now.getTime()),
    );
    const due = ids.map((id) => edges.get(id) as SubSession);
    return { edges: due.map((edge) => ({ ...edge, idleSince: edge.updatedAt.getTime() })), kept };
  } catch (error) {
    throw publicError(error);
  }
}

/**
 * As {@link dueOf}, where children that are in use, or were changed lately, are kept: what they
 * do is asked of those alone whose edges are old enough by themselves, as long as that decides.
 */
async function dueThrough(
  store: SessionStore,
  projectId: ProjectId,
  tenant: TenantId,
  policy: RetentionPolicy,
  now: Date,
): Promise<Due> {
  const damaged = new Map<string, DamagedRecord>();
  const edges = await edgesOf(store, projectId, tenant, damaged);
  const known = new Map<SubSessionId, SubSession>(edges);
  const learn = async (ids: Iterable<SubSessionId>) => {
    let changed = false;
    for (const id of ids) {
      const edge = edges.get(id) as SubSession;
      const { childSessionId: child } = edge;
      const last = await activityOf(store, child, tenant).catch((error: unknown) =>
        noteDamage(damaged, child, error, 'in use' as const),
      );
      const isLater = last instanceof Date && last.getTime() > edge.updatedAt.getTime();
      if (last !== 'in use' && !isLater) continue;
      // An edge that is active is hot, and not due.
      known.set(id, isLater ? { ...edge, updatedAt: last } : { ...edge, status: 'active' });
      changed = true;
    }
    return changed;
  };
  const first = dueOf(known, policy, now);
  const named = () => [...damaged.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (!(await learn(first.edges.map(({ id }) => id)))) return { ...first, damaged: named() };
  const dated = [...edges.values()].filter(({ id }) => !first.edges.some((due) => due.id === id));
  await learn(dated.filter(({ status }) => status !== 'archived').map(({ id }) => id));
  return { ...dueOf(known, policy, now), damaged: named() };
}

/** As {@link dueOf}, past the methods of a store of ours. */
async function dueIn(
  core: NativeStore,
  projectId: ProjectId,
  tenantId: TenantId,
  policy: RetentionPolicy,
  now: Date,
): Promise<Due> {
  try {
    return JSON.parse(await core.dueOf(projectId, tenantId, policyJson(policy), now.getTime()));
  } catch (error) {
    throw publicError(error);
  }
}

function policyJson(policy: RetentionPolicy): string {
  amount('policy.maxSubSessionsPerProject', policy.maxSubSessionsPerProject);
  const { idleSubSessionTTL: ttl } = policy;
  // JSON would make `null` of NaN, and so "never".
  if (ttl !== undefined && !(typeof ttl === 'number' && ttl >= 0)) {
    throw invalid('policy.idleSubSessionTTL', 'milliseconds, from 0', ttl, policyJson);
  }
  return JSON.stringify(policy);
}

/** What an edge would leave behind. */
function outlook(edge: DueEdge, tenantId: TenantId, now: Date): SubSessionTombstone {
  return {
    subSessionId: edge.id,
    sessionId: edge.childSessionId,
    tenantId,
    ...(edge.summaryRef === undefined ? {} : { summaryRef: edge.summaryRef }),
    archiveRef: DRY_RUN,
    archivedAt: now,
  };
}
