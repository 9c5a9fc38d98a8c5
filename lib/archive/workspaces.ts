/** The workspaces of sub-sessions that are archived or restored. */

import type { TenantId, WorkspaceId } from '../ids';
import type { WorkspaceBackendDriver, WorkspaceRef, WorkspaceRegistry } from '../workspace';
import type { ArchivalManagerDeps } from './dependencies';
import type { KeptWorkspace } from './types';

/**
 * Disposes of a workspace in which nothing would be lost, or, with `discard`, of any; answers
 * why it was kept. A failure to dispose of it is ignored: what it belongs to is archived, and a
 * workspace that stays behind does no harm.
 */
export async function disposeOf(
  registry: Pick<WorkspaceRegistry, 'get'>,
  ref: WorkspaceRef,
  discard: boolean,
): Promise<KeptWorkspace | null> {
  try {
    const driver = registry.get(ref.meta.backend);
    const why = discard ? null : await keepReason(driver, ref);
    if (why !== null) return { ref, why };
    await driver.dispose(ref);
  } catch {
    // There is no driver, or it could not.
  }
  return null;
}

async function keepReason(
  driver: Partial<WorkspaceBackendDriver>,
  ref: WorkspaceRef,
): Promise<KeptWorkspace['why'] | null> {
  try {
    if (typeof driver.keepReason === 'function') return await driver.keepReason(ref);
    if (typeof driver.inspect !== 'function') return null;
    const { exists, isDirty } = await driver.inspect(ref);
    return exists && isDirty ? 'uncommitted' : null;
  } catch {
    return 'uncommitted'; // what cannot be looked at may hold anything
  }
}

/** Whether a workspace is known to be gone. */
export async function isGone(
  { workspaceResolver, workspaceRegistry }: ArchivalManagerDeps,
  workspaceId: WorkspaceId | null | undefined,
  tenant: TenantId,
): Promise<boolean> {
  if (workspaceId === null || workspaceId === undefined) return false;
  if (workspaceResolver === undefined || workspaceResolver === null) return false;
  try {
    const ref = await workspaceResolver(workspaceId, tenant);
    if (ref === null || ref === undefined) return true;
    return (await workspaceRegistry.get(ref.meta.backend).inspect(ref)).exists === false;
  } catch {
    return false; // nothing is known of it
  }
}
