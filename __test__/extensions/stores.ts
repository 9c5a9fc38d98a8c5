import { DiskSessionStore, type ExtendedSessionStore, InMemorySessionStore } from 'namzu-native';
import { describe } from 'vitest';
import { tempRoot } from '../support/temp-root.js';

export const STORES: readonly [name: string, make: () => ExtendedSessionStore][] = [
  ['InMemorySessionStore', () => new InMemorySessionStore()],
  ['DiskSessionStore', () => new DiskSessionStore({ rootDir: tempRoot() })],
  [
    'relaxed DiskSessionStore',
    () => new DiskSessionStore({ rootDir: tempRoot(), durability: 'relaxed' }),
  ],
];

/** The same tests for each of them. */
export function describeStores(tests: (make: () => ExtendedSessionStore) => void): void {
  for (const [name, make] of STORES) describe(name, () => tests(make));
}

/** A user's message. */
export function said(content: string) {
  return { role: 'user' as const, content };
}
