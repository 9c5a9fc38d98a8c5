/** Words that the details of errors use. */

/** Which of a project's limits on delegation was met. */
export type CapacityDimension = 'depth' | 'width';

/** What keeps a session from being handed over. */
export type HandoffLockRejectedReason = 'active_run' | 'pending_hitl' | 'pending_subsession';

/** The kinds of backends that provide workspaces. */
export type WorkspaceBackendKind = 'git-worktree' | 'tmpfs' | 'container' | 'shared';
