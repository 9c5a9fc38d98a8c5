//! Which threads a root has, and whether each can be migrated: everything that can be
//! known is looked at before anything is changed.

use std::{ffi::OsStr, io, path::Path};

use super::{
    during::During as _,
    layout::{
        PROJECT_PREFIX, THREAD_PREFIX, THREADS, project_file, session, session_file, session_runs,
        target_folders, thread, thread_runs,
    },
    legacy_thread::LegacyThread,
    runs,
    tree::{Kind, Tree},
};
use crate::{
    error::{MigrationFailure, MigrationOp},
    id::ProjectId,
};

type Result<T> = std::result::Result<T, Box<MigrationFailure>>;

/// A thread's project id has as many characters after its prefix as any may have.
const LONGEST_NAME: usize = 113;

/// Finds the threads of a root, in the order of their ids, and checks all of them.
pub(super) fn find(tree: &dyn Tree) -> Result<Vec<LegacyThread>> {
    let folder = Path::new(THREADS);
    let mut names = tree.list(folder).during(MigrationOp::EnumerateThreads, folder)?;
    names.retain(|name| name.as_encoded_bytes().starts_with(THREAD_PREFIX.as_bytes()));
    names.sort_unstable();
    let named: Vec<_> = names.iter().map(|name| named(tree, name)).collect::<Result<_>>()?;
    named.into_iter().map(|(id, project)| checked(tree, id, project)).collect()
}

/// The id of a thread, by its folder, and that of its project.
fn named(tree: &dyn Tree, name: &OsStr) -> Result<(String, ProjectId)> {
    let path = thread(name);
    let refused = |reason| MigrationFailure::refused(MigrationOp::ValidateThreadId, &path, reason);
    let id = name.to_str().ok_or_else(|| refused("the name is no Unicode"))?;
    let suffix = id.strip_prefix(THREAD_PREFIX).unwrap_or_default();
    let project = match ProjectId::parse(&format!("{PROJECT_PREFIX}{suffix}")) {
        Ok(project) if (1..=LONGEST_NAME).contains(&suffix.len()) => project,
        _ => {
            let expected = "expected `thd_` and 1 to 113 characters of A-Z a-z 0-9 _ -";
            return Err(refused(expected));
        }
    };
    match tree.kind(&path).during(MigrationOp::EnumerateThreads, &path)? {
        Some(Kind::Folder) => Ok((id.to_owned(), project)),
        Some(Kind::Link) => Err(refused("it is a link, which is not followed")),
        _ => Err(refused("it is no folder")),
    }
}

fn checked(tree: &dyn Tree, id: String, project: ProjectId) -> Result<LegacyThread> {
    let from = thread_runs(&id);
    let rename = |looked: io::Result<_>| looked.during(MigrationOp::RenameRuns, &from);
    let has_runs = match rename(tree.kind(&from))? {
        None => false,
        Some(Kind::Folder) => true,
        Some(Kind::Link) => return Err(not_followed(MigrationOp::RenameRuns, &from)),
        Some(_) => {
            return Err(MigrationFailure::refused(
                MigrationOp::RenameRuns,
                &from,
                "it is no folder",
            ));
        }
    };
    let target = session(&project);
    let mut is_there = true;
    for folder in target_folders(&project) {
        is_there = is_there && is_folder(tree, &folder, MigrationOp::MkdirSession, &target)?;
    }
    if is_there {
        for (file, op) in [
            (project_file(&project), MigrationOp::WriteProjectJson),
            (session_file(&project), MigrationOp::WriteSessionJson),
        ] {
            if tree.kind(&file).during(op, &file)? == Some(Kind::Link) {
                return Err(not_followed(op, &file));
            }
        }
    }
    if has_runs {
        // A folder that moves to another one changes too: its `..` does.
        let changed = tree.may_change(&thread(&id)).and_then(|()| tree.may_change(&from));
        changed.during(MigrationOp::RenameRuns, &from)?;
        let to = session_runs(&project);
        if is_there && is_folder(tree, &to, MigrationOp::RenameRuns, &from)? {
            runs::check_merge(tree, &from, &to).during(MigrationOp::RenameRuns, &from)?;
        }
    }
    Ok(LegacyThread { id, project, has_runs })
}

/// Whether there is a folder, and not something else in its place.
fn is_folder(tree: &dyn Tree, folder: &Path, op: MigrationOp, told: &Path) -> Result<bool> {
    match tree.kind(folder).during(op, told)? {
        None => Ok(false),
        Some(Kind::Folder) => Ok(true),
        Some(Kind::Link) => Err(not_followed(op, folder)),
        Some(_) => {
            Err(MigrationFailure::refused(op, told, &format!("{} is no folder", folder.display())))
        }
    }
}

fn not_followed(op: MigrationOp, path: &Path) -> Box<MigrationFailure> {
    MigrationFailure::refused(op, path, "it is a link, which is not followed")
}
