//! One engine a root in a process, however many stores and threads have it open.
//!
//! A root is known by its path, from the first call on, and once it is there by its identity
//! as well: other paths may lead to it. A path whose root is removed, made anew, or swapped for
//! another keeps its engine, which notices: so no call can overtake one that went to an earlier
//! engine.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    time::SystemTime,
};

use super::{
    Engine, FileError, Survey,
    disk::{Disk as _, During as _, FileId, RealDisk, is_resource_exhausted, optional},
};

/// A directory, and when it was made, as a new one may get an old one's number.
type Identity = (FileId, Option<SystemTime>);

/// An engine, and the path that it reaches its root by.
type Known = (PathBuf, Weak<Engine>);

#[derive(Default)]
struct Open {
    by_identity: HashMap<Identity, Known>,
    /// By paths without links, as far as they are there.
    by_path: HashMap<PathBuf, Weak<Engine>>,
}

static OPEN: LazyLock<Mutex<Open>> = LazyLock::new(Mutex::default);

/// The engine of the directory that `root` names at this moment, found by the directory's
/// identity rather than its name, or by its name where there is no such directory yet.
pub(super) fn open(root: &Path, survey: Survey) -> Result<Arc<Engine>, FileError> {
    let disk = RealDisk::new(root);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let identity = identity(&disk, root).during("open root", "")?;
    if let Some(identity) = identity
        && let Some((path, engine)) = open.by_identity.get(&identity)
        && let Some(engine) = engine.upgrade()
        && (path == root || is_at(path, identity).during("open root", "")?)
    {
        return Ok(engine);
    }
    open.by_identity.retain(|_, (_, engine)| engine.strong_count() > 0);
    open.by_path.retain(|_, engine| engine.strong_count() > 0);
    let path = reached(root).during("open root", "")?;
    let engine = match open.by_path.get(&path).and_then(Weak::upgrade) {
        Some(engine) if !mutant!(EngineOfEachCall) => engine,
        _ => Arc::new(Engine::new(Arc::new(disk), survey)),
    };
    open.by_path.insert(path, Arc::downgrade(&engine));
    if let Some(identity) = identity {
        open.by_identity.insert(identity, (root.to_owned(), Arc::downgrade(&engine)));
    }
    Ok(engine)
}

/// A path without links, as far as it is there; what is not there yet will have none.
fn reached(root: &Path) -> io::Result<PathBuf> {
    let root = std::path::absolute(root)?;
    let mut missing: Vec<OsString> = Vec::new();
    for above in root.ancestors() {
        match fs::canonicalize(above) {
            Ok(mut reached) => {
                while let Some(name) = missing.pop() {
                    if name == ".." {
                        reached.pop();
                    } else {
                        reached.push(name);
                    }
                }
                return Ok(reached);
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                missing.extend(above.components().next_back().map(name_of));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(root)
}

fn name_of(component: Component<'_>) -> OsString {
    component.as_os_str().to_owned()
}

/// Whether a directory is still where an engine looks for it: it may have been renamed.
fn is_at(path: &Path, wanted: Identity) -> io::Result<bool> {
    match identity(&RealDisk::new(path), path) {
        // Whatever else is the matter there, the directory is to be used by its other name.
        Err(error) if !is_resource_exhausted(&error) => Ok(false),
        found => Ok(found? == Some(wanted)),
    }
}

/// `None` where there is nothing at all.
fn identity(disk: &RealDisk, root: &Path) -> io::Result<Option<Identity>> {
    match disk.stat("") {
        Ok(stat) if stat.is_dir => {
            let made = fs::metadata(root).and_then(|metadata| metadata.created()).ok();
            Ok(Some((stat.id, made)))
        }
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => optional(Err(error)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(root: &Path) -> Arc<Engine> {
        open(root, |_, _, _| Ok(Vec::new())).unwrap()
    }

    #[test]
    fn a_root_has_one_engine_before_and_after_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a/b");
        let first = engine(&root);
        for same in ["a/b", "a/./b", "a/c/../b"] {
            assert!(Arc::ptr_eq(&first, &engine(&folder.path().join(same))), "{same}");
        }
        assert!(!Arc::ptr_eq(&first, &engine(&folder.path().join("a"))));
        fs::create_dir_all(&root).unwrap();
        assert!(Arc::ptr_eq(&first, &engine(&root)));
        fs::remove_dir(&root).unwrap();
        assert!(Arc::ptr_eq(&first, &engine(&root)));
        fs::create_dir(&root).unwrap();
        assert!(Arc::ptr_eq(&first, &engine(&root)));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_behind_a_link_has_one_engine_before_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        let first = engine(&folder.path().join("link/root"));
        assert!(Arc::ptr_eq(&first, &engine(&folder.path().join("real/root"))));
        fs::create_dir(folder.path().join("real/root")).unwrap();
        assert!(Arc::ptr_eq(&first, &engine(&folder.path().join("real/root"))));
        assert!(Arc::ptr_eq(&first, &engine(&folder.path().join("link/root"))));
    }
}
