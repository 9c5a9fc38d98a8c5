//! Workspaces as JavaScript sees them.

use std::{collections::BTreeMap, time::Duration};

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Out, Promise, Text, run},
    host::JsHost,
};
use crate::{
    error::{Error, Result},
    id::{ArchiveRef, ProjectId, SessionId, SubSessionId},
    workspace::{
        GitProcess, GitWorktrees, HostGit, NewWorktree, Worktree, parse_worktree_list, planned,
    },
};

/// The real git: its environment as JSON, and how long a run of it may take.
#[napi(object)]
pub struct RealGit {
    /// `{ name: value }`.
    pub environment: String,
    /// Milliseconds.
    pub limit: f64,
}

impl From<RealGit> for GitProcess {
    fn from(git: RealGit) -> Self {
        let environment: Option<BTreeMap<String, String>> =
            serde_json::from_str(&git.environment).ok();
        Self {
            environment: environment.unwrap_or_else(|| std::env::vars().collect()),
            limit: Duration::try_from_secs_f64(git.limit / 1000.0).unwrap_or(Duration::MAX),
        }
    }
}

/// Runs `$work` over the worktrees in a folder, with the given git, or the host's.
macro_rules! with_worktrees {
    ($git:expr, $host:expr, $folder:expr, |$worktrees:ident| $work:expr) => {
        match $git.map(GitProcess::from) {
            Some(git) => {
                let $worktrees = GitWorktrees { git, host: &$host, folder: $folder };
                $work
            }
            None => {
                let git = HostGit(&$host);
                let $worktrees = GitWorktrees { git, host: &$host, folder: $folder };
                $work
            }
        }
    };
}

/// Makes a worktree; answers its `WorkspaceRef`.
#[napi(catch_unwind)]
pub fn create_worktree(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    params: String,
) -> Promise<'_, Text> {
    run(env, async move {
        let new = NewWorktree::from_payload(&params)?;
        with_worktrees!(git, host, folder, |worktrees| worktrees.create(&new).await.map(Text))
    })
}

/// Removes a worktree.
#[napi(catch_unwind)]
pub fn dispose_worktree(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    reference: String,
) -> Promise<'_, ()> {
    run(env, async move {
        let worktree = Worktree::from_payload("dispose", &reference)?;
        with_worktrees!(git, host, folder, |worktrees| worktrees.dispose(&worktree).await)
    })
}

/// Removes a worktree with its branch, whatever state it is in.
#[napi(catch_unwind)]
pub fn discard_worktree(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    reference: String,
) -> Promise<'_, ()> {
    run(env, async move {
        let worktree = Worktree::from_payload("dispose", &reference)?;
        with_worktrees!(git, host, folder, |worktrees| worktrees.discard(&worktree).await)
    })
}

/// Deletes the branch of a worktree that was disposed of.
#[napi(catch_unwind)]
pub fn forget_worktree(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    reference: String,
) -> Promise<'_, ()> {
    run(env, async move {
        let worktree = Worktree::from_payload("dispose", &reference)?;
        with_worktrees!(git, host, folder, |worktrees| worktrees.forget(&worktree).await)
    })
}

/// What has become of a worktree, as JSON.
#[napi(catch_unwind)]
pub fn inspect_worktree(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    reference: String,
) -> Promise<'_, Text> {
    run(env, async move {
        let worktree = Worktree::from_payload("inspect:list", &reference)?;
        with_worktrees!(git, host, folder, |worktrees| worktrees.inspect(&worktree).await.map(Text))
    })
}

/// Why a worktree is to be kept; nothing when nothing is lost with it.
#[napi(catch_unwind)]
pub fn keep_worktree_reason(
    env: &Env,
    host: JsHost,
    git: Option<RealGit>,
    folder: String,
    reference: String,
) -> Promise<'_, Option<Text>> {
    run(env, async move {
        let worktree = Worktree::from_payload("inspect:list", &reference)?;
        with_worktrees!(git, host, folder, |worktrees| {
            let reason = worktrees.keep_reason(&worktree).await?;
            Ok(reason.map(|reason| Text(reason.to_owned())))
        })
    })
}

/// `{ ref, arguments }`: what [`create_worktree`] will answer for these parameters,
/// and what it will run git with; nothing where it will refuse them.
#[napi(catch_unwind)]
pub fn planned_worktree(params: String) -> Option<Text> {
    NewWorktree::from_payload(&params).ok().map(|new| Text(planned(&new)))
}

/// One record of `git worktree list --porcelain`, as JSON.
#[napi(catch_unwind, js_name = "parseWorktreeList")]
pub fn parse_list(stdout: String, worktree_path: String) -> Option<Text> {
    parse_worktree_list(&stdout, &worktree_path).map(|listed| Text(listed.to_json()))
}

/// Refuses an id that cannot be a component of a path.
#[napi(catch_unwind)]
pub fn check_path_id(kind: String, id: String) -> Out<()> {
    Out(check(&kind, &id))
}

fn check(kind: &str, id: &str) -> Result<()> {
    match kind {
        "ProjectId" => ProjectId::parse(id).map(drop),
        "SessionId" => SessionId::parse(id).map(drop),
        "SubSessionId" => SubSessionId::parse(id).map(drop),
        "ArchiveBackendRef" => ArchiveRef::parse(id).map(drop),
        _ => crate::id::check_run_folder(id),
    }
    .map_err(Error::InvalidId)
}
