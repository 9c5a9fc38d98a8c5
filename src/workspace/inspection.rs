//! What has become of a worktree, and what would be lost with it.

use super::{
    Git, GitWorktrees, Worktree, git_worktree::is_gone, place::find_listed, worktree::failed,
    worktree_list::ListedWorktree,
};
use crate::{error::Result, json::ObjectWriter};

/// Has git look at everything, whatever the settings of the user and the repository say:
/// new files, submodules, files that a sparse checkout is told to leave alone. It is not to
/// write the index, which the worktree's user may be about to write.
const LOOK_AT_EVERYTHING: &[&str] = &[
    "--no-optional-locks",
    "-c",
    "status.showUntrackedFiles=normal",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.sparseCheckout=true",
    "-c",
    "sparse.expectFilesOutsideOfPatterns=false",
    "-c",
    "core.checkStat=default",
    "-c",
    "core.trustctime=true",
];

/// In each submodule: a commit that is on no branch of a remote and on no tag. Removing a
/// worktree removes the repositories of its submodules.
const UNPUSHED: &str = "git rev-list --max-count=1 HEAD --branches --glob=refs/stash \
                        --not --remotes --tags";

impl<G: Git> GitWorktrees<'_, G> {
    /// What has become of a worktree: `{ exists, currentRef, isDirty }`.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`](crate::error::Error::WorkspaceBackend) when git does not
    /// tell.
    pub async fn inspect(&self, worktree: &Worktree) -> Result<String> {
        let gone = inspection(false, &worktree.branch, false);
        let Some(listed) = self.standing(worktree).await? else { return Ok(gone) };
        let changed = if G::MAY_LOOK_FIRST {
            self.has_changes(worktree).await?
        } else {
            self.status(worktree, &[], &[]).await?
        };
        let Some(is_dirty) = changed else { return Ok(gone) };
        let current = listed.branch.or(listed.head);
        Ok(inspection(true, current.as_deref().unwrap_or(&worktree.branch), is_dirty))
    }

    /// Why a worktree is to be kept: `locked`, `uncommitted` or `unreachable`; nothing when
    /// it is gone, was never finished, or nothing is lost with it.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`](crate::error::Error::WorkspaceBackend) when git does not
    /// tell.
    pub async fn keep_reason(&self, worktree: &Worktree) -> Result<Option<&'static str>> {
        let Some(listed) = self.standing(worktree).await? else { return Ok(None) };
        if listed.is_initializing() {
            return Ok(None);
        }
        Ok(match self.has_changes(worktree).await? {
            None => None,
            Some(_) if listed.locked.is_some() => Some("locked"),
            Some(true) => Some("uncommitted"),
            Some(false) if self.has_unreachable(worktree, &listed).await? => Some("unreachable"),
            Some(false) => None,
        })
    }

    /// The worktree as git lists it, unless git knows that it is gone.
    async fn standing(&self, worktree: &Worktree) -> Result<Option<ListedWorktree>> {
        let list = self.list(&worktree.repo_root).await;
        let list = list.map_err(|error| failed("inspect:list", error))?;
        Ok(find_listed(&list, &worktree.path).await.filter(|listed| !listed.prunable))
    }

    /// Whether there is anything that is not committed, ignored files apart; `None` when the
    /// folder is gone. A file that git was told to assume unchanged counts as changed, since
    /// git does not look at it.
    async fn has_changes(&self, worktree: &Worktree) -> Result<Option<bool>> {
        let found = self.status(worktree, LOOK_AT_EVERYTHING, &["--ignore-submodules=none"]);
        match found.await? {
            Some(false) => {
                let mut entries = self.entries(worktree).await?;
                if has_submodules(&entries) {
                    entries.push_str(&self.in_submodules(worktree, "git ls-files -v").await?);
                }
                let is_assumed = |entry: &str| entry.starts_with(|tag: char| tag.is_lowercase());
                Ok(Some(entries.lines().any(is_assumed)))
            }
            found => Ok(found),
        }
    }

    /// Whether git reports changes; `None` when the folder is gone.
    async fn status(
        &self,
        worktree: &Worktree,
        before: &[&str],
        after: &[&str],
    ) -> Result<Option<bool>> {
        let asked = [before, &["-C", &worktree.path, "status", "--porcelain"], after].concat();
        match self.git(&asked).await {
            Ok(changes) => Ok(Some(!changes.trim().is_empty())),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(failed("inspect:status", error)),
        }
    }

    /// Whether the worktree has commits that nothing but itself leads to.
    async fn has_unreachable(&self, worktree: &Worktree, listed: &ListedWorktree) -> Result<bool> {
        let path = &worktree.path;
        let is_commit = |head: &String| head.bytes().any(|byte| byte != b'0');
        if listed.branch.is_none() && listed.head.as_ref().is_some_and(is_commit) {
            let to_head = [
                "-C",
                path,
                "for-each-ref",
                "--count=1",
                "--contains=HEAD",
                "refs/heads",
                "refs/remotes",
                "refs/tags",
            ];
            if self.look(&to_head).await?.trim().is_empty() {
                return Ok(true);
            }
        }
        let entries = self.entries(worktree).await?;
        if !has_submodules(&entries) {
            return Ok(false);
        }
        Ok(!self.in_submodules(worktree, UNPUSHED).await?.trim().is_empty())
    }

    /// What a command prints in each submodule that is checked out, and in theirs.
    async fn in_submodules(&self, worktree: &Worktree, command: &str) -> Result<String> {
        let path = &worktree.path;
        self.look(&["-C", path, "submodule", "--quiet", "foreach", "--recursive", command]).await
    }

    /// Each file that git tracks: a tag, its mode, its content and its path.
    async fn entries(&self, worktree: &Worktree) -> Result<String> {
        self.look(&["-C", &worktree.path, "ls-files", "-v", "-s"]).await
    }

    async fn look(&self, arguments: &[&str]) -> Result<String> {
        self.git(arguments).await.map_err(|error| failed("inspect:status", error))
    }
}

fn inspection(exists: bool, current_ref: &str, is_dirty: bool) -> String {
    let word = |truth| if truth { "true" } else { "false" };
    let mut json = ObjectWriter::new();
    json.raw("exists", word(exists)).string("currentRef", current_ref);
    json.raw("isDirty", word(is_dirty));
    json.finish()
}

/// Whether one of a worktree's entries is a submodule.
fn has_submodules(entries: &str) -> bool {
    entries.lines().any(|entry| entry.get(1..).is_some_and(|it| it.starts_with(" 160000 ")))
}
