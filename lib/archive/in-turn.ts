/** Things that are done one after the other. */

const turns = new Map<string, Promise<void>>();

/**
 * Runs `work` when everything is done that was asked for under one of these keys before.
 *
 * Its promise is the caller's alone: the stack of an error leads through a promise
 * that one function awaits, and ends at one that several do.
 */
export async function inTurn<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = keys.flatMap((key) => turns.get(key) ?? []);
  let leave = () => {};
  const mine = new Promise<void>((resolve) => {
    leave = resolve;
  });
  // All keys are taken at once: whoever waits, waits for those alone who came before.
  for (const key of keys) turns.set(key, mine);
  try {
    for (const earlier of before) await earlier;
    return await work();
  } finally {
    for (const key of keys) if (turns.get(key) === mine) turns.delete(key);
    leave();
  }
}
