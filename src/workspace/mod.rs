//! Workspaces: where an agent's files live, as worktrees of a git repository.
//!
//! [`GitWorktrees`] drives git through [`Git`], which is either the real program
//! ([`GitProcess`]) or a function that the application brought along ([`HostGit`]).

mod git;
mod git_process;
mod git_worktree;
mod host_git;
mod inspection;
mod label;
mod place;
mod worktree;
mod worktree_list;

pub use git::Git;
pub use git_process::GitProcess;
pub use git_worktree::{GitWorktrees, planned};
pub use host_git::HostGit;
pub use worktree::{NewWorktree, Worktree};
pub use worktree_list::{ListedWorktree, parse_worktree_list};
