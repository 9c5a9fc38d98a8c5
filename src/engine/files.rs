//! The engine's own files of a root: the redo log and the marks, which are kept open, and the
//! lock, which is opened whenever it is taken.
//!
//! Whoever has a root open and knows that its marks hold keeps them locked, shared
//! with all others of that kind. Who opens the root and finds nobody there believes no
//! marks: the disk may have been away, or what wrote them may have been cut off from it,
//! while the system went on and kept its boot id.

use std::{
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    disk::{Disk, During as _, FileError, FileId, OpenFile, absent_as_none, existing_is_fine},
    journal::Journal,
    marks::{Found, Marks},
    path::{FRAMES, INDEX, LOCK, OLD_JOURNAL, PROGRESS, STORE},
};

/// The redo log and the marks of a root.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) journal: Journal,
    /// Not there before there are marks.
    progress: OnceLock<Progress>,
    /// How many folders were made for the root itself.
    made: usize,
    /// This is one of those who keep the marks locked.
    joined: AtomicBool,
}

/// The marks' file.
#[derive(Debug)]
struct Progress {
    file: Box<dyn OpenFile>,
    /// Others have the root open, and know that its marks hold.
    in_company: bool,
}

impl Progress {
    fn new(disk: &dyn Disk, file: Box<dyn OpenFile>) -> Self {
        // Where the system does not tell its runs apart, no company helps; and where locks
        // keep others from writing, the marks are not to be locked.
        let in_company = disk.boot() != 0
            && file.try_lock().is_ok_and(|alone| !alone)
            && file.try_lock_shared().unwrap_or(false);
        Self { file, in_company }
    }
}

/// The redo log that a root has: where, and which file it is.
pub(super) fn log_there(disk: &dyn Disk) -> Result<Option<(&'static str, FileId)>, FileError> {
    for path in [FRAMES, OLD_JOURNAL] {
        if let Some(stat) = absent_as_none(disk.stat(path)).during("stat", path)? {
            return Ok(Some((path, stat.id)));
        }
    }
    Ok(None)
}

/// Opens the redo log where it is.
pub(super) fn open_log(disk: &dyn Disk) -> Result<Option<Log>, FileError> {
    for path in [FRAMES, OLD_JOURNAL] {
        if let Some(file) = absent_as_none(disk.open(path, false)).during("open", path)? {
            return Ok(Some((path, file)));
        }
    }
    Ok(None)
}

/// An open redo log, and its path.
type Log = (&'static str, Box<dyn OpenFile>);

impl Files {
    /// Opens them where they are; `None` where there is no redo log.
    pub(super) fn open(disk: &dyn Disk) -> Result<Option<Self>, FileError> {
        let Some((_, log)) = open_log(disk)? else { return Ok(None) };
        let files = Self::new(log, 0);
        files.progress(disk, false)?;
        Ok(Some(files))
    }

    /// Opens them, making what is missing.
    pub(super) fn create(disk: &dyn Disk) -> Result<Self, FileError> {
        let made = disk.create_root().during("create root", "")?;
        existing_is_fine(disk.create_dir(STORE)).during("create", STORE)?;
        let log = match open_log(disk)? {
            Some((_, log)) => log,
            None => disk.open(FRAMES, true).during("open", FRAMES)?,
        };
        let files = Self::new(log, made);
        files.progress(disk, true)?;
        Ok(files)
    }

    fn new(log: Box<dyn OpenFile>, made: usize) -> Self {
        let (progress, joined) = (OnceLock::new(), AtomicBool::new(false));
        Self { journal: Journal::new(log), progress, made, joined }
    }

    /// The marks' file; with `create`, made where it is missing.
    fn progress(&self, disk: &dyn Disk, create: bool) -> Result<Option<&Progress>, FileError> {
        if let Some(progress) = self.progress.get() {
            return Ok(Some(progress));
        }
        let file = absent_as_none(disk.open(PROGRESS, create)).during("open", PROGRESS)?;
        Ok(file.map(|file| self.progress.get_or_init(|| Progress::new(disk, file))))
    }

    /// The marks, if they are those of this run of the machine.
    pub(super) fn read_marks(&self, disk: &dyn Disk) -> Result<Option<Found>, FileError> {
        let progress = self.progress(disk, false)?;
        progress.map_or(Ok(None), |progress| Marks::read(&*progress.file, disk.boot()))
    }

    /// As [`Files::read_marks`], without waiting.
    pub(super) fn read_marks_now(&self, disk: &dyn Disk) -> Option<Found> {
        let file = &*self.progress.get()?.file;
        if file.reads_now() { Marks::read_now(file, disk.boot()) } else { None }
    }

    /// Writes the marks; the caller has the lock.
    pub(super) fn write_marks(&self, disk: &dyn Disk, marks: Marks) -> Result<(), FileError> {
        let progress = self.progress(disk, true)?;
        progress.map_or(Ok(()), |progress| marks.write(&*progress.file, disk.boot()))
    }

    /// Whether the marks hold, by the word of others who have the root open.
    pub(super) fn in_company(&self) -> bool {
        self.progress.get().is_some_and(|progress| progress.in_company)
    }

    /// Whether nothing can be written through these handles.
    pub(super) fn are_read_only(&self) -> bool {
        let marks = self.progress.get().is_some_and(|progress| progress.file.is_read_only());
        marks || self.journal.is_read_only()
    }

    /// Gives others this one's word that the marks hold.
    pub(super) fn join(&self, disk: &dyn Disk) {
        let Some(progress) = self.progress.get() else { return };
        if progress.in_company || disk.boot() == 0 || self.joined.load(Ordering::Relaxed) {
            return;
        }
        if progress.file.try_lock_shared().unwrap_or(false) {
            self.joined.store(true, Ordering::Relaxed);
        }
    }

    /// Takes them back, made for transactions that then had nothing to write, with what
    /// was made for the root itself; the caller has the lock.
    pub(super) fn remove(&self, disk: &dyn Disk) {
        for file in [INDEX, FRAMES, PROGRESS, LOCK] {
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
        Ok(log_there(disk)?.is_some_and(|(_, id)| id == self.journal.id()))
    }

    /// Waits for the root's lock, off the threads that others need; `None` where these are
    /// no longer the root's files.
    pub(super) fn acquire(self: Arc<Self>, disk: &dyn Disk) -> Result<Option<Locked>, FileError> {
        let Some(lock) = open_lock(disk)? else { return Ok(None) };
        if !mutant!(LockSkipped) && !lock.try_lock().during("lock", LOCK)? {
            blocking(|| lock.lock()).during("lock", LOCK)?;
        }
        Locked { files: self, lock }.if_current(disk)
    }

    /// Takes the root's lock if nobody has it, and these are still the root's files.
    pub(super) fn try_acquire(
        self: Arc<Self>,
        disk: &dyn Disk,
    ) -> Result<Option<Locked>, FileError> {
        let Some(lock) = open_lock(disk)? else { return Ok(None) };
        match lock.try_lock().during("lock", LOCK)? {
            true => Locked { files: self, lock }.if_current(disk),
            false => Ok(None),
        }
    }
}

/// Opens the lock; `None` where the root's own folder is gone.
fn open_lock(disk: &dyn Disk) -> Result<Option<Box<dyn OpenFile>>, FileError> {
    match absent_as_none(disk.open(LOCK, false)).during("open", LOCK)? {
        Some(lock) => Ok(Some(lock)),
        None => absent_as_none(disk.open(LOCK, true)).during("open", LOCK),
    }
}

/// The files of a root whose lock is held, until this is dropped.
#[derive(Debug)]
pub(super) struct Locked {
    files: Arc<Files>,
    lock: Box<dyn OpenFile>,
}

impl Locked {
    /// The files themselves, for whoever uses them while this holds the lock.
    pub(super) fn shared(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// They may have been removed, and made anew by others, while the lock was waited for.
    fn if_current(self, disk: &dyn Disk) -> Result<Option<Self>, FileError> {
        let stat = absent_as_none(disk.stat(LOCK)).during("stat", LOCK)?;
        let is_it = stat.is_some_and(|stat| stat.id == self.lock.id());
        Ok((is_it && self.files.are_current(disk)?).then_some(self))
    }
}

impl Deref for Locked {
    type Target = Files;

    fn deref(&self) -> &Files {
        &self.files
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.lock.unlock(); // closing the file would do as well
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
