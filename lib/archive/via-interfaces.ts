/**
 * Archiving through the public methods of a store and a backend, one of which is
 * the application's own, or was changed by it.
 *
 * Where the store is this package's under what wraps it, the sub-session is marked, and its
 * child evicted, in one transaction that checks that both are as they were read.
 */

import { invalid } from '../arguments';
import { SubSessionNotArchivableError, SubSessionNotArchivedError } from '../errors';
import { publicError } from '../errors/from-native';
import type { ArchiveBackendRef, SessionId, SubSessionId, TenantId, WorkspaceId } from '../ids';
import { parseSessionMessages, parseSummary } from '../json';
import { type NativeStore, native } from '../native';
import { findCore } from '../store/core';
import { guarded } from '../store/guarded-update';
import type { SessionStore } from '../store/session-store';
import type { SubSession } from '../sub-session';
import { time } from '../time';
import type { WorkspaceRef } from '../workspace';
import { assertIdleSince } from './activity';
import { assertSame, restoreFrom, sameMessages, sameSummary, storeIn } from './bundle-checks';
import { placeOfOurs } from './disk-archive-backend';
import { linesOf } from './lines';
import type { ArchiveBackend, ArchiveInput, SubSessionTombstone } from './types';

/** How often something starts over because what it is about was changed meanwhile. */
const ATTEMPTS = 8;

interface Archival {
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly id: SubSessionId;
  readonly tenant: TenantId;
  readonly evict: boolean;
  readonly idleSince: Date | undefined;
  readonly resolve: (edge: SubSession) => Promise<WorkspaceRef | null>;
}

/** Archives an edge, if it may be archived. */
export async function archiveViaInterfaces(archival: Archival): Promise<SubSessionTombstone> {
  const { store, id, tenant, evict, idleSince } = archival;
  const core = findCore(store);
  let workspace: WorkspaceRef | null | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const mark = core === undefined ? null : await fromCore(core.archivalMark(id, tenant));
    const edge = await store.getSubSession(id, tenant);
    assertArchivable(id, edge);
    await assertIdleSince(store, edge, tenant, idleSince);
    if (evict && core === undefined) {
      const expected = 'false, as the store is none of this package and cannot evict';
      throw invalid('options.evict', expected, evict, archiveViaInterfaces);
    }
    if (workspace === undefined) workspace = await archival.resolve(edge);
    const input = await read(archival, edge, workspace);
    const holds = await isStill(archival, core, mark, input);
    const tombstone = holds && (await archiveOnce(archival, core, mark, edge, input));
    if (tombstone) return tombstone;
  }
  throw new SubSessionNotArchivableError({ subSessionId: id, reason: 'not_idle' });
}

async function read(
  { store, tenant }: Archival,
  edge: SubSession,
  workspace: WorkspaceRef | null,
): Promise<ArchiveInput> {
  const messages = await store.loadSessionMessages(edge.childSessionId, tenant);
  const summaryRef = await store.getSummary(edge.childSessionId, tenant);
  return {
    subSessionId: edge.id,
    sessionId: edge.childSessionId,
    tenantId: tenant,
    ...(workspace === null ? {} : { workspace }),
    ...(summaryRef === null || summaryRef === undefined ? {} : { summaryRef }),
    messages,
  };
}

/**
 * Whether what was read is what there is. What is to be evicted must be what the log and the
 * summary's record have: a wrapper that shows others would lose those.
 */
async function isStill(
  { id, tenant, evict }: Archival,
  core: NativeStore | undefined,
  mark: string | null,
  { sessionId, messages, summaryRef }: ArchiveInput,
): Promise<boolean> {
  if (core === undefined) return true;
  // A store that wraps ours may keep its sub-sessions elsewhere.
  if (mark === null) return (await fromCore(core.getSubSession(id, tenant))) === null && !evict;
  if (!evict) return fromCore(core.archivalMarkHolds(id, mark, evict, tenant));
  const log = parseSessionMessages(await fromCore(core.loadSessionMessages(sessionId, tenant)));
  const summary = await fromCore(core.getSummary(sessionId, tenant));
  if (!(await fromCore(core.archivalMarkHolds(id, mark, evict, tenant)))) return false;
  const refuse = (method: string, what: string) => {
    const expected = `false, as the store’s ${method} answers another ${what} than it keeps`;
    return invalid('options.evict', expected, evict, archiveViaInterfaces);
  };
  if (!sameMessages(log, messages)) throw refuse('loadSessionMessages', 'log');
  const kept = summary === null ? null : parseSummary(summary);
  if (!sameSummary(kept, summaryRef)) throw refuse('getSummary', 'summary');
  return true;
}

/** Makes a bundle and marks the edge; `undefined` when either changed meanwhile. */
async function archiveOnce(
  archival: Archival,
  core: NativeStore | undefined,
  mark: string | null,
  edge: SubSession,
  input: ArchiveInput,
): Promise<SubSessionTombstone | undefined> {
  const { backend, evict } = archival;
  const { archiveRef, archivedAt } = await storeIn(backend, input);
  try {
    if (evict) assertSame(archiveRef, input, await restoreFrom(backend, archiveRef, input));
    const archived: SubSession = { ...edge, status: 'archived', archiveRef, archivedAt };
    if (await markArchived(archival, core, mark, edge, archived)) {
      return {
        subSessionId: edge.id,
        sessionId: edge.childSessionId,
        tenantId: archival.tenant,
        ...(edge.summaryRef === undefined ? {} : { summaryRef: edge.summaryRef }),
        archiveRef,
        archivedAt,
      };
    }
  } catch (error) {
    const { outcome = 'not_done' } = (error as { details?: { outcome?: string } })?.details ?? {};
    // Where the edge may be archived all the same, its bundle stays.
    if (outcome === 'not_done') await discard(backend, archiveRef);
    throw error;
  }
  await discard(backend, archiveRef);
  return undefined;
}

/** Marks an edge as archived, unless it or its child is no longer as it was read. */
async function markArchived(
  { store, id, tenant, evict, idleSince }: Archival,
  core: NativeStore | undefined,
  mark: string | null,
  read: SubSession,
  archived: SubSession,
): Promise<boolean> {
  const update = async () => store.updateSubSession(archived, tenant);
  if (core === undefined || mark === null) {
    const now = await store.getSubSession(id, tenant);
    assertArchivable(id, now);
    if (JSON.stringify(now) !== JSON.stringify(read)) return false;
    await assertIdleSince(store, now, tenant, idleSince);
    await update();
    return true;
  }
  let changed = false;
  const how = { mark, evict, idleSince: idleSince?.getTime() };
  const guard = async (text: string, at: number) => {
    changed = !(await fromCore(core.markArchived(text, how, tenant, at)));
    if (changed) throw new Changed();
  };
  try {
    const reached = await guarded(core, archived, tenant, guard, update);
    if (!reached) await guard(JSON.stringify(archived), time());
  } catch (error) {
    if (!changed) throw error;
  }
  return !changed;
}

/** Passes through whatever wraps a store, and is caught behind it. */
class Changed extends Error {
  constructor() {
    super('The sub-session or its child was changed meanwhile; archiving starts over');
  }
}

/** Removes a bundle that nothing refers to, where that is in our hands. */
async function discard(backend: ArchiveBackend, archiveRef: ArchiveBackendRef): Promise<void> {
  try {
    const place = placeOfOurs(backend);
    if (place !== undefined) await native.removeBundle(place, archiveRef);
  } catch {
    // It takes up space, and that is all it does.
  }
}

interface Restoration {
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly id: SubSessionId;
  readonly tenant: TenantId;
  /** A workspace that is gone: it is named no more. */
  readonly gone: WorkspaceId | null;
}

/** Restores an edge, if it is archived. */
export async function restoreViaInterfaces(restoration: Restoration): Promise<void> {
  const { store, backend, id, tenant, gone } = restoration;
  const core = findCore(store);
  const edge = await store.getSubSession(id, tenant);
  const archiveRef = restorableRef(id, edge);
  const { childSessionId } = edge as SubSession;
  const owner = { subSessionId: id, sessionId: childSessionId, tenantId: tenant };
  const input = await restoreFrom(backend, archiveRef, owner);
  const claim = core === undefined ? null : await putBack(core, archiveRef, input);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const kept = core === undefined ? null : await fromCore(core.getSubSession(id, tenant));
    const now = await store.getSubSession(id, tenant);
    const isSame = restorableRef(id, now) === archiveRef && now?.childSessionId === childSessionId;
    if (!isSame) break;
    const { archiveRef: _, archivedAt: __, ...rest } = now as SubSession;
    const restored: SubSession = { ...rest, status: 'idle' };
    if (gone !== null && rest.workspaceId === gone) restored.workspaceId = null;
    const update = async () => store.updateSubSession(restored, tenant);
    if (core === undefined || kept === null) {
      await update();
      return forget(restoration, childSessionId);
    }
    let changed = false;
    const guard = async (text: string, at: number) => {
      const marked = core.markRestored(
        text,
        { archiveRef, kept, claim: claim ?? undefined, goneWorkspace: gone ?? undefined },
        tenant,
        at,
      );
      changed = !(await fromCore(marked));
      if (changed) throw new Changed();
    };
    try {
      const reached = await guarded(core, restored, tenant, guard, update);
      if (!reached) await guard(JSON.stringify(restored), time());
      return;
    } catch (error) {
      if (!changed) throw error;
    }
  }
  throw new SubSessionNotArchivedError({ subSessionId: id, reason: 'not_archived' });
}

/** Lets a child name no workspace that is gone, where nothing can do that with the marking. */
async function forget({ store, tenant, gone }: Restoration, sessionId: SessionId): Promise<void> {
  if (gone === null) return;
  const child = await store.getSession(sessionId, tenant);
  if (child?.workspaceId !== gone) return;
  await store.updateSession({ ...child, workspaceId: null }, tenant, child.ownerVersion);
}

/** Puts an evicted session back from the bundle that its eviction names. */
export async function restoreSessionViaInterfaces(
  { store, backend, tenant }: Omit<Restoration, 'id' | 'gone'>,
  sessionId: SessionId,
): Promise<void> {
  const core = findCore(store);
  if (core === undefined) {
    const expected = 'a store of this package: no other one evicts';
    throw invalid('sessionStore', expected, store, restoreSessionViaInterfaces);
  }
  const found = await fromCore(core.evictedInto(sessionId, tenant));
  if (found === null) return;
  const {
    archiveRef,
    subSessionId,
  }: { archiveRef: ArchiveBackendRef; subSessionId: SubSessionId } = JSON.parse(found);
  const owner = { subSessionId, sessionId, tenantId: tenant };
  const claim = await putBack(core, archiveRef, await restoreFrom(backend, archiveRef, owner));
  if (claim !== null) await fromCore(core.endEviction(claim));
}

/** Puts back what is evicted, not visible yet; `null` when the session is not evicted. */
async function putBack(
  core: NativeStore,
  archiveRef: ArchiveBackendRef,
  { sessionId, tenantId, summaryRef, messages }: ArchiveInput,
): Promise<string | null> {
  if ((await fromCore(core.evictedInto(sessionId, tenantId))) === null) return null;
  const summary = summaryRef === undefined ? null : JSON.stringify(summaryRef);
  const lines = linesOf('messages', messages);
  return fromCore(core.putBack(sessionId, archiveRef, lines, summary, tenantId));
}

/** Throws for an edge that cannot be archived as it stands. */
export function assertArchivable(
  id: SubSessionId,
  edge: SubSession | null,
): asserts edge is SubSession {
  try {
    native.assertArchivable(id, edge?.status ?? null);
  } catch (error) {
    throw publicError(error);
  }
}

function restorableRef(id: SubSessionId, edge: SubSession | null): ArchiveBackendRef {
  try {
    const [status, archiveRef] = [edge?.status ?? null, edge?.archiveRef ?? null];
    return native.assertRestorable(id, status, archiveRef) as ArchiveBackendRef;
  } catch (error) {
    throw publicError(error);
  }
}

async function fromCore<T>(answer: Promise<T> | T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw publicError(error);
  }
}
