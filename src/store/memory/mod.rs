//! A store that keeps everything in this process's memory.

mod edges;
mod log;
mod tables;

use std::{
    collections::HashMap,
    future::{Future, ready},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::tables::Tables;
use super::{RecordStore, Records, RecordsMut};
use crate::{
    error::{Error, Result},
    timestamp::Timestamp,
};

/// What is known of records by their own ids. The core draws these at random, so no
/// caller can choose many that share a hash, and it need not be a costly one.
type IdMap<I, T> = HashMap<I, T, rustc_hash::FxBuildHasher>;

/// What a call of a store that was closed is answered.
const CLOSED: Error = Error::StoreClosed { place: None };

/// Keeps its records in memory, for tests and for agents that need nothing to last.
///
/// Every method of [`SessionStore`](super::SessionStore) is done when it is called;
/// the future that it answers is ready. Clones are the same store.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    tables: Arc<Mutex<Option<Tables>>>,
    clock: Option<Timestamp>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { tables: Arc::new(Mutex::new(Some(Tables::default()))), clock: None }
    }

    /// Drops all records; later calls answer [`Error::StoreClosed`]. Closing again does
    /// nothing.
    pub fn close(&self) {
        drop(self.tables().take());
    }

    /// The same store, whose changes are stamped with a time of the caller's.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Self {
        Self { clock: Some(time), ..self.clone() }
    }

    /// A mutation checks before it changes, so one that panicked changed nothing.
    fn tables(&self) -> MutexGuard<'_, Option<Tables>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecordStore for MemoryStore {
    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        read(self.tables().as_ref().ok_or(CLOSED)?)
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.read(read)
    }

    fn write<T, C>(&self, change: C) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        let mut tables = self.tables();
        ready(tables.as_mut().ok_or(CLOSED).and_then(|tables| change(tables)))
    }

    fn admit(&self) -> Result<Self> {
        match *self.tables() {
            Some(_) => Ok(self.clone()),
            None => Err(CLOSED),
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.unwrap_or_else(Timestamp::now)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}
