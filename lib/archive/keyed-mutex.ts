/** Work that excludes other work with the same key, in this process. */

import { AsyncLocalStorage } from 'node:async_hooks';

/** The newest holder of each key, which may still wait for the ones before it. */
const holders = new Map<string, Holder>();

/** Work that holds some keys, or waits for them. */
interface Holder {
  readonly outer: Holder | undefined;
  /** Resolves when the work is done. */
  readonly end: Promise<void>;
  /** What it waits for, or what work within it waits for. */
  readonly waitsFor: Set<Holder>;
  done: boolean;
}

const current = new AsyncLocalStorage<Holder>();

/**
 * Runs `work` once all earlier work with one of these keys is done. Work that calls this for
 * a key that it holds itself, or that is held by work waiting for it, would deadlock: that
 * call throws the error that `reentered` makes of the key.
 *
 * Its promise is the caller's alone: the stack of an error leads through a promise
 * that one function awaits, and ends at one that several do.
 */
export async function runExclusive<T>(
  keys: readonly string[],
  reentered: (key: string) => Error,
  work: () => Promise<T>,
): Promise<T> {
  const outer = current.getStore();
  const within: Holder[] = [];
  for (let at = outer; at !== undefined; at = at.outer) if (!at.done) within.push(at);
  for (const key of keys) {
    const holder = holders.get(key);
    if (holder !== undefined && leadsTo(holder, within)) throw reentered(key);
  }
  const before = new Set(keys.flatMap((key) => holders.get(key) ?? []));
  let leave = () => {};
  const end = new Promise<void>((resolve) => {
    leave = resolve;
  });
  // All keys are taken at once, so a call waits only for calls that came before it.
  const mine: Holder = { outer, end, waitsFor: new Set(), done: false };
  const waiting = [mine, ...within];
  for (const key of keys) holders.set(key, mine);
  try {
    for (const holder of waiting) for (const earlier of before) holder.waitsFor.add(earlier);
    for (const earlier of before) await earlier.end;
    // Let go of what is done, or each holder would keep all that were before it in memory.
    for (const holder of waiting) for (const earlier of before) holder.waitsFor.delete(earlier);
    return await current.run(mine, work);
  } finally {
    mine.done = true;
    for (const key of keys) if (holders.get(key) === mine) holders.delete(key);
    leave();
  }
}

/** Whether a holder is one of these, or waits for one, directly or through others. */
function leadsTo(holder: Holder, goals: readonly Holder[], seen = new Set<Holder>()): boolean {
  if (goals.includes(holder)) return true;
  if (seen.has(holder)) return false;
  seen.add(holder);
  return [...holder.waitsFor].some((next) => leadsTo(next, goals, seen));
}
