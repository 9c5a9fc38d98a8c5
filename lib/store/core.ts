/** The way from a store to its native half. */

import { invalid } from '../arguments';
import type { NativeStore } from '../native';

/**
 * Under this key a store keeps the way to its native half. A property with a
 * symbol for a key, not a private field: a `Proxy` around a store forwards the
 * one, and fails on the other. And an object, neither a function nor frozen: a
 * `Proxy` that wraps every function it forwards leaves it alone.
 */
const CORE = Symbol('namzu-native.core');

/** The way to a native store. */
export interface CoreSource {
  /** The native store, or throws why there is none. */
  core(): NativeStore;
  /** What the application said about the store when it made it. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** Whether the store was closed through its object. */
  closed?: boolean;
  /** What is to be done once the store has closed. */
  released?(): Promise<void>;
  /** Told that something was not found. */
  missed?(): Promise<void>;
}

/** Gives a store the way to its native half. */
export function attachCore(store: object, source: CoreSource): void {
  Object.defineProperty(store, CORE, { value: source, writable: true, configurable: true });
}

/** The way to the native half of a store; nothing for an object that is none of ours. */
export function sourceOf(store: object): CoreSource | undefined {
  return (store as { readonly [CORE]?: CoreSource })[CORE];
}

/** The native half of a store, if it is one of ours under whatever wraps it. */
export function coreIfAny(store: object): NativeStore | undefined {
  return CORE in store ? coreOf(store) : undefined;
}

/** The native half of a store, reached through whatever wraps it. */
export function coreOf(store: object): NativeStore {
  const source = sourceOf(store);
  if (source === undefined) throw invalid('this', 'a store of this package', store, coreOf);
  return source.core();
}

/** Answers that something was not found, after the store was told. */
export async function notFound<T>(store: object, answer: T): Promise<T> {
  await (store as { readonly [CORE]: CoreSource })[CORE].missed?.();
  return answer;
}

/** The native half of a store; nothing for a store that is none of ours. */
export function findCore(store: object): NativeStore | undefined {
  return sourceOf(store)?.core();
}
