//! Reaching files and folders below a root without ever leaving it: no link below the
//! root is followed, and nothing but files and folders is opened, whatever somebody
//! plants there.
//!
//! A file that has a second name is refused as well, which may be outside the root: it
//! would be read from there, and written to.

#[cfg(target_os = "linux")]
mod linux;
mod portable;
#[cfg(test)]
mod tests;

pub(crate) use portable::{create_dirs, private_dirs};

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
};

#[cfg(target_os = "linux")]
use crate::engine::disk::Stat;
use crate::engine::disk::waiting;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Reading what is there.
    Read,
    /// Reading and writing what is there.
    Update,
    /// Reading and writing what is there, or a new file, private where there are modes.
    Create,
}

/// A folder that things are reached below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Root<'r> {
    /// Where it is, or was when it was opened.
    path: &'r Path,
    /// The folder itself, where it is open: it may have another name by now.
    #[cfg(target_os = "linux")]
    folder: Option<std::os::fd::BorrowedFd<'r>>,
}

impl<'r> From<&'r Path> for Root<'r> {
    fn from(path: &'r Path) -> Self {
        Self {
            path,
            #[cfg(target_os = "linux")]
            folder: None,
        }
    }
}

impl<'r> From<&'r PathBuf> for Root<'r> {
    fn from(path: &'r PathBuf) -> Self {
        path.as_path().into()
    }
}

#[cfg(target_os = "linux")]
impl<'r> Root<'r> {
    /// The open `folder`, which was found at `path`.
    pub(crate) fn open(path: &'r Path, folder: &'r std::os::fd::OwnedFd) -> Self {
        use std::os::fd::AsFd as _;
        Self { path, folder: Some(folder.as_fd()) }
    }
}

/// Opens a root's folder to hold on to it; `None` where the system cannot reach things below
/// an open folder.
#[cfg(target_os = "linux")]
pub(crate) fn hold(path: &Path) -> io::Result<Option<std::os::fd::OwnedFd>> {
    if linux::is_known() { linux::hold(path).map(Some) } else { Ok(None) }
}

/// Calls the function of that name which suits the system.
macro_rules! reach {
    ($name:ident($($argument:expr),+)) => {{
        #[cfg(target_os = "linux")]
        if linux::is_known() {
            return linux::$name($($argument),+);
        }
        portable::$name($($argument),+)
    }};
}

/// Opens a file, and says what is known of it.
pub(crate) fn open<'r>(
    root: impl Into<Root<'r>>,
    path: &str,
    how: How,
) -> io::Result<(File, Metadata)> {
    let root = root.into();
    for _ in 0..ATTEMPTS {
        let opened = open_once(root, path, how)?;
        if has_one_name(&opened.1, || stat(root, path))? {
            return Ok(opened);
        }
    }
    Err(second_name())
}

fn open_once(root: Root<'_>, path: &str, how: How) -> io::Result<(File, Metadata)> {
    reach!(open(root, path, how))
}

/// As [`open`] for reading, where the system has all of the way in memory.
pub(crate) fn open_now<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<(File, Metadata)> {
    let root = root.into();
    let opened = open_once_now(root, path)?;
    match has_one_name(&opened.1, || stat_now(root, path))? {
        true => Ok(opened),
        false => Err(waiting()),
    }
}

fn open_once_now(root: Root<'_>, path: &str) -> io::Result<(File, Metadata)> {
    reach!(open_now(root, path))
}

/// As [`stat`], where the system has all of the way in memory.
pub(crate) fn stat_now<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<Metadata> {
    reach!(stat_now(root.into(), path))
}

/// What is known of whatever has that name, links on the way to it being followed, where the
/// system has all of the way in memory.
pub(crate) fn stat_named_now(path: &Path) -> io::Result<Metadata> {
    reach!(stat_named_now(path))
}

/// What is known of a file, a folder, or whatever else has that name.
pub(crate) fn stat<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<Metadata> {
    reach!(stat(root.into(), path))
}

/// What is known of many files and folders below one; `None` for those that are not there.
/// Links on the way to them may be followed: nothing is opened.
#[cfg(target_os = "linux")]
pub(crate) fn stats<'r>(
    root: impl Into<Root<'r>>,
    folder: &str,
    names: &[String],
) -> io::Result<Vec<Option<Stat>>> {
    linux::stats(root.into(), folder, names)
}

/// The root itself, for what is asked of its whole file system.
#[cfg(target_os = "linux")]
pub(crate) fn open_root<'r>(root: impl Into<Root<'r>>) -> io::Result<File> {
    linux::open_root(root.into())
}

/// Names of what a folder holds, as far as they are Unicode: others are not ours.
pub(crate) fn list<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<Vec<String>> {
    list_some(root, path, usize::MAX)
}

/// As [`list`], no more than `most` of them.
pub(crate) fn list_some<'r>(
    root: impl Into<Root<'r>>,
    path: &str,
    most: usize,
) -> io::Result<Vec<String>> {
    reach!(list_some(root.into(), path, most))
}

/// Makes a folder, private where there are modes.
pub(crate) fn create_dir<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<()> {
    reach!(create_dir(root.into(), path))
}

/// Removes a file, or a link to one.
pub(crate) fn remove_file<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<()> {
    reach!(remove_file(root.into(), path))
}

/// Removes an empty folder.
pub(crate) fn remove_dir<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<()> {
    reach!(remove_dir(root.into(), path))
}

/// Gives a file or folder another name in one step.
pub(crate) fn rename<'r>(root: impl Into<Root<'r>>, from: &str, to: &str) -> io::Result<()> {
    reach!(rename(root.into(), from, to))
}

/// Makes the entries of a folder survive a power cut, where that has to be asked for.
pub(crate) fn sync_dir<'r>(root: impl Into<Root<'r>>, path: &str) -> io::Result<()> {
    reach!(sync_dir(root.into(), path))
}

/// Makes the entries of an open folder survive a power cut. A file system that has nothing to
/// sync for a folder says so by refusing the call (FUSE, SMB and mounts shared with a virtual
/// machine do); any other error is one.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &File) -> io::Result<()> {
    pass_over_refusal(folder.sync_all())
}

#[cfg(unix)]
fn pass_over_refusal(synced: io::Result<()>) -> io::Result<()> {
    let refusals = [libc::EINVAL, libc::EBADF, libc::ENOTSUP, libc::EOPNOTSUPP];
    match synced {
        Err(error) if error.raw_os_error().is_some_and(|code| refusals.contains(&code)) => Ok(()),
        synced => synced,
    }
}

/// Refuses whatever is not a file with one name.
fn only_file(file: File) -> io::Result<(File, Metadata)> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&metadata) > 1 {
        return Err(second_name());
    }
    Ok((file, metadata))
}

/// Links are refused as Unix refuses too many of them.
pub(crate) fn linked() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::ELOOP);
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}

/// How often a file is opened again that was replaced between an opening and a look.
const ATTEMPTS: usize = 16;

fn second_name() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::EMLINK);
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}

/// Whether the name that a file was opened by is its only one, by `look` at what has that name
/// now: a second one may have been taken away after the opening and before it was counted,
/// which shows in when the file was last changed. One without any name was replaced. Fails
/// where it cannot be told.
#[cfg(unix)]
fn has_one_name(
    opened: &Metadata,
    look: impl FnOnce() -> io::Result<Metadata>,
) -> io::Result<bool> {
    use std::{
        os::unix::fs::MetadataExt as _,
        time::{Duration, SystemTime, UNIX_EPOCH},
    };
    /// Longer than the system's clock of files takes for a step.
    const LATELY: Duration = Duration::from_millis(100);
    let (seconds, rest) = (u64::try_from(opened.ctime()), u32::try_from(opened.ctime_nsec()));
    let changed = seconds.ok().zip(rest.ok()).map(|(s, ns)| UNIX_EPOCH + Duration::new(s, ns));
    let since = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
    if opened.nlink() == 0 || since.is_some_and(|since| since > LATELY) {
        return Ok(true);
    }
    is_alone(opened, look())
}

/// Whether a file is what has its name now, and has no other name.
#[cfg(unix)]
fn is_alone(opened: &Metadata, named: io::Result<Metadata>) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    match named {
        Ok(named) => {
            Ok((named.dev(), named.ino(), named.nlink()) == (opened.dev(), opened.ino(), 1))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn has_one_name(_: &Metadata, _: impl FnOnce() -> io::Result<Metadata>) -> io::Result<bool> {
    Ok(true)
}

/// Opening for reading and writing; what is new is private.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
