/** Undoing the handoffs of processes that died in the middle. */

import { part, tenant } from '../arguments';
import type { HandoffId, SessionId, TenantId } from '../ids';
import { coreIfAny } from '../store/core';
import { type Accepted, type HandoffRecoveryDeps, recoveryHost } from './dependencies';
import type { HandoffMode } from './types';

/** A handoff that was undone. */
export interface RecoveredHandoff {
  readonly sourceSessionId: SessionId;
  readonly mode: HandoffMode;
  readonly handoffIds: readonly HandoffId[];
}

/**
 * Undoes every unfinished handoff of a tenant whose process has ended, or that this
 * process could not undo when it failed: removes its workspaces, with their branches
 * where a `GitWorktreeDriver` made them, and makes its source `idle` again. A handoff
 * that is running, in this or any other living process, is left alone; so is a source
 * that something else locked. To be called when a root is opened again; run twice, or
 * at once in two processes, it does no harm.
 *
 * A single handoff that was undone is told by `onUnlocked`, a broadcast by
 * `onBroadcastRollback`; of one whose source was deleted meanwhile, the workspaces are
 * removed and no event is sent. A store that is not of this package has nothing to recover.
 *
 * @throws The first error of a workspace that could not be removed, or of an intent of
 * the tenant that could not be read, when all others were tried; its handoff stays as it
 * was, to be tried again. What another tenant has is no reason to throw, readable or not.
 */
export async function recoverHandoffs(
  deps: Accepted<HandoffRecoveryDeps>,
  tenantId: TenantId,
): Promise<readonly RecoveredHandoff[]> {
  const owner = tenant(tenantId);
  const core = coreIfAny(part('deps', deps, 'store'));
  if (core === undefined) return [];
  return JSON.parse(await recoveryHost(deps).run((call) => core.recoverHandoffs(call, owner)));
}
