/** How deep and how wide sessions may delegate. */

import { publicError } from '../errors/from-native';
import type { SessionId, TenantId } from '../ids';
import { native } from '../native';
import type { SessionStore } from '../store/session-store';
import type { CapacityDimension } from './types';

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
    check('width', children.length + pendingNewChildren, projectMaxWidth, parentSessionId);
  }
}

function check(dimension: CapacityDimension, current: number, limit: number, parent: SessionId) {
  try {
    native.checkCapacity(dimension, current, limit, parent);
  } catch (error) {
    throw publicError(error);
  }
}
