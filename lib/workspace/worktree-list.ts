/** Reads what git says of its worktrees. */

import { string } from '../arguments';
import { native } from '../native';

/** One worktree of `git worktree list --porcelain`. */
export interface WorktreeListEntry {
  path: string;
  /** The commit that is checked out. */
  head?: string;
  /** The branch that is checked out, verbatim: `refs/heads/…`. */
  branch?: string;
}

/**
 * The record of `git worktree list --porcelain` whose path is `worktreePath`, to
 * the character, or `null`.
 */
export function parseWorktreeList(stdout: string, worktreePath: string): WorktreeListEntry | null {
  const text = native.parseWorktreeList(
    string('stdout', stdout),
    string('worktreePath', worktreePath),
  );
  return text === null ? null : JSON.parse(text);
}
