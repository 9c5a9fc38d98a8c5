/** What an `ArchivalManager` does with one sub-session, or a batch, while it holds their locks. */

import { json, object, part } from '../arguments';
import { ArchiveNotConfiguredError } from '../errors';
import { publicError } from '../errors/from-native';
import type { SubSessionId, TenantId } from '../ids';
import { ARCHIVAL, tell } from '../listeners';
import { pristineCore } from '../store/pristine';
import type { SubSession } from '../sub-session';
import { time } from '../time';
import type { WorkspaceRef } from '../workspace';
import type { ArchivalManagerDeps } from './dependencies';
import { placeOfPristine } from './disk-archive-backend';
import { runExclusive } from './keyed-mutex';
import type { DueEdge, Settle } from './sweep';
import type { ArchiveBackend, SubSessionTombstone } from './types';
import { archiveViaInterfaces, assertArchivable, restoreViaInterfaces } from './via-interfaces';
import { disposeOf, isGone } from './workspaces';

/** The backend, which there must be, as there must be a store. */
export function backendOf(deps: ArchivalManagerDeps): ArchiveBackend {
  const backend = object('deps', deps).archiveBackend;
  if (backend === undefined || backend === null) throw new ArchiveNotConfiguredError();
  part('deps', deps, 'sessionStore');
  return part('deps', deps, 'archiveBackend');
}

/** How a sub-session is archived. */
interface How {
  readonly evict: boolean;
  readonly discard: boolean;
  readonly idleSince: Date | undefined;
}

/** Archives a sub-session whose lock is held. */
export async function archiveAlone(
  deps: ArchivalManagerDeps,
  backend: ArchiveBackend,
  id: SubSessionId,
  tenant: TenantId,
  { evict, discard, idleSince }: How,
): Promise<SubSessionTombstone> {
  const store = deps.sessionStore;
  const [core, place] = [pristineCore(store), placeOfPristine(backend)];
  let workspace: WorkspaceRef | null = null;
  const resolve = async ({ workspaceId }: SubSession) => {
    if (workspaceId === null || workspaceId === undefined) return null;
    workspace = (await deps.workspaceResolver?.(workspaceId, tenant)) ?? null;
    return workspace;
  };
  let tombstone: SubSessionTombstone;
  if (core !== undefined && place !== undefined) {
    const edge = await store.getSubSession(id, tenant);
    assertArchivable(id, edge);
    const found = await resolve(edge);
    const how = {
      workspace: found === null ? undefined : json('workspaceResolver()', found),
      evict,
      idleSince: idleSince?.getTime(),
    };
    tombstone = await nativeArchive(
      () => core.archive(place, id, tenant, how, time()),
      (text) => reviveTombstone(JSON.parse(text)),
    );
  } else {
    tombstone = await archiveViaInterfaces({
      store,
      backend,
      id,
      tenant,
      evict,
      idleSince,
      resolve,
    });
  }
  const kept = workspace && (await disposeOf(deps.workspaceRegistry, workspace, discard));
  return kept === null ? tombstone : { ...tombstone, keptWorkspaces: [kept] };
}

/** The key to lock: that of the child, as several sub-sessions may have one. */
export async function lockKeyFor(
  deps: ArchivalManagerDeps,
  id: SubSessionId,
  tenant: TenantId,
): Promise<string> {
  const edge = await deps.sessionStore.getSubSession(id, tenant);
  return lockKeyOf(edge?.childSessionId ?? id, tenant);
}

/**
 * Archives the first of some sub-sessions with one commit. Returns how many it went through:
 * none where that cannot be done.
 */
export async function archiveBatch(
  deps: ArchivalManagerDeps,
  edges: readonly DueEdge[],
  tenant: TenantId,
  evict: boolean,
  settle: Settle,
): Promise<number> {
  const { sessionStore, workspaceResolver } = deps;
  const [core, place] = [pristineCore(sessionStore), placeOfPristine(backendOf(deps))];
  if (core === undefined || place === undefined) return none;
  const ids = edges.map(({ id }) => id);
  const keys = edges.map(({ childSessionId }) => lockKeyOf(childSessionId, tenant));
  const resolves = workspaceResolver !== undefined && workspaceResolver !== null;
  const idleSince = edges.map((edge) => edge.idleSince);
  const answers = await runExclusive([...new Set(keys)], reentered, () =>
    nativeArchive(
      () => core.archiveBatch(place, ids, tenant, { evict, resolves, idleSince }, time()),
      (text): readonly BatchAnswer[] => JSON.parse(text),
    ),
  );
  const failures: unknown[] = [];
  for (const [index, answer] of answers.entries()) {
    try {
      settle(ids[index] as SubSessionId, () => {
        if ('namzuError' in answer) throw publicError(answer);
        const tombstone = reviveTombstone(answer);
        tell(ARCHIVAL, 'onArchived', () => deps.onArchived?.(tombstone));
        return tombstone;
      });
    } catch (error) {
      failures.push(error); // the others are archived, and to be told about, all the same
    }
  }
  if (failures.length > 0) throw failures[0];
  return answers.length;
}

/** Restores a sub-session whose lock is held. */
export async function restoreAlone(
  deps: ArchivalManagerDeps,
  backend: ArchiveBackend,
  id: SubSessionId,
  tenant: TenantId,
): Promise<void> {
  const store = deps.sessionStore;
  const edge = await store.getSubSession(id, tenant);
  const gone = (await isGone(deps, edge?.workspaceId, tenant)) ? edge?.workspaceId : null;
  const [core, place] = [pristineCore(store), placeOfPristine(backend)];
  if (core === undefined || place === undefined) {
    return restoreViaInterfaces({ store, backend, id, tenant, gone: gone ?? null });
  }
  try {
    await core.restore(place, id, tenant, gone ?? null, time());
  } catch (error) {
    throw publicError(error);
  }
}

/** How many of a batch were gone through when it could not be archived as one. */
export const none = 0;

/** What became of one sub-session of a batch: its tombstone, or an error as the core marks it. */
type BatchAnswer =
  | (Omit<SubSessionTombstone, 'archivedAt'> & { readonly archivedAt: string })
  | { readonly namzuError: string; readonly message: string; readonly details?: string };

/** The key of a session's lock. */
export function lockKeyOf(child: string, tenant: TenantId): string {
  return `${tenant}\0${child}`;
}

/** The error when a backend, a resolver or a driver calls for the session that it works for. */
export function reentered(key: string): Error {
  const [, id] = key.split('\0');
  return new Error(
    `Session ${id} is being archived or restored by the very call that asks for it again, ` +
      'from a backend, a workspace resolver or a driver: it would wait for itself; ' +
      'ask after that call is done',
  );
}

function reviveTombstone({
  archivedAt,
  ...rest
}: Omit<SubSessionTombstone, 'archivedAt'> & { readonly archivedAt: string }): SubSessionTombstone {
  return { ...rest, archivedAt: new Date(archivedAt) };
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
