/** Things that are done one after the other. */

const turns = new Map<string, Promise<void>>();

/**
 * Runs `work` when everything is done that was asked for under this key before.
 *
 * Its promise is the caller's alone: the stack of an error leads through a promise
 * that one function awaits, and ends at one that several do.
 */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key);
  let leave = () => {};
  const mine = new Promise<void>((resolve) => {
    leave = resolve;
  });
  turns.set(key, mine);
  try {
    await before;
    return await work();
  } finally {
    if (turns.get(key) === mine) turns.delete(key);
    leave();
  }
}
