/** The store that keeps its records in a directory. */

import { resolve } from 'node:path';
import { amount, invalid, isName } from '../arguments';
import { type NativeStore, native } from '../native';
import { attachCore, type CoreSource } from './core';
import { NativeSessionStore } from './native-session-store';

/** Where a {@link DiskSessionStore} keeps its records. */
export interface DiskSessionStoreConfig {
  /**
   * The directory of the store. It need not exist: the first write creates it.
   * A relative path is resolved once, when the store is constructed.
   */
  rootDir: string;
  /**
   * The longest message log, in bytes, that is still answered as one list; what is
   * longer is read with `streamMessages` or in parts. By default that is V8's
   * longest string, about 512 MiB.
   */
  maxListBytes?: number;
}

/**
 * A session store in a directory, in the record format of `@namzu/sdk` 0.2.0:
 * a root that either of them wrote opens in the other.
 *
 * The constructor neither reads nor writes, and never throws: a `rootDir` that
 * cannot be used makes the calls reject, with `InvalidArgumentError` when it is
 * no path, with `StoreIoError` when the system refuses it.
 *
 * @example
 * ```ts
 * const store = new DiskSessionStore({ rootDir: './data' });
 * const tenant = generateTenantId();
 * const project = await store.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * const session = await store.createSession(
 *   { projectId: project.id, currentActor: null },
 *   tenant,
 * );
 * await store.appendMessage(session.id, createUserMessage('Hello'), tenant);
 * ```
 */
export class DiskSessionStore extends NativeSessionStore {
  constructor(config: DiskSessionStoreConfig) {
    super();
    const { rootDir, maxListBytes }: Partial<DiskSessionStoreConfig> = config ?? {};
    attachCore(this, openLater(rootDir, maxListBytes));
  }
}

/** The native store of a directory, opened when it is first asked for. */
function openLater(rootDir: unknown, maxListBytes: unknown): CoreSource {
  if (!isName(rootDir) || rootDir.includes('\0')) return { core: () => refuse(rootDir) };
  const root = resolve(rootDir);
  let opened: NativeStore | undefined;
  return {
    core() {
      opened ??= new native.NativeDiskStore(root, amount('maxListBytes', maxListBytes) ?? null);
      return opened;
    },
  };
}

function refuse(rootDir: unknown): never {
  throw invalid('rootDir', 'a non-empty, well-formed path without NUL', rootDir, refuse);
}
