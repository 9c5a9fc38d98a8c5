//! One engine a root in a process, however many stores and threads have it open.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
};

use super::{Engine, FileError, Survey, files};

static OPEN: LazyLock<Mutex<HashMap<files::Identity, Weak<Engine>>>> =
    LazyLock::new(Mutex::default);

/// The engine of the directory that `root` names at this moment, found by the
/// directory's identity rather than its name; a fresh one, known to nobody else,
/// where there is no such directory.
pub(super) fn open(root: &Path, survey: Survey) -> Result<Arc<Engine>, FileError> {
    let Some(identity) = files::identity(root)? else {
        return Ok(Arc::new(Engine::new(root, survey)));
    };
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = open.get(&identity).and_then(Weak::upgrade) {
        return Ok(engine);
    }
    open.retain(|_, engine| engine.strong_count() > 0);
    let engine = Arc::new(Engine::new(root, survey));
    open.insert(identity, Arc::downgrade(&engine));
    Ok(engine)
}
