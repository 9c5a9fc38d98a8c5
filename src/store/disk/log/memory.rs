//! What a store remembers of the logs that it read: an outline of each, and where
//! the messages at the ends of the last pages are. All of it is checked against the
//! log before it is believed, and forgotten without harm.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, PoisonError},
};

use super::outline::Outline;
use crate::{
    engine::{FileId, RelPath},
    error::Result,
    id::MessageId,
    store::selection::Position,
    sync::{Mutex, MutexGuard},
};

/// How many logs are remembered.
const LOGS: usize = 256;
/// How many places of each.
const BOOKMARKS: usize = 32;

/// Where a message was found.
#[derive(Debug, Clone)]
pub(super) struct Bookmark {
    pub(super) id: MessageId,
    pub(super) at: Position,
    /// In which file.
    pub(super) file: Option<FileId>,
    /// How long the log was, in whole lines, when a reader saw the message there.
    pub(super) known: u64,
}

#[derive(Debug, Default)]
pub(in crate::store::disk) struct LogMemory {
    logs: Mutex<Logs>,
}

#[derive(Debug, Default)]
struct Logs {
    remembered: HashMap<RelPath, Entry>,
    /// Counts the uses.
    clock: u64,
}

#[derive(Debug, Default)]
struct Entry {
    log: Arc<Mutex<Remembered>>,
    used: u64,
}

#[derive(Debug, Default)]
struct Remembered {
    outline: Outline,
    bookmarks: VecDeque<Bookmark>,
}

impl LogMemory {
    /// Forgets everything: the root is another one.
    pub(in crate::store::disk) fn clear(&self) {
        lock(&self.logs).remembered.clear();
    }

    /// Runs `use_it` with the outline of a log.
    pub(super) fn with_outline<T>(
        &self,
        path: &RelPath,
        use_it: impl FnOnce(&mut Outline) -> Result<T>,
    ) -> Result<T> {
        let log = self.log(path);
        use_it(&mut lock(&log).outline)
    }

    pub(super) fn bookmark(&self, path: &RelPath, bookmark: Bookmark) {
        let log = self.log(path);
        let bookmarks = &mut lock(&log).bookmarks;
        bookmarks.retain(|old| old.id != bookmark.id);
        bookmarks.push_front(bookmark);
        bookmarks.truncate(BOOKMARKS);
    }

    pub(super) fn find(&self, path: &RelPath, id: &MessageId) -> Option<Bookmark> {
        let log = self.log(path);
        let log = lock(&log);
        log.bookmarks.iter().find(|bookmark| bookmark.id == *id).cloned()
    }

    fn log(&self, path: &RelPath) -> Arc<Mutex<Remembered>> {
        let logs = &mut *lock(&self.logs);
        logs.clock += 1;
        if logs.remembered.len() >= LOGS && !logs.remembered.contains_key(path) {
            let oldest = logs.remembered.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
                logs.remembered.remove(&oldest);
            }
        }
        let entry = logs.remembered.entry(path.clone()).or_default();
        entry.used = logs.clock;
        Arc::clone(&entry.log)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
