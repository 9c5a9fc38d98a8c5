/** How deep and how wide sessions may delegate. */

import { invalid } from '../arguments';
import { DelegationCapacityExceeded } from '../errors';
import type { CapacityDimension } from '../errors/words';
import type { SessionId, TenantId } from '../ids';
import type { SessionStore } from '../store/session-store';

/** Refuses delegations that exceed a project's limits, with `DelegationCapacityExceeded`. */
export interface CapacityValidator {
  /** Whether a session may have a child: the length of its ancestry must not exceed the maximum. */
  validateDepth(
    parentSessionId: SessionId,
    projectMaxDepth: number,
    tenantId: TenantId,
  ): Promise<void>;
  /** Whether a session may have that many more children than it has. */
  validateWidth(
    parentSessionId: SessionId,
    pendingNewChildren: number,
    projectMaxWidth: number,
    tenantId: TenantId,
  ): Promise<void>;
}

/** Counts what the store says of a session's ancestry and children. */
export class DefaultCapacityValidator implements CapacityValidator {
  private readonly store: Pick<SessionStore, 'getAncestry' | 'getChildren'>;

  constructor(store: Pick<SessionStore, 'getAncestry' | 'getChildren'>) {
    this.store = store;
  }

  async validateDepth(
    parentSessionId: SessionId,
    projectMaxDepth: number,
    tenantId: TenantId,
  ): Promise<void> {
    const ancestry = await this.store.getAncestry(parentSessionId, tenantId);
    check('depth', ancestry.length, projectMaxDepth, parentSessionId);
  }

  async validateWidth(
    parentSessionId: SessionId,
    pendingNewChildren: number,
    projectMaxWidth: number,
    tenantId: TenantId,
  ): Promise<void> {
    const children = await this.store.getChildren(parentSessionId, tenantId);
    const pending: unknown = pendingNewChildren;
    const current = typeof pending === 'number' ? children.length + pending : pendingNewChildren;
    check('width', current, projectMaxWidth, parentSessionId);
  }
}

/** Compares as JavaScript does: a store of the application's own may say `Infinity`, or nothing. */
function check(dimension: CapacityDimension, current: number, limit: number, parent: SessionId) {
  if (typeof current !== 'number') {
    throw invalid('pendingNewChildren', 'a number', current, check);
  }
  if (typeof limit === 'symbol' || typeof limit === 'bigint') {
    const name = dimension === 'depth' ? 'projectMaxDepth' : 'projectMaxWidth';
    throw invalid(name, 'a number', limit, check);
  }
  if (current > limit) {
    throw new DelegationCapacityExceeded({ dimension, current, limit, sessionId: parent });
  }
}
