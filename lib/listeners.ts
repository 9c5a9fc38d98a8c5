/** Calls what the application listens with. */

/** How a listener's failure is reported, and what it left as it was. */
interface Report {
  readonly type: string;
  readonly effect: string;
}

export const ARCHIVAL: Report = {
  type: 'ArchivalListenerWarning',
  effect: 'what it was told of stays done',
};
export const HANDOFF: Report = { type: 'HandoffListenerWarning', effect: 'the handoff goes on' };
export const PROGRESS: Report = { type: 'NamzuWarning', effect: 'the work goes on' };

/**
 * Calls a listener, if there is one. One that throws, whose promise rejects, or that cannot
 * even be looked up, changes nothing about what it is told of: it is reported by
 * `process.emitWarning`.
 */
export function tell(kind: Report, name: string, call: () => unknown): void {
  try {
    const answer = call();
    if (typeof answer !== 'object' && typeof answer !== 'function') return;
    // `Promise.resolve` takes promises of other realms, and anything with a `then`.
    Promise.resolve(answer).catch((error: unknown) => report(kind, name, error));
  } catch (error) {
    report(kind, name, error);
  }
}

function report({ type, effect }: Report, name: string, error: unknown): void {
  let detail = 'something that has no text';
  try {
    detail = String(error instanceof Error ? (error.stack ?? error.message) : error);
  } catch {
    // It has none.
  }
  process.emitWarning(`The listener ${name} threw; ${effect}`, { type, detail });
}
