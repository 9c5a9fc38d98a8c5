//! A worktree that is to be made, and one that was: how each reads and writes JSON.

use std::path::{Path, absolute};

use super::label;
use crate::{
    error::{Error, Result},
    json::{Fields, Invalid, ObjectWriter, non_empty_string, string},
    timestamp::Timestamp,
};

/// The kind of these workspaces.
const KIND: &str = "git-worktree";
/// What every branch made here is called, before its label.
pub(super) const BRANCHES: &str = "namzu/";

/// What a new worktree needs.
#[derive(Debug, Clone)]
pub struct NewWorktree {
    pub(super) id: String,
    pub(super) repo_root: String,
    pub(super) label: String,
    pub(super) path: String,
    pub(super) base_ref: Option<String>,
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

    pub(super) fn branch(&self) -> String {
        format!("{BRANCHES}{}", self.label)
    }
}

/// A worktree that exists, or did.
#[derive(Debug, Clone)]
pub struct Worktree {
    pub(super) repo_root: String,
    pub(super) branch: String,
    pub(super) path: String,
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
            let text = |key| fields.decoded(key, "a non-empty string", non_empty_string);
            let repo_root = in_full(Path::new(&*text("repoRoot")?));
            // Where git looks: it runs in the repository.
            let path = in_full(&Path::new(&repo_root).join(&*text("worktreePath")?));
            Ok::<_, Invalid>(Self { repo_root, branch: text("branch")?.into(), path })
        };
        decode().map_err(|invalid| failed(op, Error::argument("ref", invalid)))
    }

    pub(super) fn of(new: &NewWorktree) -> Self {
        Self { repo_root: new.repo_root.clone(), branch: new.branch(), path: new.path.clone() }
    }

    pub(super) fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// The `WorkspaceRef` of this worktree, made now.
    pub(super) fn to_json(&self, id: &str) -> String {
        let mut meta = ObjectWriter::new();
        meta.string("backend", KIND).string("repoRoot", &self.repo_root);
        meta.string("branch", &self.branch).string("worktreePath", &self.path);
        let mut json = ObjectWriter::new();
        json.string("id", id).raw("meta", &meta.finish());
        json.string("createdAt", &Timestamp::now().to_string());
        json.finish()
    }
}

/// An absolute path; git takes it wherever it runs, and for no option.
fn in_full(path: &Path) -> String {
    let full = absolute(path).ok().filter(|_| path.is_relative());
    full.as_deref().unwrap_or(path).to_string_lossy().into_owned()
}

pub(super) fn failed(op: &'static str, cause: Error) -> Error {
    Error::WorkspaceBackend { op, kind: KIND, cause: Box::new(cause) }
}
