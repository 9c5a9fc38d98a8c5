/** What only tests need; the entry point `namzu-native/testing`. */

import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { native } from './native';
import { sourceOf } from './store/core';
import { DiskSessionStore, type DiskSessionStoreConfig } from './store/disk';

/** Forgets which ids with a former prefix this process has warned of. */
export function __resetSeenLegacyForTests(): void {
  native.forgetLegacyIds();
}

/**
 * A disk store in a folder of its own, below the system's folder for temporary files. The
 * folder goes when the store is closed. It is `relaxed` unless the options say otherwise: a
 * test need not survive a power cut.
 *
 * @example
 * ```ts
 * await using store = tempStore();
 * await store.createProject({ tenantId: 'tnt_a', name: 'Support' }, 'tnt_a');
 * ```
 */
export function tempStore(options: Omit<DiskSessionStoreConfig, 'rootDir'> = {}): DiskSessionStore {
  const rootDir = join(tmpdir(), native.generateId('namzu-test-'));
  const store = new DiskSessionStore({ durability: 'relaxed', ...options, rootDir });
  const source = sourceOf(store);
  if (source !== undefined) {
    source.released = () => rm(rootDir, { recursive: true, force: true });
  }
  return store;
}
