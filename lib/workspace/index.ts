/** Workspaces: where an agent's files live. */

export type { WorkspaceBackendKind } from '../errors/words';
export type { ExecFile, ExecFileResult, GitWorktreeDriverConfig } from './git-worktree-driver';
export { GitWorktreeDriver } from './git-worktree-driver';
export type { PathBuilder } from './path-builder';
export { DefaultPathBuilder } from './path-builder';
export { WorkspaceBackendRegistry } from './registry';
export type {
  BackendMeta,
  BranchWorkspaceParams,
  CreateWorkspaceParams,
  CustomBackendMeta,
  GitWorktreeBackendMeta,
  WorkspaceBackendDriver,
  WorkspaceBackendMeta,
  WorkspaceInspection,
  WorkspaceKeepReason,
  WorkspaceRef,
  WorkspaceRegistry,
} from './types';
export type { WorktreeListEntry } from './worktree-list';
export { parseWorktreeList } from './worktree-list';
