/** What workspaces and the backends that provide them look like. */

import type { WorkspaceBackendKind } from '../errors/words';
import type { WorkspaceId } from '../ids';

/** Where a worktree of a git repository is. */
export interface GitWorktreeBackendMeta {
  backend: 'git-worktree';
  /** The repository. */
  repoRoot: string;
  /** The branch that is checked out, without `refs/heads/`. */
  branch: string;
  worktreePath: string;
}

/** What a backend that an application wrote needs to know; its own affair. */
export interface CustomBackendMeta {
  backend: Exclude<WorkspaceBackendKind, 'git-worktree'>;
  // biome-ignore lint/suspicious/noExplicitAny: a field of a git worktree reads without a check of the kind
  [key: string]: any;
}

/** What the backend of this package needs to know to find a workspace again. */
export type WorkspaceBackendMeta = GitWorktreeBackendMeta;

/** What any backend's refs tell, whatever else they carry. */
export interface BackendMeta {
  backend: WorkspaceBackendKind;
}

/**
 * A workspace, by reference: what its driver needs to inspect or dispose of it.
 *
 * @typeParam Meta - what its backend needs to know; a type of the application's for a
 *   backend of the application's
 */
export interface WorkspaceRef<Meta extends BackendMeta = WorkspaceBackendMeta> {
  id: WorkspaceId;
  meta: Meta;
  createdAt: Date;
}

/** What a new workspace is to be like. */
export interface CreateWorkspaceParams {
  /** What it starts from; the backend's own default when absent. */
  baseRef?: string | undefined;
  /** What it is called, one path component; its id when absent. */
  label?: string | undefined;
}

/** What a workspace that branches off another is to be like. */
export interface BranchWorkspaceParams {
  /** What it is called, one path component; its id when absent. */
  label?: string | undefined;
}

/** What has become of a workspace. */
export interface WorkspaceInspection {
  exists: boolean;
  /** What is checked out there, or was. */
  currentRef: string;
  /** Whether it has changes that are not committed; new files count, ignored files do not. */
  isDirty: boolean;
}

/**
 * Why a workspace is to be kept:
 *
 * - `locked`: its backend was told to keep it, as by `git worktree lock`.
 * - `uncommitted`: it has changes that are not committed.
 * - `unreachable`: it has commits that are on no branch.
 */
export type WorkspaceKeepReason = 'locked' | 'uncommitted' | 'unreachable';

/**
 * Provides workspaces of one kind. Applications implement it for kinds of their own.
 *
 * @typeParam Meta - what its refs carry: {@link CustomBackendMeta}, or a type of the
 *   application's, for a kind of the application's own
 *
 * @example
 * ```ts
 * interface ContainerMeta {
 *   backend: 'container';
 *   image: string;
 * }
 * declare const containers: WorkspaceBackendDriver<ContainerMeta>;
 * new WorkspaceBackendRegistry().register(containers);
 * ```
 */
export interface WorkspaceBackendDriver<Meta extends BackendMeta = WorkspaceBackendMeta> {
  readonly kind: WorkspaceBackendKind;
  /** Makes a workspace. */
  create(params: CreateWorkspaceParams): Promise<WorkspaceRef<Meta>>;
  /** Makes a workspace that starts where another one is. */
  branch(source: WorkspaceRef<Meta>, params: BranchWorkspaceParams): Promise<WorkspaceRef<Meta>>;
  /** Removes a workspace with all that is in it; one that is gone already is no failure. */
  dispose(ref: WorkspaceRef<Meta>): Promise<void>;
  /** Tells what has become of a workspace. */
  inspect(ref: WorkspaceRef<Meta>): Promise<WorkspaceInspection>;
  /**
   * Tells why a workspace is to be kept, or `null` when nothing is lost with it. Of a driver
   * without this method, what `inspect` answers as dirty is taken to be `uncommitted`.
   */
  keepReason?(ref: WorkspaceRef<Meta>): Promise<WorkspaceKeepReason | null>;
}

/** What a {@link WorkspaceBackendRegistry} is to those who use it: the drivers of an application. */
export interface WorkspaceRegistry {
  /** Adds a driver, in place of the one that was there for its kind. */
  register(driver: WorkspaceBackendDriver<BackendMeta>): void;
  /** The driver for a kind; throws an `Error` when there is none. */
  get(kind: WorkspaceBackendKind): WorkspaceBackendDriver;
  /** Whether there is a driver for a kind. */
  has(kind: WorkspaceBackendKind): boolean;
}
