/**
 * Updates of sub-sessions that retention makes through the methods of a store, whatever wraps
 * it: where such an update reaches the native half, it is done there in one transaction that
 * checks that the sub-session is as it was read.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { TenantId } from '../ids';
import type { NativeStore } from '../native';
import type { SubSession } from '../sub-session';

/** Does an update, of which it is given the record's JSON. */
export type Guard = (text: string, now: number) => Promise<void>;

interface Expected {
  readonly core: NativeStore;
  readonly sub: SubSession;
  /** The record as it leaves here. */
  readonly text: string;
  readonly tenant: TenantId;
  readonly guard: Guard;
  reached: boolean;
}

/** What is expected of the calls that an update makes. */
const expectedHere = new AsyncLocalStorage<Expected>();
/** What is expected at all: a wrapper may make its calls elsewhere, from a queue of its own. */
const expected = new Set<Expected>();

/**
 * Runs `update`, in which an update to this sub-session is expected and done by `guard`;
 * answers whether it came.
 */
export async function guarded(
  core: NativeStore,
  sub: SubSession,
  tenant: TenantId,
  guard: Guard,
  update: () => Promise<void>,
): Promise<boolean> {
  const one: Expected = { core, sub, text: JSON.stringify(sub), tenant, guard, reached: false };
  expected.add(one);
  try {
    await expectedHere.run(one, update);
    return one.reached;
  } finally {
    expected.delete(one);
  }
}

/**
 * How an update is to be done that is expected; nothing for any other. A call that was not made
 * from within the expecting one is it only if it says the very same.
 */
export function guardOf(
  core: NativeStore,
  sub: SubSession,
  text: string,
  tenant: TenantId,
): Guard | undefined {
  const isFor = (one: Expected | undefined): one is Expected =>
    one !== undefined &&
    expected.has(one) &&
    !one.reached &&
    one.core === core &&
    one.tenant === tenant &&
    one.sub.id === sub.id &&
    one.sub.archiveRef === sub.archiveRef;
  const here = expectedHere.getStore();
  const found = isFor(here) ? here : [...expected].find((one) => isFor(one) && one.text === text);
  if (found !== undefined) found.reached = true;
  return found?.guard;
}
