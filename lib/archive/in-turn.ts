/** Things that are done one after the other. */

const turns = new Map<string, Promise<unknown>>();

/** Runs `work` when everything is done that was asked for under this key before. */
export function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(
    () => leave(key, settled),
    () => leave(key, settled),
  ) as Promise<unknown>;
  turns.set(key, settled);
  return mine;
}

function leave(key: string, settled: Promise<unknown>): void {
  if (turns.get(key) === settled) turns.delete(key);
}
