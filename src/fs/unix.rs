//! Everything by calls relative to an open folder, so that nothing can be swapped between a
//! look and the deed.
//!
//! On Linux from 5.6 on, the kernel itself refuses to follow links (`openat2`), in one call
//! for a whole path; a folder that is not held has to be without links on the way to it then.
//! Elsewhere each folder on the way is opened below the one before it.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat, renameat,
        statat, symlinkat, unlinkat,
    },
    io::{Errno, retry_on_intr},
};

#[cfg(target_os = "linux")]
use self::kernel::{reach_cached, reach_named_cached};
use super::{Access, FileId, Folder, Stat, linked, optional_regular, stat::since_epoch};

const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// For reaching what is in a folder: it need not be readable, where the system has such flags.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = OFlags::DIRECTORY;

/// For asking what is known of something.
#[cfg(target_os = "linux")]
const TO_STAT: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const TO_STAT: OFlags = OFlags::RDONLY;

/// Opens a folder, to which links may lead.
pub(super) fn hold(path: &Path) -> io::Result<OwnedFd> {
    let flags = ON_THE_WAY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?)
}

/// Opens something below a folder; with an empty path, the folder.
fn reach(root: &Folder, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = if flags.contains(OFlags::CREATE) { PRIVATE_FILE } else { Mode::empty() };
    #[cfg(target_os = "linux")]
    if kernel::resolves() {
        return kernel::reach(root, path, flags, mode);
    }
    walk(root, path, flags, mode)
}

/// As [`reach`], folder by folder.
fn walk(root: &Folder, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let mut reached = match &root.held {
        Some(held) => held.try_clone()?,
        None => hold(&root.path)?,
    };
    let mut names = path.components().peekable();
    if names.peek().is_none() {
        return Ok(retry_on_intr(|| openat(&reached, ".", flags, mode))?);
    }
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else { return Err(io::ErrorKind::InvalidInput.into()) };
        let (flags, mode) = match names.peek() {
            Some(_) => (ON_THE_WAY | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty()),
            None => (flags, mode),
        };
        let next = retry_on_intr(|| openat(&reached, name, flags, mode));
        reached = next.map_err(|error| told_of_link(&reached, name, error))?;
    }
    Ok(reached)
}

/// Systems refuse a link in several ways, some of which say something else of what is no link.
fn told_of_link(folder: &OwnedFd, name: &OsStr, error: Errno) -> io::Error {
    let is_link = || {
        let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
    };
    match error {
        Errno::NOTDIR | Errno::MLINK if is_link() => linked(),
        error => error.into(),
    }
}

/// The folder that something is in, and its name there.
fn parent<'p>(root: &Folder, path: &'p Path) -> io::Result<(OwnedFd, &'p OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((reach(root, folder_of(path), ON_THE_WAY)?, name))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

pub(super) fn open(root: &Folder, path: &Path, access: Access) -> io::Result<File> {
    let flags = match access {
        Access::Read => OFlags::RDONLY,
        Access::ReadWrite => OFlags::RDWR,
        Access::Create => OFlags::RDWR | OFlags::CREATE,
        Access::CreateNew => OFlags::RDWR | OFlags::CREATE | OFlags::EXCL,
    };
    // A pipe is not waited for, a terminal not taken over.
    Ok(reach(root, path, flags | OFlags::NONBLOCK | OFlags::NOCTTY)?.into())
}

pub(super) fn open_cached(root: &Folder, path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(reach_cached(root, path, flags)?.into())
}

pub(super) fn stat(root: &Folder, path: &Path) -> io::Result<Stat> {
    if path.as_os_str().is_empty() {
        return Ok(stat_of(&fstat(reach(root, path, ON_THE_WAY)?)?));
    }
    let (folder, name) = parent(root, path)?;
    Ok(stat_of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// What is known of what is there, never waiting for the disk.
pub(super) fn stat_cached(root: &Folder, path: &Path) -> io::Result<Stat> {
    Ok(stat_of(&fstat(reach_cached(root, path, TO_STAT)?)?))
}

/// What is known of whatever has that path, links on the way to it being followed, where the
/// system has all of the way in memory.
pub(crate) fn stat_named_cached(path: &Path) -> io::Result<Stat> {
    Ok(stat_of(&fstat(reach_named_cached(path)?)?))
}

pub(super) fn stats(
    root: &Folder,
    folder: &Path,
    names: &[String],
) -> io::Result<Vec<Option<Stat>>> {
    let (from, folder) = start(root, folder);
    let flags = ON_THE_WAY | OFlags::CLOEXEC;
    let folder = retry_on_intr(|| openat(from, &*folder, flags, Mode::empty()))?;
    let stat = |name: &String| {
        let found = statat(&folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        Ok(optional_regular(found.map_err(io::Error::from))?.as_ref().map(stat_of))
    };
    names.iter().map(stat).collect()
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "types differ by system")]
fn stat_of(found: &rustix::fs::Stat) -> Stat {
    let kind = FileType::from_raw_mode(found.st_mode);
    Stat {
        len: u64::try_from(found.st_size).unwrap_or(0),
        is_dir: kind == FileType::Directory,
        is_file: kind == FileType::RegularFile,
        is_link: kind == FileType::Symlink,
        id: FileId(found.st_dev as u64, found.st_ino as u64),
        names: found.st_nlink as u64,
        changed: since_epoch(found.st_mtime, found.st_mtime_nsec),
        touched: since_epoch(found.st_ctime, found.st_ctime_nsec),
    }
}

/// Where the path of something below a folder begins, and what it is from there.
fn start<'p>(root: &'p Folder, path: &'p Path) -> (BorrowedFd<'p>, std::borrow::Cow<'p, Path>) {
    let is_root = path.as_os_str().is_empty();
    match &root.held {
        Some(held) => (held.as_fd(), if is_root { Path::new(".") } else { path }.into()),
        None if is_root => (CWD, (&*root.path).into()),
        None => (CWD, root.path.join(path).into()),
    }
}

pub(super) fn list<T>(
    root: &Folder,
    path: &Path,
    most: usize,
    take: impl Fn(&OsStr) -> Option<T>,
) -> io::Result<Vec<T>> {
    let mut names = Vec::new();
    for entry in Dir::new(open_dir(root, path)?)? {
        if names.len() == most {
            break;
        }
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.extend(take(name));
        }
    }
    Ok(names)
}

pub(super) fn create_dir(root: &Folder, path: &Path) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| mkdirat(&folder, name, Mode::RWXU))?)
}

pub(super) fn remove_file(root: &Folder, path: &Path) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| unlinkat(&folder, name, AtFlags::empty()))?)
}

pub(super) fn remove_dir(root: &Folder, path: &Path) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| unlinkat(&folder, name, AtFlags::REMOVEDIR))?)
}

pub(super) fn rename(root: &Folder, from: &Path, to: &Path) -> io::Result<()> {
    let stays = folder_of(from) == folder_of(to);
    let to_name = to.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let elsewhere = if stays { None } else { Some(parent(root, to)?.0) };
    let (from_folder, from) = parent(root, from)?;
    let to_folder = elsewhere.as_ref().unwrap_or(&from_folder);
    #[cfg(target_os = "linux")]
    if let Some(replaced) = kernel::replaced(&from_folder, from, to_folder, to_name) {
        return replaced;
    }
    Ok(retry_on_intr(|| renameat(&from_folder, from, to_folder, to_name))?)
}

pub(super) fn read_link(root: &Folder, path: &Path) -> io::Result<PathBuf> {
    let (folder, name) = parent(root, path)?;
    let target = readlinkat(&folder, name, Vec::new())?;
    Ok(OsStr::from_bytes(target.as_bytes()).into())
}

pub(super) fn create_link(root: &Folder, target: &Path, path: &Path) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| symlinkat(target, &folder, name))?)
}

pub(super) fn open_dir(root: &Folder, path: &Path) -> io::Result<File> {
    Ok(reach(root, path, OFlags::RDONLY | OFlags::DIRECTORY)?.into())
}

/// No other system says whether a file is in memory.
#[cfg(not(target_os = "linux"))]
fn reach_cached(_: &Folder, _: &Path, _: OFlags) -> io::Result<OwnedFd> {
    Err(super::would_block())
}

#[cfg(not(target_os = "linux"))]
fn reach_named_cached(_: &Path) -> io::Result<OwnedFd> {
    Err(super::would_block())
}

#[cfg(test)]
pub(super) use kernel_in_tests::without_kernel;

#[cfg(test)]
mod kernel_in_tests {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread does as where the kernel does not resolve paths.
        pub(super) static WALKS: Cell<bool> = const { Cell::new(false) };
    }

    /// Does something as where the kernel does not resolve paths.
    pub(in crate::fs) fn without_kernel<T>(run: impl FnOnce() -> T) -> T {
        WALKS.set(true);
        let done = run();
        WALKS.set(false);
        done
    }
}

/// What Linux alone has.
#[cfg(target_os = "linux")]
mod kernel {
    use std::{io, os::fd::OwnedFd, path::Path, sync::LazyLock};

    use rustix::{
        fs::{
            AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, ResolveFlags, fstat, openat2,
            renameat_with, statat, unlinkat,
        },
        io::{Errno, retry_on_intr},
    };

    use super::{OsStr, start};
    use crate::fs::{Folder, is_resource_exhausted, linked};

    const WITHOUT_LINKS: ResolveFlags =
        ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);

    /// Whether this kernel, and what may stand before it, has the call.
    pub(super) fn resolves() -> bool {
        static KNOWN: LazyLock<bool> = LazyLock::new(|| {
            let root = Folder::at(Path::new("/"));
            // Where it lacks a descriptor or memory, the kernel got as far as the call: it has it.
            reach(&root, Path::new(""), OFlags::PATH, Mode::empty())
                .map_or_else(|error| is_resource_exhausted(&error), |_| true)
        });
        #[cfg(test)]
        if super::kernel_in_tests::WALKS.get() {
            return false;
        }
        *KNOWN
    }

    pub(super) fn reach(
        root: &Folder,
        path: &Path,
        flags: OFlags,
        mode: Mode,
    ) -> io::Result<OwnedFd> {
        let (folder, from) = start(root, path);
        let open = |flags| loop {
            match openat2(folder, &*from, flags, mode, WITHOUT_LINKS) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                opened => return opened,
            }
        };
        // The kernel says of a link itself that it is no folder.
        let is_link = || {
            let found = open(OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC).and_then(fstat);
            found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
        };
        match open(flags) {
            Err(Errno::NOTDIR) if flags.contains(OFlags::DIRECTORY) && is_link() => Err(linked()),
            opened => Ok(opened?),
        }
    }

    /// As [`reach`] of what is there, never waiting for the disk (from Linux 5.12 on).
    pub(super) fn reach_cached(root: &Folder, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        if !resolves() {
            return Err(crate::fs::would_block());
        }
        let (folder, path) = start(root, path);
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let resolve = WITHOUT_LINKS | ResolveFlags::CACHED;
        Ok(openat2(folder, &*path, flags, Mode::empty(), resolve)?)
    }

    pub(super) fn reach_named_cached(path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED)?)
    }

    /// Puts a file in the place of another by exchanging the two and removing the other;
    /// `None` where there is no other, or they cannot be exchanged.
    ///
    /// A rename over a file makes ext4 write the new one's data out at once, in case the
    /// program relies on that; the journal is what this one relies on, and an exchange does
    /// not cost it.
    pub(super) fn replaced(
        from_folder: &OwnedFd,
        from: &OsStr,
        to_folder: &OwnedFd,
        to: &OsStr,
    ) -> Option<io::Result<()>> {
        let over_file = statat(to_folder, to, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        if !over_file
            || renameat_with(from_folder, from, to_folder, to, RenameFlags::EXCHANGE).is_err()
        {
            return None;
        }
        Some(match retry_on_intr(|| unlinkat(from_folder, from, AtFlags::empty())) {
            // Some file systems (bind mounts of Docker Desktop for Mac) rename plainly instead:
            // then there is no old file left to remove.
            Err(Errno::NOENT) => Ok(()),
            unlinked => unlinked.map_err(io::Error::from),
        })
    }
}
