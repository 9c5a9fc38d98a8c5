//! The engine's own files of a root: the redo log and the marks, which are kept open, and the
//! lock, which is opened whenever it is taken.
//!
//! A process that has a root open and knows that its marks hold keeps them locked, shared
//! with all others of that kind. One that opens the root and finds no other believes no
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
    disk::{Disk, During as _, FileError, FileId, OpenFile, existing_is_fine, optional},
    journal::Journal,
    marks::{Found, Marks},
    path::{FRAMES, INDEX, LOCK, OLD_JOURNAL, PROGRESS, STORE},
};

/// The redo log and the marks of a root.
#[derive(Debug)]
pub(super) struct Files {
    /// The folder that they are in, and with it the tree: another may get its name meanwhile.
    pub(super) disk: Arc<dyn Disk>,
    pub(super) journal: Journal,
    /// Not there before there are marks.
    progress: OnceLock<Progress>,
    /// How many folders were made for the root itself.
    made: usize,
    /// This is one of those who keep the marks locked.
    joined: AtomicBool,
    /// A release before 0.2 left a redo log beside this one, which was not taken in yet.
    pub(super) has_old_log: AtomicBool,
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
        if let Some(stat) = optional(disk.stat(path)).during("stat", path)? {
            return Ok(Some((path, stat.id)));
        }
    }
    Ok(None)
}

/// Whether there is a redo log of a release before 0.2, by a look at its name.
fn is_old_log_there(disk: &dyn Disk) -> Result<bool, FileError> {
    let there = optional(disk.stat(OLD_JOURNAL)).during("stat", OLD_JOURNAL)?;
    Ok(there.is_some_and(|stat| stat.is_file))
}

/// Opens the redo log where it is.
pub(super) fn open_log(disk: &dyn Disk) -> Result<Option<Log>, FileError> {
    for path in [FRAMES, OLD_JOURNAL] {
        if let Some(file) = optional(disk.open(path, false)).during("open", path)? {
            return Ok(Some((path, file)));
        }
    }
    Ok(None)
}

/// An open redo log, and its path.
type Log = (&'static str, Box<dyn OpenFile>);

impl Files {
    /// Opens them where they are; `None` where there is no redo log.
    pub(super) fn open(named: &dyn Disk) -> Result<Option<Self>, FileError> {
        let pinned = optional(named.pin()).during("open root", "")?;
        let Some(disk) = pinned else { return Ok(None) };
        let Some((path, log)) = open_log(&*disk)? else { return Ok(None) };
        let has_old_log = path == FRAMES && is_old_log_there(&*disk)?;
        let files = Self::new(disk, log, 0);
        files.has_old_log.store(has_old_log, Ordering::Relaxed);
        files.progress(false)?;
        Ok(Some(files))
    }

    /// Opens them, making what is missing.
    pub(super) fn create(named: &dyn Disk) -> Result<Self, FileError> {
        let made = named.create_root().during("create root", "")?;
        let disk = named.pin().during("open root", "")?;
        existing_is_fine(disk.create_dir(STORE)).during("create", STORE)?;
        let log = match open_log(&*disk)? {
            Some((_, log)) => log,
            None => disk.open(FRAMES, true).during("open", FRAMES)?,
        };
        let files = Self::new(disk, log, made);
        files.progress(true)?;
        Ok(files)
    }

    fn new(disk: Arc<dyn Disk>, log: Box<dyn OpenFile>, made: usize) -> Self {
        let (progress, joined) = (OnceLock::new(), AtomicBool::new(false));
        let has_old_log = AtomicBool::new(false);
        Self { disk, journal: Journal::new(log), progress, made, joined, has_old_log }
    }

    /// The marks' file; with `create`, made where it is missing.
    fn progress(&self, create: bool) -> Result<Option<&Progress>, FileError> {
        if let Some(progress) = self.progress.get() {
            return Ok(Some(progress));
        }
        let file = optional(self.disk.open(PROGRESS, create)).during("open", PROGRESS)?;
        Ok(file.map(|file| self.progress.get_or_init(|| Progress::new(&*self.disk, file))))
    }

    /// The marks, if they are those of this run of the machine.
    pub(super) fn read_marks(&self) -> Result<Option<Found>, FileError> {
        let progress = self.progress(false)?;
        progress.map_or(Ok(None), |progress| Marks::read(&*progress.file, self.disk.boot()))
    }

    /// As [`Files::read_marks`], without waiting.
    pub(super) fn read_marks_now(&self) -> Option<Found> {
        let file = &*self.progress.get()?.file;
        if file.reads_now() { Marks::read_now(file, self.disk.boot()) } else { None }
    }

    /// Writes the marks; the caller has the lock.
    pub(super) fn write_marks(&self, marks: Marks) -> Result<(), FileError> {
        let progress = self.progress(true)?;
        progress.map_or(Ok(()), |progress| marks.write(&*progress.file, self.disk.boot()))
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
    pub(super) fn join(&self) {
        let Some(progress) = self.progress.get() else { return };
        if progress.in_company || self.disk.boot() == 0 || self.joined.load(Ordering::Relaxed) {
            return;
        }
        if progress.file.try_lock_shared().unwrap_or(false) {
            self.joined.store(true, Ordering::Relaxed);
        }
    }

    /// Takes them back, made for transactions that then had nothing to write, with what
    /// was made for the root itself; the caller has the lock.
    pub(super) fn remove(&self, named: &dyn Disk) {
        for file in [INDEX, FRAMES, PROGRESS, LOCK] {
            let _ = self.disk.remove_file(file);
        }
        let _ = self.disk.remove_dir(STORE);
        named.remove_root(self.made);
    }

    /// Whether these are still the root's files: it was not removed or replaced.
    ///
    /// # Errors
    /// [`FileError`] when that cannot be found out.
    pub(super) fn are_current(&self, named: &dyn Disk) -> Result<bool, FileError> {
        Ok(log_there(named)?.is_some_and(|(_, id)| id == self.journal.id()))
    }

    /// Waits for the root's lock, off the threads that others need; `None` where these are
    /// no longer the root's files.
    pub(super) fn acquire(self: Arc<Self>, named: &dyn Disk) -> Result<Option<Locked>, FileError> {
        let Some(lock) = open_lock(&*self.disk)? else { return Ok(None) };
        if !mutant!(LockSkipped) && !lock.try_lock().during("lock", LOCK)? {
            blocking(|| lock.lock()).during("lock", LOCK)?;
        }
        Locked { files: self, lock }.if_current(named)
    }

    /// Takes the root's lock if it is free, and these are still the root's files.
    pub(super) fn try_acquire(
        self: Arc<Self>,
        named: &dyn Disk,
    ) -> Result<Option<Locked>, FileError> {
        let Some(lock) = open_lock(&*self.disk)? else { return Ok(None) };
        match lock.try_lock().during("lock", LOCK)? {
            true => Locked { files: self, lock }.if_current(named),
            false => Ok(None),
        }
    }
}

/// Opens the lock; `None` where the root's own folder is gone.
fn open_lock(disk: &dyn Disk) -> Result<Option<Box<dyn OpenFile>>, FileError> {
    match optional(disk.open(LOCK, false)).during("open", LOCK)? {
        Some(lock) => Ok(Some(lock)),
        None => optional(disk.open(LOCK, true)).during("open", LOCK),
    }
}

/// The files of a root whose lock is held, until this is dropped.
#[derive(Debug)]
pub(super) struct Locked {
    files: Arc<Files>,
    lock: Box<dyn OpenFile>,
}

impl Locked {
    /// The files themselves, for use while this holds the lock.
    pub(super) fn shared(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// They may have been removed, and made anew by others, while the lock was waited for.
    fn if_current(self, named: &dyn Disk) -> Result<Option<Self>, FileError> {
        let stat = optional(self.files.disk.stat(LOCK)).during("stat", LOCK)?;
        let is_it = stat.is_some_and(|stat| stat.id == self.lock.id());
        Ok((is_it && self.files.are_current(named)?).then_some(self))
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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::{fs, path::Path, sync::atomic::AtomicBool};

    use super::*;
    use crate::engine::{Engine, Op, Plan, RelPath, View, disk::RealDisk, tests::transact};

    fn engine(root: &Path) -> Arc<Engine> {
        Arc::new(Engine::new(Arc::new(RealDisk::new(root)), |_, _, _| Ok(Vec::new())))
    }

    fn put(path: &'static str, text: &str) -> Plan<()> {
        let bytes = text.as_bytes().to_vec();
        Plan { ops: vec![Op::Put { path: RelPath::of(path), bytes }], answer: () }
    }

    /// Two roots in a folder, each with two records that say which it is.
    fn roots() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            let engine = engine(&dir.path().join(name));
            for record in ["one", "two"] {
                transact(&engine, move |_| Ok::<_, FileError>(put(record, name))).unwrap();
            }
            engine.settle().unwrap();
        }
        dir
    }

    fn swap(dir: &Path) {
        for (from, to) in [("a", "away"), ("b", "a"), ("away", "b")] {
            fs::rename(dir.join(from), dir.join(to)).unwrap();
        }
    }

    #[test]
    fn a_batch_ends_in_the_folder_that_it_began_in() {
        let dir = roots();
        let writer = engine(&dir.path().join("a"));
        let path = dir.path().to_owned();
        transact(&writer, move |_| {
            swap(&path);
            Ok::<_, FileError>(put("one", "written"))
        })
        .unwrap();
        let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
        assert_eq!((read("b/one").as_str(), read("a/one").as_str()), ("written", "b"));
        // The next is one of the root that has the name now.
        transact(&writer, |_| Ok::<_, FileError>(put("two", "written"))).unwrap();
        assert_eq!((read("b/two").as_str(), read("a/two").as_str()), ("a", "written"));
        for name in ["a", "b"] {
            let later = engine(&dir.path().join(name));
            let one = later.read(|view| view.read(&RelPath::of("one"))).unwrap();
            assert_eq!(one.as_deref(), Some(read(&format!("{name}/one")).as_bytes()));
        }
    }

    #[test]
    fn a_read_is_of_one_root() {
        let dir = roots();
        let reader = engine(&dir.path().join("a"));
        let swapped = AtomicBool::new(false);
        let records = |view: &View<'_>| {
            let one = view.read(&RelPath::of("one"))?;
            if !swapped.swap(true, Ordering::Relaxed) {
                swap(dir.path());
                // Another thread notices.
                let _ = reader.files(false)?;
            }
            Ok::<_, FileError>((one, view.read(&RelPath::of("two"))?))
        };
        let b = || Some(b"b".to_vec());
        assert_eq!(reader.read(records).unwrap(), (b(), b()), "it is read again");
        swapped.store(false, Ordering::Relaxed);
        let a = || Some(b"a".to_vec());
        assert_eq!(reader.read_consistently(records).unwrap(), (a(), a()));
    }
}
