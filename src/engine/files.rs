//! The engine's own files of a root, kept open: the lock with its marks, the journal.
//!
//! Whoever has a root open and knows that its marks hold keeps the journal locked, shared
//! with all others of that kind. Who opens the root and finds nobody there believes no
//! marks: the disk may have been away, or what wrote them may have been cut off from it,
//! while the system went on and kept its boot id.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

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
    /// Others have the root open, and know that its marks hold.
    in_company: bool,
    /// This is one of those who keep the journal locked.
    joined: AtomicBool,
}

impl Files {
    /// Opens them where they are; `None` where they are not.
    pub(super) fn open(disk: &dyn Disk) -> Result<Option<Self>, FileError> {
        let Some(lock) = absent_as_none(disk.open(LOCK, false)).during("open", LOCK)? else {
            return Ok(None);
        };
        let journal = absent_as_none(disk.open(JOURNAL, false)).during("open", JOURNAL)?;
        Ok(journal.map(|journal| Self::new(disk, lock, journal, 0)))
    }

    /// Opens them, making what is missing.
    pub(super) fn create(disk: &dyn Disk) -> Result<Self, FileError> {
        let made = disk.create_root().during("create root", "")?;
        existing_is_fine(disk.create_dir(STORE)).during("create", STORE)?;
        let lock = disk.open(LOCK, true).during("open", LOCK)?;
        let journal = disk.open(JOURNAL, true).during("open", JOURNAL)?;
        Ok(Self::new(disk, lock, journal, made))
    }

    fn new(
        disk: &dyn Disk,
        lock: Box<dyn OpenFile>,
        journal: Box<dyn OpenFile>,
        made: usize,
    ) -> Self {
        // Where the system does not tell its runs apart, no company helps; and where locks
        // keep others from writing, the journal is not to be locked.
        let tells_runs_apart = disk.boot() != 0;
        let in_company = tells_runs_apart
            && journal.try_lock().is_ok_and(|alone| !alone)
            && journal.try_lock_shared().unwrap_or(false);
        let joined = AtomicBool::new(in_company || !tells_runs_apart);
        Self { lock, journal: Journal::new(journal), made, in_company, joined }
    }

    /// Whether the marks hold, by the word of others who have the root open.
    pub(super) fn in_company(&self) -> bool {
        self.in_company
    }

    /// Whether nothing can be written through these handles.
    pub(super) fn are_read_only(&self) -> bool {
        self.lock.is_read_only() || self.journal.is_read_only()
    }

    /// Gives others this one's word that the marks hold.
    pub(super) fn join(&self) {
        if !self.joined.load(Ordering::Relaxed) && self.journal.lock_shared() {
            self.joined.store(true, Ordering::Relaxed);
        }
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
    ///
    /// # Errors
    /// [`FileError`] when that cannot be found out.
    pub(super) fn are_current(&self, disk: &dyn Disk) -> Result<bool, FileError> {
        let found = absent_as_none(disk.stat(LOCK)).during("stat", LOCK)?;
        Ok(found.is_some_and(|stat| stat.id == self.lock.id()))
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

impl Locked {
    /// The files themselves, for whoever uses them while this holds the lock.
    pub(super) fn shared(&self) -> Arc<Files> {
        Arc::clone(&self.0)
    }
}

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
