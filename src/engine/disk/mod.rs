//! Every file operation that the engine makes, as one trait.
//!
//! [`RealDisk`] carries them out; a model of a disk, which knows what was synced and
//! can fail or stop at any operation, stands in for it in tests.

mod boot;
mod real;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code, reason = "the tests use the rest"))]
#[allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "it is of tests alone")]
pub mod simulated;

pub use crate::fs::{FileId, Stat};
pub(crate) use crate::fs::{is_resource_exhausted, optional, optional_regular, would_block};
pub use real::{RealDisk, sync_below};

use std::{collections::BTreeSet, fmt::Debug, io, sync::Arc};

use super::RelPath;
use crate::error::{Error, Outcome};

/// One root directory: paths are relative to it, with `/` between components, and
/// empty for the root itself.
pub trait Disk: Debug + Send + Sync {
    /// The folder that is the root at this moment, whichever gets its name later. Where the
    /// system cannot hold on to a folder, what has its name.
    fn pin(&self) -> io::Result<Arc<dyn Disk>>;

    /// A number that changes when the machine starts anew; 0 where it is not known.
    fn boot(&self) -> u64;

    /// A whole file.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Up to `len` bytes from `offset` on: fewer where the file ends before.
    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>>;

    /// What is known of a file or folder.
    fn stat(&self, path: &str) -> io::Result<Stat>;

    /// What is known of many files and folders below a folder; `None` for those that are not
    /// there. Links on the way to one may be followed: this only tells
    /// what is to be read again.
    fn stats(&self, folder: &str, names: &[String]) -> io::Result<Vec<Option<Stat>>> {
        let stat = |name: &String| optional_regular(self.stat(&format!("{folder}/{name}")));
        names.iter().map(stat).collect()
    }

    /// What the file system's clock says, in nanoseconds, as [`Stat::touched`] tells it.
    fn clock(&self) -> u64;

    /// As [`Disk::read`], of a file no longer than `max`, from what the system has in memory;
    /// [`io::ErrorKind::WouldBlock`] where it may have to be waited for.
    fn read_now(&self, _path: &str, _max: usize) -> io::Result<Vec<u8>> {
        Err(would_block())
    }

    /// As [`Disk::read_at`], from what the system has in memory.
    fn read_at_now(&self, _path: &str, _offset: u64, _len: usize) -> io::Result<Vec<u8>> {
        Err(would_block())
    }

    /// As [`Disk::stat`], from what the system has in memory.
    fn stat_now(&self, _path: &str) -> io::Result<Stat> {
        Err(would_block())
    }

    /// Names of what a folder holds, in no order.
    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.list_some(path, usize::MAX)
    }

    /// As [`Disk::list`], no more than `most` of them: it takes no longer, however many there
    /// are.
    fn list_some(&self, path: &str, most: usize) -> io::Result<Vec<String>>;

    /// Makes one folder, private where the platform has modes.
    fn create_dir(&self, path: &str) -> io::Result<()>;

    /// Makes the root itself where it is missing, with the folders above it, so that
    /// all of them survive a power cut; answers how many folders that were.
    fn create_root(&self) -> io::Result<usize>;

    /// Removes the root and the folders above it again, as many as were made, as far as
    /// they are empty.
    fn remove_root(&self, made: usize);

    /// Makes a file hold exactly `bytes`, private where the platform has modes. Not in
    /// one step: for a name that is not read yet.
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()>;

    /// Makes a file hold `bytes` from `offset` on and nothing after them.
    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Gives a file or folder another name, in one step, in place of a file that has
    /// that name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Removes an empty folder.
    fn remove_dir(&self, path: &str) -> io::Result<()>;

    /// Makes all that the root holds survive a power cut.
    fn sync_all(&self) -> io::Result<()>;

    /// Makes the contents of `files` and the entries of `folders` survive a power cut,
    /// passing over what is gone.
    fn sync(&self, files: &BTreeSet<String>, folders: &BTreeSet<String>) -> io::Result<()>;

    /// Opens a file to keep open, for reading and writing; with `create`, makes it
    /// where it is missing, private where the platform has modes.
    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>>;

    /// Opens a file that is there for several reads of it, whatever gets its name meanwhile.
    fn open_to_read(&self, path: &str) -> io::Result<Box<dyn OpenFile>>;

    /// As [`Disk::open_to_read`], where the system has all of the way in memory.
    fn open_to_read_now(&self, _path: &str) -> io::Result<Box<dyn OpenFile>> {
        Err(would_block())
    }
}

/// A file that is kept open.
pub trait OpenFile: Debug + Send + Sync {
    /// Which file it is.
    fn id(&self) -> FileId;

    /// Whether it was opened for reading alone, as the system refused more.
    fn is_read_only(&self) -> bool;

    /// A number of the mount that it was opened through, never used again within a run of
    /// the machine; 0 where it is not known.
    fn mount(&self) -> u64;

    /// Its length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Up to `len` bytes from `offset` on: fewer where the file ends before.
    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>>;

    /// Whether reads of what the system has in memory, of this file or others beside it, never
    /// wait: not so where another machine or a process is asked whenever a file is opened.
    fn reads_now(&self) -> bool {
        false
    }

    /// As [`OpenFile::read_at`], from what the system has in memory;
    /// [`io::ErrorKind::WouldBlock`] where it may have to be waited for.
    fn read_at_now(&self, _offset: u64, _len: usize) -> io::Result<Vec<u8>> {
        Err(would_block())
    }

    /// Writes all of `bytes` at `offset`.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes sure that the disk has room for the file up to `len`.
    fn allocate(&self, len: u64) -> io::Result<()>;

    /// Cuts the file.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Makes what was written survive a power cut.
    fn sync_data(&self) -> io::Result<()>;

    /// Takes the file's exclusive lock if it is free.
    fn try_lock(&self) -> io::Result<bool>;

    /// Takes the file's shared lock, in place of an exclusive one that this handle has,
    /// if no other handle has the exclusive one.
    fn try_lock_shared(&self) -> io::Result<bool>;

    /// Waits for the file's exclusive lock.
    fn lock(&self) -> io::Result<()>;

    /// Gives its lock back.
    fn unlock(&self) -> io::Result<()>;
}

/// A file operation that failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{op} `{path}`: {source}")]
pub struct FileError {
    /// What was being done.
    pub op: &'static str,
    /// The file or folder, relative to the root; `.` for the root itself.
    pub path: String,
    /// The system's error.
    pub source: Arc<io::Error>,
    /// Whether the transaction took effect that it was part of.
    pub outcome: Outcome,
}

impl FileError {
    /// The same failure of a transaction that took effect, or may have.
    #[must_use]
    pub fn with_outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// A file of the engine's own does not hold what it should.
    pub(super) fn damaged(path: &str, reason: String) -> Self {
        let source = Arc::new(io::Error::new(io::ErrorKind::InvalidData, reason));
        Self { op: "read", path: path.to_owned(), source, outcome: Outcome::NotDone }
    }

    /// Something that cannot be answered without waiting.
    pub(crate) fn waiting() -> Self {
        let source = Arc::new(would_block());
        Self { op: "read", path: ".".to_owned(), source, outcome: Outcome::NotDone }
    }

    /// Whether another program has what is needed.
    pub(super) fn is_busy(&self) -> bool {
        self.source.kind() == io::ErrorKind::ResourceBusy
    }

    /// Whether there was no room.
    pub(super) fn is_for_room(&self) -> bool {
        is_for_room(&self.source)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        if error.source.kind() == io::ErrorKind::InvalidData {
            return Self::corrupt(&error.path, None, error.source.to_string());
        }
        Self::StoreIo {
            place: None,
            op: error.op,
            path: error.path,
            code: crate::error::system_code(&error.source),
            outcome: error.outcome,
        }
    }
}

/// Says what was being done to what when an operation failed.
pub(super) trait During<T> {
    fn during(self, op: &'static str, path: &str) -> Result<T, FileError>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, op: &'static str, path: &str) -> Result<T, FileError> {
        self.map_err(|source| FileError {
            op,
            path: if path.is_empty() { ".".to_owned() } else { path.to_owned() },
            source: Arc::new(source),
            outcome: Outcome::NotDone,
        })
    }
}

/// Whether a call failed because the disk, or what of it a user may take, is full.
pub(super) fn is_for_room(error: &io::Error) -> bool {
    match error.kind() {
        io::ErrorKind::QuotaExceeded => !mutant!(QuotaIsNoFullDisk),
        kind => kind == io::ErrorKind::StorageFull,
    }
}

/// Does `make` to a path, once more after making the folders it needs.
pub(super) fn with_parents<T>(
    disk: &dyn Disk,
    path: &str,
    make: impl Fn() -> io::Result<T>,
) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parents(disk, path)?;
            make()
        }
        made => made,
    }
}

fn create_parents(disk: &dyn Disk, path: &str) -> io::Result<()> {
    let Some((parent, _)) = path.rsplit_once('/') else {
        return disk.create_root().map(drop);
    };
    match disk.create_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parents(disk, parent)?;
            existing_is_fine(disk.create_dir(parent))
        }
        created => existing_is_fine(created),
    }
}

/// A folder that another process made is there all the same.
pub(super) fn existing_is_fine(created: io::Result<()>) -> io::Result<()> {
    match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Removes a file, or a folder with all it holds; links are removed, not followed.
pub(super) fn remove_tree(disk: &dyn Disk, path: &str) -> io::Result<()> {
    let gone = |removed| optional(removed).map(drop);
    match optional(disk.stat(path))? {
        None => Ok(()),
        Some(stat) if !stat.is_dir => gone(disk.remove_file(path)),
        Some(_) => {
            for name in optional(disk.list(path))?.unwrap_or_default() {
                remove_tree(disk, &format!("{path}/{name}"))?;
            }
            gone(disk.remove_dir(path))
        }
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
