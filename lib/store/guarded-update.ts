/**
 * Updates of sub-sessions that retention makes through the methods of a store, whatever wraps
 * it: where such an update reaches the native half, it is done there in one transaction that
 * checks that the sub-session is as it was read.
 */

import type { SubSessionId } from '../ids';
import type { NativeStore } from '../native';
import type { SubSession } from '../sub-session';

/** Does an update, of which it is given the record's JSON. */
export type Guard = (text: string, now: number) => Promise<void>;

interface Expected {
  readonly archiveRef: string | undefined;
  readonly guard: Guard;
  reached: boolean;
}

const expectations = new WeakMap<NativeStore, Map<SubSessionId, Expected>>();

/**
 * Runs `update`, in which an update of this sub-session with this `archiveRef` is expected and
 * done by `guard`; answers whether it came.
 */
export async function guarded(
  core: NativeStore,
  { id, archiveRef }: Pick<SubSession, 'id' | 'archiveRef'>,
  guard: Guard,
  update: () => Promise<void>,
): Promise<boolean> {
  const all = expectations.get(core) ?? new Map<SubSessionId, Expected>();
  expectations.set(core, all);
  const expected: Expected = { archiveRef, guard, reached: false };
  all.set(id, expected);
  try {
    await update();
    return expected.reached;
  } finally {
    if (all.get(id) === expected) all.delete(id);
  }
}

/** How an update is to be done that is expected; nothing for any other. */
export function guardOf(core: NativeStore, sub: SubSession): Guard | undefined {
  const expected = expectations.get(core)?.get(sub.id);
  if (expected === undefined || expected.reached) return undefined;
  if (expected.archiveRef !== sub.archiveRef) return undefined;
  expected.reached = true;
  return expected.guard;
}
