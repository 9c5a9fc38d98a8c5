import type { DiskSessionStore, DiskSessionStoreConfig } from './index.js';

/** Forgets which ids with a former prefix this process has warned of. */
export declare function __resetSeenLegacyForTests(): void;

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
export declare function tempStore(
  options?: Omit<DiskSessionStoreConfig, 'rootDir'>,
): DiskSessionStore;
