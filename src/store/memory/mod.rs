//! A store that keeps everything in this process's memory.

mod log;
mod tables;

use std::{
    future::{Future, ready},
    sync::{Mutex, MutexGuard, PoisonError},
};

use self::tables::Tables;
use super::{RecordStore, Records, RecordsMut};
use crate::error::Result;

/// Keeps its records in memory, for tests and for agents that need nothing to last.
///
/// Every method of [`SessionStore`](super::SessionStore) is done when it is called;
/// the future that it answers is ready.
#[derive(Debug, Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A mutation checks before it changes, so one that panicked changed nothing.
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordStore for MemoryStore {
    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        read(&*self.tables())
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.read(read)
    }

    fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        ready(change(&mut *self.tables()))
    }
}
