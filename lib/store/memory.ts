/** The store that lives and dies with its object. */

import { native } from '../native';
import { attachCore } from './core';
import { NativeSessionStore } from './native-session-store';

/**
 * A session store in memory: for tests, and for what need not outlive the
 * process. It keeps every rule of `DiskSessionStore`.
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
    attachCore(this, { core: () => core });
  }
}
