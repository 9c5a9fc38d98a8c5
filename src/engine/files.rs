//! The engine's own files of a root, kept open: the lock with its marks, the journal.

use std::{ops::Deref, sync::Arc};

use super::{
    disk::{Disk, During as _, FileError, OpenFile, absent_as_none, existing_is_fine},
    journal::Journal,
    path::{INDEX, JOURNAL, LOCK, STORE},
};

/// The lock file and the journal of a root.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) lock: Box<dyn OpenFile>,
    pub(super) journal: Journal,
    /// How many folders were made for the root itself.
    made: usize,
}

impl Files {
    /// Opens them where they are; `None` where they are not.
    pub(super) fn open(disk: &dyn Disk) -> Result<Option<Self>, FileError> {
        let Some(lock) = absent_as_none(disk.open(LOCK, false)).during("open", LOCK)? else {
            return Ok(None);
        };
        let journal = absent_as_none(disk.open(JOURNAL, false)).during("open", JOURNAL)?;
        Ok(journal.map(|journal| Self { lock, journal: Journal::new(journal), made: 0 }))
    }

    /// Opens them, making what is missing.
    pub(super) fn create(disk: &dyn Disk) -> Result<Self, FileError> {
        let made = disk.create_root().during("create root", "")?;
        existing_is_fine(disk.create_dir(STORE)).during("create", STORE)?;
        let lock = disk.open(LOCK, true).during("open", LOCK)?;
        let journal = Journal::new(disk.open(JOURNAL, true).during("open", JOURNAL)?);
        Ok(Self { lock, journal, made })
    }

    /// Takes them back, made for transactions that then had nothing to write, with what
    /// was made for the root itself; the caller has the lock.
    pub(super) fn remove(&self, disk: &dyn Disk) {
        for file in [INDEX, JOURNAL, LOCK] {
            let _ = disk.remove_file(file);
        }
        let _ = disk.remove_dir(STORE);
        disk.remove_root(self.made);
    }

    /// Whether these are still the root's files: it was not removed or replaced.
    pub(super) fn are_current(&self, disk: &dyn Disk) -> bool {
        disk.stat(LOCK).is_ok_and(|stat| stat.id == self.lock.id())
    }

    /// Waits for the root's lock, off the threads that others need.
    pub(super) fn acquire(self: Arc<Self>) -> Result<Locked, FileError> {
        if mutant!(LockSkipped) {
            return Ok(Locked(self));
        }
        if !self.lock.try_lock().during("lock", LOCK)? {
            blocking(|| self.lock.lock()).during("lock", LOCK)?;
        }
        Ok(Locked(self))
    }

    /// Takes the root's lock if nobody has it.
    pub(super) fn try_acquire(self: Arc<Self>) -> Result<Option<Locked>, FileError> {
        let free = self.lock.try_lock().during("lock", LOCK)?;
        Ok(free.then(|| Locked(self)))
    }
}

/// The files of a root whose lock is held, until this is dropped.
#[derive(Debug)]
pub(super) struct Locked(Arc<Files>);

impl Deref for Locked {
    type Target = Files;

    fn deref(&self) -> &Files {
        &self.0
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.lock.unlock(); // closing the file would do as well
    }
}

/// Runs what may wait for long without keeping a runtime's worker from other work.
pub(super) fn blocking<T>(wait: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(wait)
        }
        _ => wait(),
    }
}
