//! What is known of a file or folder without reading it.

use std::{
    fs::Metadata,
    io,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// What tells one file or folder from another, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId(pub u64, pub u64);

/// What is known of a file or folder without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Length of a file in bytes.
    pub len: u64,
    /// Whether it is a folder.
    pub is_dir: bool,
    /// Whether it is a file proper: no link, pipe or device.
    pub is_file: bool,
    /// Whether it is a link.
    pub is_link: bool,
    /// Which file or folder it is.
    pub id: FileId,
    /// How many names a file has; 1 where that is not known.
    pub names: u64,
    /// When it was last changed, in nanoseconds of the system's clock; 0 where that is
    /// not known.
    pub changed: u64,
    /// When anything of it was changed, its name and its times included, which no program can
    /// set: in nanoseconds, by the file system's own clock. Where the system does not tell,
    /// this is `changed`.
    pub touched: u64,
}

impl Stat {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have to open the file for it")]
    pub(crate) fn of(metadata: &Metadata, _: impl FnOnce() -> PathBuf) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Self {
            len: metadata.len(),
            is_dir: metadata.is_dir(),
            is_file: metadata.is_file(),
            is_link: metadata.is_symlink(),
            id: FileId(metadata.dev(), metadata.ino()),
            names: metadata.nlink(),
            changed: nanos(metadata.modified()),
            touched: since_epoch(metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Where files have no numbers that std tells, the hash of the full path is one.
    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata, path: impl FnOnce() -> PathBuf) -> io::Result<Self> {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        match metadata.is_symlink() {
            true => path().hash(&mut hasher),
            false => std::fs::canonicalize(path())?.hash(&mut hasher),
        }
        Ok(Self {
            len: metadata.len(),
            is_dir: metadata.is_dir(),
            is_file: metadata.is_file(),
            is_link: metadata.is_symlink(),
            id: FileId(0, hasher.finish()),
            names: 1,
            changed: nanos(metadata.modified()),
            touched: nanos(metadata.modified()),
        })
    }
}

/// A time of the system's clock in nanoseconds; 0 where it is not known.
pub(crate) fn nanos(time: io::Result<SystemTime>) -> u64 {
    let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

#[cfg(unix)]
pub(super) fn since_epoch(seconds: impl TryInto<u64>, nanos: impl TryInto<u64>) -> u64 {
    let seconds = seconds.try_into().unwrap_or(0).saturating_mul(1_000_000_000);
    seconds.saturating_add(nanos.try_into().unwrap_or(0))
}

/// Whether the name that a file was opened by is its only one, by `look` at what has that name
/// now: a second one may have been taken away after the opening and before it was counted,
/// which shows in when the file was last changed. One without any name was replaced. Fails
/// where it cannot be told.
#[cfg(unix)]
pub(super) fn has_one_name(
    opened: &Stat,
    look: impl FnOnce() -> io::Result<Stat>,
) -> io::Result<bool> {
    /// Longer than the system's clock of files takes for a step, in nanoseconds.
    const LATELY: u64 = 100_000_000;
    let since = nanos(Ok(SystemTime::now())).checked_sub(opened.touched);
    if opened.names == 0 || since.is_some_and(|since| since > LATELY) {
        return Ok(true);
    }
    is_alone(opened, look())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix, a look may fail")]
pub(super) fn has_one_name(_: &Stat, _: impl FnOnce() -> io::Result<Stat>) -> io::Result<bool> {
    Ok(true)
}

/// Whether a file is what has its name now, and has no other name.
#[cfg(unix)]
pub(super) fn is_alone(opened: &Stat, named: io::Result<Stat>) -> io::Result<bool> {
    match named {
        Ok(named) => Ok((named.id, named.names) == (opened.id, 1)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
