//! One engine a root in a process, however many stores and threads have it open.

use std::{
    collections::HashMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    time::SystemTime,
};

use super::{
    Engine, FileError, Survey,
    disk::{Disk as _, During as _, FileId, RealDisk, absent_as_none, is_for_want},
};

/// A directory, and when it was made, as a new one may get an old one's number.
type Identity = (FileId, Option<SystemTime>);

/// An engine, and the path that it reaches its root by.
type Known = (PathBuf, Weak<Engine>);

static OPEN: LazyLock<Mutex<HashMap<Identity, Known>>> = LazyLock::new(Mutex::default);

/// The engine of the directory that `root` names at this moment, found by the
/// directory's identity rather than its name; a fresh one, known to nobody else,
/// where there is no such directory.
pub(super) fn open(root: &Path, survey: Survey) -> Result<Arc<Engine>, FileError> {
    let disk = RealDisk::new(root);
    let Some(identity) = identity(&disk, root).during("open root", "")? else {
        return Ok(Arc::new(Engine::new(Box::new(disk), survey, false)));
    };
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((path, engine)) = open.get(&identity)
        && let Some(engine) = engine.upgrade()
        && (path == root || is_at(path, identity).during("open root", "")?)
    {
        return Ok(engine);
    }
    open.retain(|_, (_, engine)| engine.strong_count() > 0);
    let engine = Arc::new(Engine::new(Box::new(disk), survey, true));
    open.insert(identity, (root.to_owned(), Arc::downgrade(&engine)));
    Ok(engine)
}

/// Whether a directory is still where an engine looks for it: it may have been renamed.
fn is_at(path: &Path, wanted: Identity) -> io::Result<bool> {
    match identity(&RealDisk::new(path), path) {
        // Whatever else is the matter there, the directory is to be used by its other name.
        Err(error) if !is_for_want(&error) => Ok(false),
        found => Ok(found? == Some(wanted)),
    }
}

/// `None` where there is nothing at all.
fn identity(disk: &RealDisk, root: &Path) -> io::Result<Option<Identity>> {
    match disk.stat("") {
        Ok(stat) if stat.is_dir => {
            let made = std::fs::metadata(root).and_then(|metadata| metadata.created()).ok();
            Ok(Some((stat.id, made)))
        }
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => absent_as_none(Err(error)),
        Err(error) => Err(error),
    }
}
