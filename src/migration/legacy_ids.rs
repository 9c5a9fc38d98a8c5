//! Which ids with a former prefix this process has seen, whatever part of it did: its
//! threads each have JavaScript modules of their own.

use std::{
    collections::HashSet,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

static SEEN: LazyLock<Mutex<HashSet<Box<str>>>> = LazyLock::new(Mutex::default);

fn seen() -> MutexGuard<'static, HashSet<Box<str>>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an id is seen for the first time.
pub fn first_sight_of(id: &str) -> bool {
    seen().insert(id.into())
}

/// Forgets all of them.
pub fn forget_seen() {
    seen().clear();
}
