//! Workspaces that are worktrees of a git repository, each on a branch of its own.
//!
//! A call that succeeds runs the application's git once (`inspect`: at most twice). The
//! real git is asked more where that protects work: [`Git::MAY_LOOK_FIRST`]. Files are
//! touched through git alone; paths are only compared here. What a call that fails leaves
//! behind is found out from what git said: git names the branch that it is about to make
//! before it makes it, and says so when there is one of that name already.

use std::time::Duration;

use super::{
    Git,
    git::said,
    place::{find_listed, is_made_in},
    worktree::{BRANCHES, NewWorktree, Worktree, failed},
    worktree_list::{ListedWorktree, records},
};
use crate::{
    error::{Error, GitFailure, Result},
    host::{Arguments, Host},
    json::{Invalid, ObjectWriter},
};

/// Makes, inspects and disposes of worktrees.
pub struct GitWorktrees<'h, G> {
    /// Runs git.
    pub git: G,
    /// Has the application's logger.
    pub host: &'h dyn Host,
    /// The absolute path of the folder in which this driver makes its worktrees. None
    /// elsewhere is ever removed.
    pub folder: String,
}

/// The `WorkspaceRef` that making `new` will answer, and what git is run with for it:
/// `{ ref, arguments }`.
#[must_use]
pub fn planned(new: &NewWorktree) -> String {
    let worktree = Worktree::of(new);
    let mut json = ObjectWriter::new();
    json.raw("ref", &worktree.to_json(&new.id)).strings("arguments", &add(new, &worktree));
    json.finish()
}

fn add(new: &NewWorktree, worktree: &Worktree) -> Vec<String> {
    let add = ["-C", &new.repo_root, "worktree", "add", "-b", &worktree.branch, &new.path];
    add.into_iter().chain(new.base_ref.as_deref()).map(str::to_owned).collect()
}

impl<G: Git> GitWorktrees<'_, G> {
    /// Makes a worktree on a new branch; answers its `WorkspaceRef`.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when git does not make it; nothing that this call
    /// made is left then.
    pub async fn create(&self, new: &NewWorktree) -> Result<String> {
        let worktree = Worktree::of(new);
        if let Err(error) = self.git.run(add(new, &worktree)).await {
            self.after_failed_add(&worktree, error).await?;
        }
        Ok(worktree.to_json(&new.id))
    }

    /// Whether the worktree is there all the same, which is logged; otherwise takes
    /// away what the failed call left.
    async fn after_failed_add(&self, worktree: &Worktree, error: Error) -> Result<()> {
        let said = said(&error);
        let made_branch = made_branch(&said, &worktree.branch);
        let listed = self.listed(worktree, made_branch).await;
        // A message that git itself stopped with is about something else than a hook.
        let whole = listed.is_some_and(|listed| !listed.is_initializing())
            && (made_branch || !said.lines().any(|line| line.starts_with("fatal:")));
        let error = if whole {
            let mut data = ObjectWriter::new();
            data.string("branch", &worktree.branch).string("worktreePath", &worktree.path);
            data.string("error", &said);
            let message = "git worktree add failed after the checkout; the worktree is used";
            match self.log("warn", message, &data.finish()).await {
                Ok(()) => return Ok(()),
                Err(thrown) => thrown,
            }
        } else {
            failed("create", error)
        };
        if made_branch {
            self.take_away(worktree).await;
        }
        Err(error)
    }

    /// The worktree as git lists it, on its branch. A branch that was just made is at
    /// no other path, however the path is spelled.
    async fn listed(&self, worktree: &Worktree, made_branch: bool) -> Option<ListedWorktree> {
        let list = self.list(&worktree.repo_root).await.ok()?;
        let branch = Some(worktree.reference());
        if made_branch {
            return records(&list).find(|listed| listed.branch == branch);
        }
        find_listed(&list, &worktree.path).await.filter(|listed| listed.branch == branch)
    }

    /// Removes a worktree, half made as it may be, and its branch; failures are
    /// ignored, since there may be nothing to remove.
    async fn take_away(&self, worktree: &Worktree) {
        let Worktree { repo_root, branch, path } = worktree;
        // Twice forced: one that git was still making is locked.
        let remove = ["-C", repo_root, "worktree", "remove", path, "--force", "--force"];
        let _ = self.git(&remove).await;
        let _ = self.git(&["-C", repo_root, "branch", "-D", branch]).await;
    }

    /// Removes a worktree and its branch, of a call that its process may not have
    /// lived to see the end of: git may still be running, and its list unreadable.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when it is still there after a while.
    pub async fn discard(&self, worktree: &Worktree) -> Result<()> {
        self.refuse_foreign(worktree).await?;
        /// How often git is asked, 50 ms apart.
        const LOOKS: u32 = 120;
        /// Up to which look it is waited for while it still makes the worktree: after
        /// that it is taken to have been ended in the middle.
        const PATIENCE: u32 = 100;
        /// How often in a row it may fail to answer.
        const FAILURES: u32 = 20;
        let (mut absent, mut failures) = (0, 0);
        for look in 0..LOOKS {
            match self.remains(worktree).await {
                Ok(Remains::Nothing) => absent += 1,
                Ok(Remains::InTheMaking) if look < PATIENCE => absent = 0,
                Ok(Remains::Foreign(error)) => return Err(failed("dispose", error)),
                Ok(_) => {
                    self.take_away(worktree).await;
                    absent = 0;
                    continue;
                }
                Err(error) if is_gone(&error) => return Ok(()),
                Err(error) => {
                    failures += 1;
                    if failures == FAILURES {
                        return Err(failed("dispose", error));
                    }
                }
            }
            // Seen once, git may have been started and not have got that far yet.
            if absent == 2 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let still = GitFailure::of(format!("{} is still a worktree", worktree.path));
        Err(failed("dispose", Error::Git(Box::new(still))))
    }

    async fn remains(&self, worktree: &Worktree) -> Result<Remains> {
        let list = self.list(&worktree.repo_root).await?;
        let reference = worktree.reference();
        let at_its_path = find_listed(&list, &worktree.path).await;
        if let Some(listed) = &at_its_path {
            if listed.is_initializing() {
                return Ok(Remains::InTheMaking);
            }
            if listed.branch.as_ref() != Some(&reference) {
                return Ok(Remains::Foreign(other_branch(listed, worktree)));
            }
        }
        if at_its_path.is_some() || records(&list).any(|it| it.branch.as_ref() == Some(&reference))
        {
            return Ok(Remains::Something);
        }
        let branch = self.git(&["-C", &worktree.repo_root, "for-each-ref", &reference]).await?;
        Ok(if branch.trim().is_empty() { Remains::Nothing } else { Remains::Something })
    }

    /// Removes a worktree that this driver made, changes in it included; one that is gone
    /// is no failure.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when the driver did not make it, when another branch is
    /// checked out there, or when git does not remove it.
    pub async fn dispose(&self, worktree: &Worktree) -> Result<()> {
        let Worktree { repo_root, path, .. } = worktree;
        self.refuse_foreign(worktree).await?;
        let remove = ["-C", repo_root, "worktree", "remove", path, "--force"];
        let removed = match self.refuse_other_branch(worktree).await {
            Ok(()) => self.git(&remove).await,
            Err(error) => Err(error),
        };
        let Err(error) = removed else { return Ok(()) };
        let said = said(&error);
        if !self.is_gone(worktree, &error).await {
            return Err(failed("dispose", error));
        }
        let mut data = ObjectWriter::new();
        data.string("worktreePath", path).string("error", &said);
        self.log("debug", "The worktree was gone already", &data.finish()).await
    }

    /// Refuses a worktree that this driver cannot have made: it makes `<folder>/<label>`,
    /// on the branch `namzu/<label>`.
    async fn refuse_foreign(&self, worktree: &Worktree) -> Result<()> {
        if is_made_in(&self.folder, worktree).await {
            return Ok(());
        }
        let expected = format!(
            "a worktree that this driver made: `<label>` in `{}`, on the branch `{BRANCHES}<label>`",
            self.folder
        );
        let received = format!("`{}` on the branch `{}`", worktree.path, worktree.branch);
        Err(failed("dispose", Error::argument("ref", Invalid::field("meta", &expected, &received))))
    }

    /// Refuses a worktree in which another branch is checked out than its reference names.
    async fn refuse_other_branch(&self, worktree: &Worktree) -> Result<()> {
        if !G::MAY_LOOK_FIRST {
            return Ok(());
        }
        let list = self.list(&worktree.repo_root).await?;
        match find_listed(&list, &worktree.path).await {
            Some(listed)
                if listed.branch.as_ref() != Some(&worktree.reference())
                    && !self.has_no_folder(worktree).await =>
            {
                Err(other_branch(&listed, worktree))
            }
            _ => Ok(()),
        }
    }

    /// Whether there is nothing to remove. Git refuses to remove a locked worktree before
    /// it looks whether its folder is there.
    async fn is_gone(&self, worktree: &Worktree, error: &Error) -> bool {
        if said(error).contains("locked working tree") {
            return self.has_no_folder(worktree).await;
        }
        is_gone(error)
    }

    async fn has_no_folder(&self, worktree: &Worktree) -> bool {
        let look = self.git(&["-C", &worktree.path, "rev-parse", "--git-dir"]).await;
        look.is_err_and(|error| is_gone(&error))
    }

    /// Deletes the branch of a worktree that was disposed of before the caller got it.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when git does not delete it.
    pub async fn forget(&self, worktree: &Worktree) -> Result<()> {
        self.refuse_foreign(worktree).await?;
        let delete = ["-C", &worktree.repo_root, "branch", "-D", &worktree.branch];
        self.git(&delete).await.map(drop).map_err(|error| failed("dispose", error))
    }

    pub(super) async fn list(&self, repo_root: &str) -> Result<String> {
        self.git(&["-C", repo_root, "worktree", "list", "--porcelain"]).await
    }

    pub(super) async fn git(&self, arguments: &[&str]) -> Result<String> {
        self.git.run(arguments.iter().map(|&argument| argument.to_owned()).collect()).await
    }

    async fn log(&self, level: &'static str, message: &str, data: &str) -> Result<()> {
        let arguments = Arguments::none().string(message).json(data);
        self.host.call("logger", level, arguments).await.map(drop)
    }
}

/// What is left of a worktree and its branch.
enum Remains {
    Nothing,
    InTheMaking,
    Something,
    /// Another worktree is at its path.
    Foreign(Error),
}

/// Whether git came as far as making the branch: it says what it prepares, and then
/// that it cannot, when there is such a branch.
fn made_branch(said: &str, branch: &str) -> bool {
    said.contains(&format!("(new branch '{branch}')"))
        && !said.contains(&format!("branch named '{branch}' already exists"))
}

/// Whether git says that there is nothing there. What the real git says is on standard
/// error; the message of its error has the command as well, which may contain anything.
pub(super) fn is_gone(error: &Error) -> bool {
    let said = match error {
        Error::Git(failure) => failure.stderr.to_lowercase(),
        error => said(error).to_lowercase(),
    };
    ["is not a working tree", "does not exist", "no such file"]
        .iter()
        .any(|gone| said.contains(gone))
}

fn other_branch(listed: &ListedWorktree, worktree: &Worktree) -> Error {
    let current = listed.branch.as_deref().or(listed.head.as_deref()).unwrap_or("nothing");
    let expected = format!("what is checked out in `{}`, `{current}`", listed.path);
    let received = format!("`{}`", worktree.reference());
    Error::argument("ref", Invalid::field("meta.branch", &expected, &received))
}
