/**
 * Archiving through the public methods of a store and a backend, one of which is
 * the application's own, or was changed by it.
 */

import { invalid } from '../arguments';
import { ArchiveNotFoundError, SessionEvictedError, SubSessionNotArchivableError } from '../errors';
import { publicError } from '../errors/from-native';
import type { ArchiveBackendRef, SubSessionId, TenantId } from '../ids';
import { type NativeStore, native } from '../native';
import { findCore } from '../store/core';
import type { SessionStore } from '../store/session-store';
import type { SubSession } from '../sub-session';
import type { WorkspaceRef } from '../workspace';
import { placeOfOurs } from './disk-archive-backend';
import { linesOf } from './lines';
import type { ArchiveBackend, ArchiveInput, SubSessionTombstone } from './types';

/** How often an eviction starts over because messages were appended meanwhile. */
const ATTEMPTS = 8;

interface Archival {
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly edge: SubSession;
  readonly tenant: TenantId;
  readonly evict: boolean;
  readonly resolve: () => Promise<WorkspaceRef | null>;
}

/** Archives an edge that may be archived. */
export async function archiveThrough(archival: Archival): Promise<SubSessionTombstone> {
  const { store, backend, edge, tenant, evict } = archival;
  const core = findCore(store);
  if (evict && core === undefined) {
    const expected = 'false, as the store is none of this package and cannot evict';
    throw invalid('options.evict', expected, evict, archiveThrough);
  }
  let workspace: WorkspaceRef | null | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const mark = core === undefined ? 0 : await markOf(core, edge, tenant);
    const messages = await store.loadSessionMessages(edge.childSessionId, tenant);
    const summaryRef = await store.getSummary(edge.childSessionId, tenant);
    workspace ??= await archival.resolve();
    const input: ArchiveInput = {
      subSessionId: edge.id,
      sessionId: edge.childSessionId,
      tenantId: tenant,
      ...(workspace === null ? {} : { workspace }),
      ...(summaryRef === null || summaryRef === undefined ? {} : { summaryRef }),
      messages,
    };
    const { archiveRef, archivedAt } = await backend.store(input);
    await markArchived(archival, archiveRef, archivedAt);
    if (!evict || core === undefined || (await evicted(core, edge, archiveRef, mark, tenant))) {
      return {
        subSessionId: edge.id,
        sessionId: edge.childSessionId,
        tenantId: tenant,
        ...(edge.summaryRef === undefined ? {} : { summaryRef: edge.summaryRef }),
        archiveRef,
        archivedAt,
      };
    }
    // The bundle lacks what was appended meanwhile: as if it had not been made.
    await store.updateSubSession(edge, tenant);
    await discard(backend, archiveRef);
  }
  throw new SubSessionNotArchivableError({ subSessionId: edge.id, reason: 'not_idle' });
}

async function markOf(core: NativeStore, edge: SubSession, tenant: TenantId): Promise<number> {
  try {
    return await core.logMark(edge.childSessionId, tenant);
  } catch (error) {
    throw publicError(error);
  }
}

async function markArchived(
  { store, backend, edge, tenant }: Archival,
  archiveRef: ArchiveBackendRef,
  archivedAt: Date,
): Promise<void> {
  try {
    await store.updateSubSession({ ...edge, status: 'archived', archiveRef, archivedAt }, tenant);
  } catch (error) {
    const { outcome = 'not_done' } = (error as { details?: { outcome?: string } })?.details ?? {};
    // Where the edge may be archived all the same, its bundle stays.
    if (outcome === 'not_done') await discard(backend, archiveRef);
    throw error;
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

async function evicted(
  core: NativeStore,
  edge: SubSession,
  archiveRef: ArchiveBackendRef,
  mark: number,
  tenant: TenantId,
): Promise<boolean> {
  try {
    return await core.evict(edge.id, archiveRef, mark, tenant);
  } catch (error) {
    throw publicError(error);
  }
}

interface Restoration {
  readonly store: SessionStore;
  readonly backend: ArchiveBackend;
  readonly id: SubSessionId;
  readonly tenant: TenantId;
}

/** Restores an edge, if it is archived. */
export async function restoreThrough(restoration: Restoration): Promise<void> {
  const { store, backend, id, tenant } = restoration;
  const edge = await store.getSubSession(id, tenant);
  const archiveRef = restorableRef(id, edge);
  const input = await backend.restore(archiveRef);
  // An edge's reference is what its owner wrote there, so it may name any bundle of ours.
  if (placeOfOurs(backend) !== undefined && input.tenantId !== tenant) {
    throw new ArchiveNotFoundError({ archiveRef, reason: 'missing' });
  }
  const { archiveRef: _, archivedAt: __, ...rest } = edge as SubSession;
  const core = findCore(store);
  if (core !== undefined && (await isEvicted(core, rest, tenant))) {
    try {
      const summary = input.summaryRef === undefined ? null : JSON.stringify(input.summaryRef);
      const lines = linesOf('messages', input.messages);
      await core.readmit(id, archiveRef, lines, summary, tenant);
    } catch (error) {
      throw publicError(error);
    }
  }
  await store.updateSubSession({ ...rest, status: 'idle' }, tenant);
}

function restorableRef(id: SubSessionId, edge: SubSession | null): ArchiveBackendRef {
  try {
    const [status, archiveRef] = [edge?.status ?? null, edge?.archiveRef ?? null];
    return native.assertRestorable(id, status, archiveRef) as ArchiveBackendRef;
  } catch (error) {
    throw publicError(error);
  }
}

async function isEvicted(
  core: NativeStore,
  edge: Pick<SubSession, 'childSessionId'>,
  tenant: TenantId,
): Promise<boolean> {
  try {
    await core.logMark(edge.childSessionId, tenant);
    return false;
  } catch (error) {
    const reason = publicError(error);
    if (reason instanceof SessionEvictedError) return true;
    throw reason;
  }
}
