//! Workspaces that are worktrees of a git repository, each on a branch of its own.
//!
//! A call that succeeds runs git once, and touches files through git alone. What a
//! call that fails leaves behind is found out from what git said: git names the
//! branch that it is about to make before it makes it, and says so when there is one
//! of that name already.

use std::time::Duration;

use super::{
    Git, GitFailure,
    git::said,
    label,
    worktree_list::{ListedWorktree, parse_worktree_list, records},
};
use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    json::{Fields, Invalid, ObjectWriter, non_empty_string, string},
    timestamp::Timestamp,
};

/// The kind of these workspaces.
const KIND: &str = "git-worktree";
/// What every branch made here is called, before its label.
const BRANCHES: &str = "namzu/";

/// Makes, inspects and disposes of worktrees.
pub struct GitWorktrees<'h, G> {
    /// Runs git.
    pub git: G,
    /// Has the application's logger.
    pub host: &'h dyn Host,
}

/// What a new worktree needs.
#[derive(Debug, Clone)]
pub struct NewWorktree {
    id: String,
    repo_root: String,
    label: String,
    path: String,
    base_ref: Option<String>,
}

impl NewWorktree {
    /// Reads `{ id, repoRoot, label, worktreePath, baseRef? }`.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when the label or the base is none that git takes.
    pub fn from_payload(text: &str) -> Result<Self> {
        let decode = || {
            let fields = Fields::of_payload(text)?;
            let valid = |raw| string(raw).filter(|label| label::is_valid(label));
            let base = |raw| {
                non_empty_string(raw).filter(|base| !base.starts_with('-') && !base.contains('\0'))
            };
            Ok::<_, Invalid>(Self {
                id: fields.decoded("id", "a string", string)?.into(),
                repo_root: fields.decoded("repoRoot", "a string", string)?.into(),
                label: fields.decoded("label", label::EXPECTED, valid)?.into(),
                path: fields.decoded("worktreePath", "a string", string)?.into(),
                base_ref: fields
                    .optional("baseRef", "a revision that does not start with `-`", base)?
                    .map(Into::into),
            })
        };
        decode().map_err(|invalid| failed("create", Error::argument("params", invalid)))
    }

    fn branch(&self) -> String {
        format!("{BRANCHES}{}", self.label)
    }
}

/// A worktree that exists, or did.
#[derive(Debug, Clone)]
pub struct Worktree {
    repo_root: String,
    branch: String,
    path: String,
}

impl Worktree {
    /// Reads a `WorkspaceRef`, for the operation `op`.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when it is of another kind, or none at all.
    pub fn from_payload(op: &'static str, text: &str) -> Result<Self> {
        let decode = || {
            let meta = Fields::of_payload(text)?.decoded("meta", "an object", Some)?;
            let fields = Fields::of_payload(meta).map_err(|invalid| invalid.below("meta"))?;
            let kind = |raw| string(raw).filter(|kind| kind == KIND);
            fields.decoded("backend", "`git-worktree`", kind)?;
            Ok::<_, Invalid>(Self {
                repo_root: fields.decoded("repoRoot", "a string", string)?.into(),
                branch: fields.decoded("branch", "a string", string)?.into(),
                path: fields.decoded("worktreePath", "a string", string)?.into(),
            })
        };
        decode().map_err(|invalid| failed(op, Error::argument("ref", invalid)))
    }

    fn of(new: &NewWorktree) -> Self {
        Self { repo_root: new.repo_root.clone(), branch: new.branch(), path: new.path.clone() }
    }

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// The `WorkspaceRef` of this worktree, made now.
    fn to_json(&self, id: &str) -> String {
        let mut meta = ObjectWriter::new();
        meta.string("backend", KIND).string("repoRoot", &self.repo_root);
        meta.string("branch", &self.branch).string("worktreePath", &self.path);
        let mut json = ObjectWriter::new();
        json.string("id", id).raw("meta", &meta.finish());
        json.string("createdAt", &Timestamp::now().to_string());
        json.finish()
    }
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
        let whole = listed.is_some_and(|listed| !listed.initializing)
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
        records(&list).find(|listed| {
            listed.branch.as_ref() == Some(&worktree.reference())
                && (made_branch || listed.path == worktree.path)
        })
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
                Ok(_) => {
                    self.take_away(worktree).await;
                    absent = 0;
                    continue;
                }
                Err(error) if is_gone(&said(&error)) => return Ok(()),
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
        let listed = records(&list).find(|listed| {
            listed.path == worktree.path || listed.branch.as_ref() == Some(&reference)
        });
        if let Some(listed) = listed {
            let making = listed.initializing;
            return Ok(if making { Remains::InTheMaking } else { Remains::Something });
        }
        let branch = self.git(&["-C", &worktree.repo_root, "for-each-ref", &reference]).await?;
        Ok(if branch.trim().is_empty() { Remains::Nothing } else { Remains::Something })
    }

    /// Removes a worktree, changes in it included; one that is gone is no failure.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when git does not remove it.
    pub async fn dispose(&self, worktree: &Worktree) -> Result<()> {
        let Worktree { repo_root, path, .. } = worktree;
        let remove = ["-C", repo_root, "worktree", "remove", path, "--force"];
        let Err(error) = self.git(&remove).await else { return Ok(()) };
        let said = said(&error);
        if !is_gone(&said) {
            return Err(failed("dispose", error));
        }
        let mut data = ObjectWriter::new();
        data.string("worktreePath", path).string("error", &said);
        self.log("debug", "The worktree was gone already", &data.finish()).await
    }

    /// Deletes the branch of a worktree that was disposed of before anybody got it.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when git does not delete it.
    pub async fn forget(&self, worktree: &Worktree) -> Result<()> {
        let delete = ["-C", &worktree.repo_root, "branch", "-D", &worktree.branch];
        self.git(&delete).await.map(drop).map_err(|error| failed("dispose", error))
    }

    /// What has become of a worktree: `{ exists, currentRef, isDirty }`.
    ///
    /// # Errors
    /// [`Error::WorkspaceBackend`] when git does not tell.
    pub async fn inspect(&self, worktree: &Worktree) -> Result<String> {
        let list = self.list(&worktree.repo_root).await;
        let list = list.map_err(|error| failed("inspect:list", error))?;
        let Some(listed) = parse_worktree_list(&list, &worktree.path) else {
            return Ok(inspection(false, &worktree.branch, false));
        };
        let status = self.git(&["-C", &worktree.path, "status", "--porcelain"]).await;
        let status = status.map_err(|error| failed("inspect:status", error))?;
        let at = listed.branch.or(listed.head);
        let current = at.as_deref().unwrap_or(&worktree.branch);
        Ok(inspection(true, current, !status.trim().is_empty()))
    }

    async fn list(&self, repo_root: &str) -> Result<String> {
        self.git(&["-C", repo_root, "worktree", "list", "--porcelain"]).await
    }

    async fn git(&self, arguments: &[&str]) -> Result<String> {
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
}

/// Whether git came as far as making the branch: it says what it prepares, and then
/// that it cannot, when there is such a branch.
fn made_branch(said: &str, branch: &str) -> bool {
    said.contains(&format!("(new branch '{branch}')"))
        && !said.contains(&format!("branch named '{branch}' already exists"))
}

/// Whether git says that there is nothing to remove.
fn is_gone(said: &str) -> bool {
    let said = said.to_lowercase();
    ["is not a working tree", "does not exist", "no such file"]
        .iter()
        .any(|gone| said.contains(gone))
}

fn inspection(exists: bool, current_ref: &str, is_dirty: bool) -> String {
    let word = |truth| if truth { "true" } else { "false" };
    let mut json = ObjectWriter::new();
    json.raw("exists", word(exists)).string("currentRef", current_ref);
    json.raw("isDirty", word(is_dirty));
    json.finish()
}

fn failed(op: &'static str, cause: Error) -> Error {
    Error::WorkspaceBackend { op, kind: KIND, cause: Box::new(cause) }
}
