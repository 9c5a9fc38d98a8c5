//! The lock that one migration of a root holds.
//!
//! It is a file, as in the original, so that the two respect each other: who makes it
//! has it. Ours also says who has it, and is held by the system's advisory lock for as
//! long as its owner lives, which is what tells a live owner from a dead one even where
//! process numbers do not (containers that share a root).
//!
//! It appears with all that it says, under a name of its own first. It is taken over
//! under the advisory lock of the one that was left, by a rename over it, so that of any
//! number of processes that find it left, one gets it.
//!
//! One that cannot be removed when it is given back says from then on that it is left, and
//! one that this process does not know to have is left whatever it says.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::UNIX_EPOCH,
};

use super::layout::PART;
use crate::{
    fs::{Access, Folder},
    id::generate,
    json::{Fields, ObjectWriter, date, indented, whole_number},
    process::Process,
    timestamp::Timestamp,
};

/// A lock that does not say who has it is left when it is older than this, in
/// milliseconds.
const LEFT_AFTER: i64 = 10 * 60 * 1000;
/// How often a lock is looked at anew that changed while it was.
const ATTEMPTS: usize = 64;

/// What a lock says that was given back, to every release: since when, long ago.
const GIVEN_BACK: &str = r#"{"at":"1970-01-01T00:00:00.000Z"}"#;

/// What the locks say that this process has, or is about to take.
static TAKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn taken() -> MutexGuard<'static, BTreeSet<String>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a lock of this process says, known as long as it is one.
#[derive(Debug)]
struct Text(String);

impl Text {
    fn new(text: String) -> Self {
        taken().insert(text.clone());
        Self(text)
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        taken().remove(&self.0);
    }
}

/// A lock that is held; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    text: Text,
    /// Keeps the advisory lock.
    file: Option<File>,
    kept: bool,
}

impl Lock {
    /// Takes the lock; one that is held is an error of the kind
    /// `AlreadyExists`.
    pub(super) fn acquire(path: &Path, owner: &Process, now: Timestamp) -> io::Result<Self> {
        let text = Text::new(says(owner, now));
        for _ in 0..ATTEMPTS {
            if let Some(mut placed) = attempt(path, &text.0, now)? {
                let (path, file) = (path.to_owned(), placed.file.take());
                return Ok(Self { path, text, file, kept: false });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Gives the lock back. It is another process's if it was taken over meanwhile.
    pub(super) fn release(mut self) -> io::Result<()> {
        self.kept = true;
        self.give_back()
    }

    /// Lets go of the file handle and leaves the file, as a process does that dies.
    #[cfg(test)]
    pub(super) fn abandon(mut self) {
        self.kept = true;
    }

    /// Removes its file. What fails for a moment is tried again; where it fails for longer,
    /// the next one takes the lock over, also while this process lives.
    fn give_back(&self) -> io::Result<()> {
        let removed = self.remove().or_else(|_| self.remove());
        if let (Err(_), Some(file)) = (&removed, &self.file) {
            disown(file, self.text.0.len());
        }
        removed
    }

    fn remove(&self) -> io::Result<()> {
        match read_file(&self.path) {
            Ok(found) if found == self.text.0.as_bytes() => remove(&self.path),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Lets a lock of this length say that it was given back: in place, by one write, through the
/// handle that was open before something failed. If that fails as well, this process still
/// knows that it does not have it, and every other once this one has ended.
fn disown(mut file: &File, len: usize) {
    let says = format!("{GIVEN_BACK:len$}");
    let _ = file.rewind().and_then(|()| file.write_all(says.as_bytes()));
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !self.kept {
            let _ = self.give_back(); // or the next one takes it over
        }
    }
}

/// Removes a lock; fine where there is none.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Takes the lock if it is free or left; `None` when it changed meanwhile.
fn attempt(path: &Path, text: &str, now: Timestamp) -> io::Result<Option<Beside>> {
    let left = match open(path, Access::Read) {
        Ok(file) => Some(left(path, file, now)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut beside = Beside::write(path, text)?;
    let taken = match &left {
        None => beside.place(path),
        Some(Left::Gone) => return Ok(None),
        // Under the lock of the one that is replaced: no other process replaces it.
        Some(Left::Locked(_)) => fs::rename(&beside.path, path),
    };
    match taken {
        Ok(()) => Ok(Some(beside)),
        // Another process was quicker: it is looked at anew.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What became of a lock that its owner left.
enum Left {
    /// It is locked by this handle.
    Locked(#[expect(dead_code, reason = "held, not used")] File),
    /// Another process took or removed it.
    Gone,
}

/// Whether a lock was left by its owner; an error of the kind `AlreadyExists` when not.
fn left(path: &Path, mut file: File, now: Timestamp) -> io::Result<Left> {
    if !lock_handle(&file)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut says = Vec::new();
    file.read_to_end(&mut says)?;
    match read_file(path) {
        Ok(found) if found == says => {}
        Ok(_) => return Ok(Left::Gone),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Left::Gone),
        Err(error) => return Err(error),
    }
    if is_left(&says, &file, now)? {
        Ok(Left::Locked(file))
    } else {
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Takes the advisory lock of a handle, unless another handle has it. Where the file
/// system or the platform knows none that leaves the file readable, it is free.
fn lock_handle(file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    return match file.try_lock() {
        Ok(()) => Ok(true),
        Err(fs::TryLockError::WouldBlock) => Ok(false),
        Err(fs::TryLockError::Error(error)) if is_unsupported(&error) => Ok(true),
        Err(fs::TryLockError::Error(error)) => Err(error),
    };
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(true)
    }
}

#[cfg(unix)]
fn is_unsupported(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || matches!(error.raw_os_error(), Some(libc::ENOLCK | libc::ENOTSUP | libc::ENOSYS))
}

/// What a lock says: since when, and whose it is.
fn says(owner: &Process, now: Timestamp) -> String {
    let mut json = ObjectWriter::new();
    json.string("at", &now.to_string()).raw("owner", &owner.to_json());
    // Tells this lock from every other, also of the same owner and moment.
    json.string("nonce", &generate(""));
    indented(&json.finish())
}

/// Whether a lock was left, by what it says; by its file's age where it says nothing.
fn is_left(says: &[u8], file: &File, now: Timestamp) -> io::Result<bool> {
    let text = std::str::from_utf8(says).ok();
    let fields = text.and_then(|text| Fields::parse(text).ok());
    let owner = fields.as_ref().and_then(|fields| fields.get("owner"));
    if let Some(owner) = owner.and_then(|owner| Process::parse(owner.get()).ok()) {
        // This process could not remove it when it gave it back.
        let given_back = || owner.is_this() && !text.is_some_and(|text| taken().contains(text));
        return Ok(!owner.may_run() || given_back());
    }
    let at = fields.as_ref().and_then(|fields| fields.get("at")).and_then(|at| {
        let millis = || Timestamp::from_millis(i64::try_from(whole_number(at.get())?).ok()?);
        date(at.get()).or_else(millis)
    });
    let since = match at {
        Some(at) => Some(at.as_millis()),
        None => modified(file)?,
    };
    Ok(since.is_some_and(|since| now.as_millis() - since > LEFT_AFTER))
}

/// When a file was written, where the platform knows.
fn modified(file: &File) -> io::Result<Option<i64>> {
    let modified = file.metadata()?.modified().ok();
    let since = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    Ok(since.and_then(|since| i64::try_from(since.as_millis()).ok()))
}

/// A lock's file before it has its name: whole, and locked.
struct Beside {
    path: PathBuf,
    file: Option<File>,
}

impl Beside {
    fn write(lock: &Path, text: &str) -> io::Result<Self> {
        let name = lock.file_name().unwrap_or_default().to_string_lossy();
        let path = lock.with_file_name(format!("{name}.{}.{PART}", generate("")));
        let mut file = open(&path, Access::CreateNew)?;
        let mut beside = Self { path, file: None }; // removed if the rest fails
        file.write_all(text.as_bytes())?;
        lock_handle(&file)?;
        beside.file = Some(file);
        Ok(beside)
    }

    /// Gives it its name, unless there is a file of that name.
    fn place(&mut self, lock: &Path) -> io::Result<()> {
        match fs::hard_link(&self.path, lock) {
            // Without hard links, it appears first and is filled then.
            Err(error) if has_no_links(&error) => {
                let mut file = open(lock, Access::CreateNew)?;
                if let Err(error) = fill(&mut file, &self.path) {
                    if remove(lock).or_else(|_| remove(lock)).is_err() {
                        disown(&file, 0);
                    }
                    return Err(error);
                }
                self.file = Some(file);
                Ok(())
            }
            linked => linked,
        }
    }
}

fn fill(lock: &mut File, from: &Path) -> io::Result<()> {
    lock_handle(lock)?;
    io::copy(&mut File::open(from)?, lock)?;
    Ok(())
}

fn has_no_links(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), PermissionDenied | Unsupported)
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path); // it has its name, or is not needed
    }
}

/// Opens a file of the folder of locks, which may be called something else too.
fn open(path: &Path, access: Access) -> io::Result<File> {
    let folder = Folder::find(path.parent().unwrap_or(Path::new("")))?;
    Ok(folder.open_linked(Path::new(path.file_name().unwrap_or_default()), access)?.0)
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, Access::Read)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-05-06T07:08:09.010Z").unwrap()
    }

    #[cfg(target_os = "linux")]
    fn gone() -> Process {
        Process { start_time: "1".to_owned(), copy: "gone".to_owned(), ..Process::this().clone() }
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v0.2.0.tmp");
        (folder, path)
    }

    #[track_caller]
    fn held(path: &Path) {
        let error = Lock::acquire(path, Process::this(), now()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_lock_is_held_once_and_given_back() {
        let (folder, path) = place();
        let lock = Lock::acquire(&path, Process::this(), now()).unwrap();
        held(&path);
        assert_eq!(names(&folder), ["v0.2.0.tmp"]);
        assert!(fs::read_to_string(&path).unwrap().contains("2026-05-06T07:08:09.010Z"));
        lock.release().unwrap();
        assert!(names(&folder).is_empty());
        drop(Lock::acquire(&path, Process::this(), now()).unwrap());
        assert!(names(&folder).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_is_taken_over_when_its_owner_is_gone_and_its_handle_closed() {
        let (_folder, path) = place();
        let lock = Lock::acquire(&path, &gone(), now()).unwrap();
        // Another process of that number seems to be gone, but the handle says no.
        held(&path);
        lock.abandon();
        let taken = Lock::acquire(&path, Process::this(), now()).unwrap();
        held(&path);
        taken.release().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_cannot_be_removed_is_taken_over_when_it_was_given_back() {
        let (folder, path) = place();
        let aside = folder.path().join("aside");
        let lock = Lock::acquire(&path, Process::this(), now()).unwrap();
        // Whatever is there now can neither be read nor removed as a file.
        fs::rename(&path, &aside).unwrap();
        fs::create_dir(&path).unwrap();
        lock.release().unwrap_err();
        fs::remove_dir(&path).unwrap();
        // It says so itself, as others must know while this process lives.
        let says = fs::read_to_string(&aside).unwrap();
        assert_eq!(says.trim_end(), GIVEN_BACK);
        fs::rename(&aside, &path).unwrap();
        Lock::acquire(&path, Process::this(), now()).unwrap().release().unwrap();
        assert!(names(&folder).is_empty());
    }

    #[test]
    fn a_lock_that_this_process_does_not_know_to_have_is_taken_over() {
        let (folder, path) = place();
        let lock = Lock::acquire(&path, Process::this(), now()).unwrap();
        let says = fs::read(&path).unwrap();
        held(&path);
        lock.release().unwrap();
        fs::write(&path, says).unwrap();
        Lock::acquire(&path, Process::this(), now()).unwrap().release().unwrap();
        assert!(names(&folder).is_empty());
    }

    #[test]
    fn a_lock_that_was_taken_over_is_not_given_back() {
        let (_folder, path) = place();
        let lock = Lock::acquire(&path, Process::this(), now()).unwrap();
        fs::write(&path, "another's").unwrap();
        lock.release().unwrap();
        assert!(path.exists());
    }

    #[test]
    fn a_lock_without_an_owner_is_taken_over_after_ten_minutes() {
        let (_folder, path) = place();
        for (says, free) in [
            (r#"{"at":"2026-05-06T07:08:00.000Z"}"#, false),
            (r#"{"at":"2026-05-06T06:58:09.010Z"}"#, false),
            (r#"{"at":"2026-05-06T06:58:09.009Z"}"#, true),
            (r#"{"at":1700000000000}"#, true),
            (r#"{"at":"2030-01-01T00:00:00.000Z"}"#, false),
        ] {
            fs::write(&path, says).unwrap();
            match Lock::acquire(&path, Process::this(), now()) {
                Ok(lock) => assert!(lock.release().is_ok() && free, "{says}"),
                Err(error) => {
                    assert!(error.kind() == io::ErrorKind::AlreadyExists && !free, "{says}");
                }
            }
        }
    }

    #[test]
    fn a_lock_that_says_nothing_counts_from_when_it_was_written() {
        let (_folder, path) = place();
        for says in ["", "{", "[]", "\u{0}", r#"{"at":true}"#, r#"{"owner":{}}"#] {
            fs::write(&path, says).unwrap();
            let written = Timestamp::now().as_millis();
            let at = |millis| Timestamp::from_millis(millis).unwrap();
            let early = Lock::acquire(&path, Process::this(), at(written + LEFT_AFTER - 5_000));
            assert!(early.is_err(), "{says}");
            let late = Lock::acquire(&path, Process::this(), at(written + LEFT_AFTER + 5_000));
            late.unwrap().release().unwrap();
        }
    }

    #[test]
    fn of_many_that_find_a_lock_left_one_gets_it() {
        for _ in 0..50 {
            let (folder, path) = place();
            fs::write(&path, r#"{"at":"2020-01-01T00:00:00.000Z"}"#).unwrap();
            let start = std::sync::Barrier::new(8);
            let taken: Vec<_> = std::thread::scope(|scope| {
                let take = || {
                    start.wait();
                    Lock::acquire(&path, Process::this(), now()).ok()
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
                threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(taken.len(), 1);
            assert_eq!(names(&folder), ["v0.2.0.tmp"]);
        }
    }
}
