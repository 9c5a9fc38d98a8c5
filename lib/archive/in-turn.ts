/** Things that are done one after the other. */

import { AsyncLocalStorage } from 'node:async_hooks';

const turns = new Map<string, Promise<void>>();

/** A turn that some work has. */
interface Turn {
  readonly keys: ReadonlySet<string>;
  readonly outer: Turn | undefined;
  over: boolean;
}

const current = new AsyncLocalStorage<Turn>();

/**
 * Runs `work` when everything is done that was asked for under one of these keys before.
 * Work that asks for a key that it has itself would wait for itself: it gets the error that
 * `reentered` makes of the key.
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
  for (let turn = outer; turn !== undefined; turn = turn.outer) {
    const { over, keys: had } = turn;
    const again = over ? undefined : keys.find((key) => had.has(key));
    if (again !== undefined) throw reentered(again);
  }
  const before = keys.flatMap((key) => turns.get(key) ?? []);
  let leave = () => {};
  const mine = new Promise<void>((resolve) => {
    leave = resolve;
  });
  // All keys are taken at once: each call waits for those alone that came before it.
  for (const key of keys) turns.set(key, mine);
  const turn: Turn = { keys: new Set(keys), outer, over: false };
  try {
    for (const earlier of before) await earlier;
    return await current.run(turn, work);
  } finally {
    turn.over = true;
    for (const key of keys) if (turns.get(key) === mine) turns.delete(key);
    leave();
  }
}
