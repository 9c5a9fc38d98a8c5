/** Workspaces: where an agent's files live. */

/** The kinds of backends that provide workspaces. */
export type WorkspaceBackendKind = 'git-worktree' | 'tmpfs' | 'container' | 'shared';
