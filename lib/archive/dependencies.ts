/** What an `ArchivalManager` works with. */

import type { SubSessionId, TenantId, WorkspaceId } from '../ids';
import type { SessionStore } from '../store/session-store';
import type { BackendMeta, WorkspaceRef, WorkspaceRegistry } from '../workspace';
import type { ArchiveBackend, SubSessionTombstone } from './types';

/** Finds a workspace; `null` when there is none of this id any more. */
export type WorkspaceResolver = (
  workspaceId: WorkspaceId,
  tenantId: TenantId,
) => Promise<WorkspaceRef | null>;

/** What an `ArchivalManager` works with. Each is looked up when it is needed. */
export interface ArchivalManagerDeps {
  readonly sessionStore: SessionStore;
  readonly workspaceRegistry: WorkspaceRegistry;
  /** Where bundles go. Absent: nothing can be archived. */
  readonly archiveBackend?: ArchiveBackend | undefined;
  readonly workspaceResolver?: WorkspaceResolver | undefined;
  readonly onArchived?: ((tombstone: SubSessionTombstone) => void) | undefined;
  readonly onRestored?: ((subSessionId: SubSessionId, tenantId: TenantId) => void) | undefined;
}

/** The same, with no more of a registry than what is called, and with workspaces of any backend. */
export interface AcceptedDeps
  extends Omit<ArchivalManagerDeps, 'workspaceRegistry' | 'workspaceResolver'> {
  readonly workspaceRegistry: Pick<WorkspaceRegistry, 'get'>;
  readonly workspaceResolver?:
    | ((workspaceId: WorkspaceId, tenantId: TenantId) => Promise<WorkspaceRef<BackendMeta> | null>)
    | undefined;
}
