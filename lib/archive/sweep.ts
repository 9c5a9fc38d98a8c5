/** Applies a project's retention policy. */

import { amount, invalid } from '../arguments';
import { publicError } from '../errors/from-native';
import type { ArchiveBackendRef, ProjectId, SubSessionId, TenantId } from '../ids';
import { native } from '../native';
import type { RetentionPolicy } from '../retention';
import type { ExtendedSessionStore } from '../store/extended-session-store';
import type { SessionStore } from '../store/session-store';
import { untouchedCore } from '../store/untouched-core';
import type { SubSession } from '../sub-session';
import type { ArchivalManager } from './archival-manager';
import { placeOfUntouched } from './disk-archive-backend';
import type { ArchiveBackend, SubSessionTombstone } from './types';

/** How a sweep goes about it. */
export interface SweepOptions {
  /** In place of the project's own. */
  readonly policy?: RetentionPolicy;
  /** Only says what would be archived: the tombstones' `archiveRef` is `arc_dry_run`. */
  readonly dryRun?: boolean;
  /** The time from which ages are counted; the current time when absent. */
  readonly now?: Date | (() => Date);
  /** Whether what is archived is evicted too; `false` when absent. */
  readonly evict?: boolean;
  /** Stops the sweep between two sub-sessions. */
  readonly signal?: AbortSignal;
  /** Called after each sub-session that was due. */
  readonly onProgress?: (progress: SweepProgress) => void;
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
  /** How many sub-sessions of the project are neither archived nor failed. */
  readonly kept: number;
}

interface Sweep {
  readonly manager: ArchivalManager;
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly projectId: ProjectId;
  readonly tenantId: TenantId;
  readonly options: SweepOptions;
}

/** How many sub-sessions are archived at a time, where nothing of the application's is called. */
const AT_ONCE = 8;
/** How many sessions are asked for their children at a time. */
const PAGE = 200;
const DRY_RUN: ArchiveBackendRef = 'arc_dry_run';

export async function sweep(request: Sweep): Promise<SweepResult> {
  const { manager, store, backend, projectId, tenantId, options } = request;
  const now = timeOf(options.now);
  const policy = options.policy ?? (await policyOf(request));
  const edges = await edgesOf(store, projectId, tenantId);
  const due = dueOf(edges, policy, now);
  const tombstones = new Map<SubSessionId, SubSessionTombstone>();
  const failed: { subSessionId: SubSessionId; error: unknown }[] = [];
  const archive = async (id: SubSessionId) => {
    try {
      tombstones.set(
        id,
        options.dryRun
          ? outlook(edges.get(id) as SubSession, tenantId, now)
          : await manager.archive(id, tenantId, { evict: options.evict ?? false }),
      );
    } catch (error) {
      failed.push({ subSessionId: id, error });
    }
    const done = tombstones.size + failed.length;
    options.onProgress?.({ done, total: due.ids.length, subSessionId: id });
  };
  const [core, place] = [untouchedCore(store), placeOfUntouched(backend)];
  const ours = core !== undefined && place !== undefined;
  if (ours && !options.dryRun) {
    try {
      await core.removeUnsealed(place);
    } catch (error) {
      throw publicError(error);
    }
  }
  const waiting = due.ids.values();
  const worker = async () => {
    for (const id of waiting) {
      if (options.signal?.aborted) return;
      await archive(id);
    }
  };
  await Promise.all(Array.from({ length: ours ? AT_ONCE : 1 }, worker));
  const archived = due.ids.flatMap((id) => tombstones.get(id) ?? []);
  const left = due.ids.length - archived.length - failed.length;
  return { archived, failed, kept: due.kept + left };
}

function timeOf(now: SweepOptions['now']): Date {
  const time = typeof now === 'function' ? now() : (now ?? new Date());
  if (Number.isFinite(new Date(time).getTime())) return new Date(time);
  throw invalid('options.now', 'a valid date, or a function that answers one', now, timeOf);
}

async function policyOf({ store, projectId, tenantId }: Sweep): Promise<RetentionPolicy> {
  const project = await store.getProject(projectId, tenantId);
  if (project === null) throw new Error(`Project ${projectId} not found`);
  return project.config.retentionPolicy ?? {};
}

/** The sub-sessions whose parents are in a project. */
async function edgesOf(
  store: SessionStore,
  projectId: ProjectId,
  tenantId: TenantId,
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
    const children = page.items.map((session) => store.getChildren(session.id, tenantId));
    for (const edge of (await Promise.all(children)).flat()) edges.set(edge.id, edge);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return edges;
}

function dueOf(
  edges: ReadonlyMap<SubSessionId, SubSession>,
  policy: RetentionPolicy,
  now: Date,
): { readonly ids: readonly SubSessionId[]; readonly kept: number } {
  const ages = [...edges.values()].map(({ id, status, updatedAt }) => ({ id, status, updatedAt }));
  amount('policy.maxSubSessionsPerProject', policy.maxSubSessionsPerProject);
  try {
    return JSON.parse(native.dueEdges(JSON.stringify(ages), JSON.stringify(policy), now.getTime()));
  } catch (error) {
    throw publicError(error);
  }
}

/** What an edge would leave behind. */
function outlook(edge: SubSession, tenantId: TenantId, now: Date): SubSessionTombstone {
  return {
    subSessionId: edge.id,
    sessionId: edge.childSessionId,
    tenantId,
    ...(edge.summaryRef === undefined ? {} : { summaryRef: edge.summaryRef }),
    archiveRef: DRY_RUN,
    archivedAt: now,
  };
}
