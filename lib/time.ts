/** The clock of the application, which its tests may have replaced. */

/**
 * Milliseconds since 1970-01-01 UTC, as `Date.now()` answers; `NaN` where that is no number, for
 * which the core takes the system's time.
 */
export function time(): number {
  const now: unknown = Date.now();
  return typeof now === 'number' ? now : Number.NaN;
}
