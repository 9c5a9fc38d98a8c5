/** Calls what the application listens with. */

/**
 * Calls a listener. One that throws, or whose promise rejects, changes nothing about what it
 * is told of: it is reported by `process.emitWarning`.
 */
export function tell<A extends unknown[]>(
  name: string,
  listener: ((...args: A) => unknown) | null | undefined,
  ...args: A
): void {
  if (listener === undefined || listener === null) return;
  try {
    watch(name, listener(...args));
  } catch (error) {
    report(name, error);
  }
}

/** Reports a promise that a listener answered, should it reject. */
export function watch(name: string, answer: unknown): void {
  // `Promise.resolve` takes promises of other realms, and anything with a `then`.
  if (typeof answer !== 'object' || answer === null) return;
  Promise.resolve(answer).catch((error: unknown) => report(name, error));
}

function report(name: string, error: unknown): void {
  let detail = 'something that has no text';
  try {
    detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    // It has none.
  }
  process.emitWarning(`The listener ${name} threw; what it was told of stays done`, {
    type: 'ArchivalListenerWarning',
    detail,
  });
}
