//! Whether two paths name the same place, however they are spelled: through links, in
//! another case, with the separators of another system.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    worktree::{BRANCHES, Worktree},
    worktree_list::{ListedWorktree, parse_worktree_list, records},
};

/// The worktree of a list that is at `path`. Git lists worktrees by the path that is left
/// when all links are followed.
pub(super) async fn find_listed(list: &str, path: &str) -> Option<ListedWorktree> {
    let exact = parse_worktree_list(list, path);
    if exact.is_some() {
        return exact;
    }
    let (list, path) = (list.to_owned(), path.to_owned());
    apart(move || {
        let place = place_of(Path::new(&path))?;
        records(&list).find(|listed| place_of(Path::new(&listed.path)).as_ref() == Some(&place))
    })
    .await
}

/// Whether a reference names a worktree as the driver makes them in `folder`:
/// `<folder>/<label>`, on the branch `namzu/<label>`.
pub(super) async fn is_made_in(folder: &str, worktree: &Worktree) -> bool {
    let path = Path::new(&worktree.path);
    let label = worktree.branch.strip_prefix(BRANCHES).map(OsStr::new);
    let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else { return false };
    if label != Some(name) {
        return false;
    }
    if parent == Path::new(folder) {
        return true;
    }
    let (parent, folder) = (parent.to_owned(), PathBuf::from(folder));
    apart(move || {
        let place = place_of(&folder);
        place.is_some() && place == place_of(&parent)
    })
    .await
}

/// Where a path leads, whose last component may be missing.
fn place_of(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let parent = path.parent()?.canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    })
}

/// Runs what follows links away from the event loop.
async fn apart<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(look).await {
        Ok(found) => found,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}
