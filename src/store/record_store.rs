//! A store that can offer its records to a closure.

use std::{future::Future, path::Path};

use super::{Records, RecordsMut};
use crate::{error::Result, timestamp::Timestamp};

/// V8's longest string: what is longer was never one list in JavaScript.
pub(super) const MAX_LIST_BYTES: u64 = 0x1fff_ffe8;

/// A native store: everything else of the contract follows from these. Clones are the
/// same store.
pub trait RecordStore: Clone + Send + Sync + 'static {
    /// The longest log that is answered as one list, in bytes.
    fn max_list_bytes(&self) -> u64 {
        MAX_LIST_BYTES
    }

    /// The directory that the records are in, where they are files.
    fn root(&self) -> Option<&Path> {
        None
    }

    /// Runs `read` over the current records.
    ///
    /// # Errors
    /// What `read` answers, or when the store cannot be read at all.
    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T>;

    /// As [`RecordStore::read`], where every record is of the same instant; `read` may
    /// run more than once.
    ///
    /// # Errors
    /// What `read` answers, or when the store cannot be read at all.
    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T>;

    /// Runs `change` alone: all that it puts and removes happens, or nothing. Changes
    /// that are asked for one after the other happen in that order, whenever their
    /// futures are awaited.
    ///
    /// # Errors
    /// What `change` answers, or when the store cannot be written.
    fn write<T, C>(
        &self,
        change: C,
    ) -> impl Future<Output = Result<T>> + Send + 'static + use<Self, T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static;

    /// As [`RecordStore::write`], of a change that rests on which edges there are, or makes
    /// any: where other programs may have changed them, that is looked for first.
    ///
    /// # Errors
    /// What `change` answers, or when the store cannot be read or written.
    fn write_linked<T, C>(
        &self,
        change: C,
    ) -> impl Future<Output = Result<T>> + Send + 'static + use<Self, T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        self.write(change)
    }

    /// The same store for one call that starts now, and goes on if the store is closed
    /// before it is done.
    ///
    /// # Errors
    /// [`Error::StoreClosed`](crate::Error::StoreClosed).
    fn admit(&self) -> Result<Self>;

    /// The same store, whose changes survive a power cut once they are answered, whatever it
    /// promises otherwise: what is done outside its records relies on them.
    #[must_use]
    fn lasting(&self) -> Self {
        self.clone()
    }

    /// The time that changes are stamped with.
    fn now(&self) -> Timestamp;
}
