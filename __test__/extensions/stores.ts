import { DiskSessionStore, type ExtendedSessionStore, InMemorySessionStore } from 'namzu-native';
import { describe, onTestFinished } from 'vitest';
import { tempRoot } from '../support/temp-root.js';

export const STORES: readonly [name: string, make: () => ExtendedSessionStore][] = [
  ['InMemorySessionStore', () => new InMemorySessionStore()],
  ['DiskSessionStore', () => new DiskSessionStore({ rootDir: tempRoot() })],
  ['relaxed DiskSessionStore', relaxed],
];

/** Closed before its root is removed: it still writes there after its last answer. */
function relaxed(): DiskSessionStore {
  const store = new DiskSessionStore({ rootDir: tempRoot(), durability: 'relaxed' });
  onTestFinished(() => store.close());
  return store;
}

/** The same tests for each of them. */
export function describeStores(tests: (make: () => ExtendedSessionStore) => void): void {
  for (const [name, make] of STORES) describe(name, () => tests(make));
}

/** A user's message. */
export function said(content: string) {
  return { role: 'user' as const, content };
}
