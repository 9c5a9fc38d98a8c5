/** What stops an operation. */

/**
 * An `AbortSignal`, by any declaration: the DOM's types, those of Node.js, or neither.
 *
 * @example
 * ```ts
 * const signal: AbortSignalLike = AbortSignal.timeout(60_000);
 * ```
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** What the stopped operation rejects with. */
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
