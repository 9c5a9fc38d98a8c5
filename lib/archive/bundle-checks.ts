/** What a backend answers is checked before anything relies on it: it is the application's. */

import { invalid, isName } from '../arguments';
import { ArchiveNotFoundError } from '../errors';
import type { ArchiveBackendRef, SessionId, SubSessionId, TenantId } from '../ids';
import type { SessionMessage } from '../message';
import type { SessionSummaryRef } from '../summary';
import type { ArchiveBackend, ArchiveInput, ArchiveOutput } from './types';

/** Makes a bundle, and refuses an answer that does not say which, and when. */
export async function storeIn(
  backend: ArchiveBackend,
  input: ArchiveInput,
): Promise<ArchiveOutput> {
  const answer: unknown = await backend.store(input);
  const { archiveRef, archivedAt } = (answer ?? {}) as Partial<ArchiveOutput>;
  if (!isName(archiveRef)) {
    const expected = 'a non-empty, well-formed string as `archiveRef`';
    throw invalid('archiveBackend.store()', expected, archiveRef, storeIn);
  }
  // A Date of another realm is one, and so is the text that JSON makes of one.
  const at = new Date(archivedAt as Date);
  if (archivedAt === undefined || archivedAt === null || Number.isNaN(at.getTime())) {
    throw invalid('archiveBackend.store()', 'a valid date as `archivedAt`', archivedAt, storeIn);
  }
  return { archiveRef, archivedAt: at };
}

/** Whose bundle is expected. */
export interface Owner {
  readonly subSessionId: SubSessionId;
  readonly sessionId: SessionId;
  readonly tenantId: TenantId;
}

/** Reads a bundle, and refuses one of another tenant, session or sub-session. */
export async function restoreFrom(
  backend: ArchiveBackend,
  archiveRef: ArchiveBackendRef,
  { subSessionId, sessionId, tenantId }: Owner,
): Promise<ArchiveInput> {
  const input: ArchiveInput | null | undefined = await backend.restore(archiveRef);
  // An edge's reference is what its owner wrote there, so it may name any bundle: of another
  // tenant's nothing is told.
  if (typeof input?.tenantId === 'string' && input.tenantId !== tenantId) {
    throw new ArchiveNotFoundError({ archiveRef, reason: 'missing' });
  }
  const isTheirs =
    input?.tenantId === tenantId &&
    input.sessionId === sessionId &&
    input.subSessionId === subSessionId &&
    Array.isArray(input.messages);
  if (!isTheirs) throw new ArchiveNotFoundError({ archiveRef, reason: 'corrupt' });
  return input;
}

/** Refuses a bundle that does not give back what was put into it. */
export function assertSame(
  archiveRef: ArchiveBackendRef,
  put: ArchiveInput,
  got: ArchiveInput,
): void {
  const isSame =
    sameMessages(put.messages, got.messages) && sameSummary(put.summaryRef, got.summaryRef);
  if (!isSame) throw new ArchiveNotFoundError({ archiveRef, reason: 'corrupt' });
}

/** Whether two are the same summary, or both are none. */
export function sameSummary(
  one: SessionSummaryRef | null | undefined,
  other: SessionSummaryRef | null | undefined,
): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Whether two lists have the same messages, as JSON tells them. */
export function sameMessages(
  some: readonly SessionMessage[],
  others: readonly SessionMessage[],
): boolean {
  return some.length === others.length && some.every((one, at) => text(one) === text(others[at]));
}

function text(message: SessionMessage | undefined): string {
  const { id, sessionId, tenantId, message: said, at } = message ?? ({} as SessionMessage);
  return JSON.stringify([id, sessionId, tenantId, said, at]);
}
