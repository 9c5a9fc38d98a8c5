/** Things that are done one after the other. */

import { AsyncLocalStorage } from 'node:async_hooks';

const turns = new Map<string, Turn>();

/** A turn that some work has. */
interface Turn {
  readonly outer: Turn | undefined;
  /** Resolves when it is over. */
  readonly end: Promise<void>;
  /** What it waits for, or work within it. */
  readonly waitsFor: Set<Turn>;
  over: boolean;
}

const current = new AsyncLocalStorage<Turn>();

/**
 * Runs `work` when everything is done that was asked for under one of these keys before.
 * Work that asks for a key that it has itself, or that other work has which waits for it,
 * would wait for itself: it gets the error that `reentered` makes of the key.
 *
 * Its promise is the caller's alone: the stack of an error leads through a promise
 * that one function awaits, and ends at one that several do.
 */
export async function inTurn<T>(
  keys: readonly string[],
  reentered: (key: string) => Error,
  work: () => Promise<T>,
): Promise<T> {
  const outer = current.getStore();
  const within: Turn[] = [];
  for (let turn = outer; turn !== undefined; turn = turn.outer) if (!turn.over) within.push(turn);
  for (const key of keys) {
    const holder = turns.get(key);
    if (holder !== undefined && leadsTo(holder, within)) throw reentered(key);
  }
  const before = new Set(keys.flatMap((key) => turns.get(key) ?? []));
  let leave = () => {};
  const end = new Promise<void>((resolve) => {
    leave = resolve;
  });
  // All keys are taken at once: each call waits for those alone that came before it.
  const mine: Turn = { outer, end, waitsFor: new Set(), over: false };
  const waiting = [mine, ...within];
  for (const key of keys) turns.set(key, mine);
  try {
    for (const turn of waiting) for (const earlier of before) turn.waitsFor.add(earlier);
    for (const earlier of before) await earlier.end;
    // What is over is let go of, or each turn would keep all that were before it.
    for (const turn of waiting) for (const earlier of before) turn.waitsFor.delete(earlier);
    return await current.run(mine, work);
  } finally {
    mine.over = true;
    for (const key of keys) if (turns.get(key) === mine) turns.delete(key);
    leave();
  }
}

/** Whether a turn is one of these, or waits for one, over however many others. */
function leadsTo(turn: Turn, goals: readonly Turn[], seen = new Set<Turn>()): boolean {
  if (goals.includes(turn)) return true;
  if (seen.has(turn)) return false;
  seen.add(turn);
  return [...turn.waitsFor].some((next) => leadsTo(next, goals, seen));
}
