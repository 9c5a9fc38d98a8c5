/** The store that lives and dies with its object. */

import { native } from '../native';
import { attachCore } from './core';
import { Kept } from './kept/kept';
import { NativeSessionStore } from './native-session-store';

/**
 * A session store in memory: for tests, and for what need not outlive the
 * process. It keeps every rule of `DiskSessionStore`.
 *
 * Beside its records it keeps copies of what was read last, of some thousand sessions
 * and edges, so that reading the same again is fast; `close()` lets go of all of it.
 *
 * @example
 * ```ts
 * const store = new InMemorySessionStore();
 * const tenant = generateTenantId();
 * const project = await store.createProject({ tenantId: tenant, name: 'Support' }, tenant);
 * ```
 */
export class InMemorySessionStore extends NativeSessionStore {
  constructor() {
    super();
    const core = new native.NativeMemoryStore();
    attachCore(this, { core: () => core, kept: Kept.of(core) });
  }
}
