//! The kernel itself refuses to follow links (`openat2`, from Linux 5.6 on), so that
//! nothing can be swapped between a look and the deed. A root that is not open has to be
//! without links on the way to it.

use std::{
    borrow::Cow,
    fs::{File, Metadata},
    io,
    os::fd::{BorrowedFd, OwnedFd},
    path::Path,
    sync::LazyLock,
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, mkdirat, openat,
        openat2, renameat, renameat_with, statat, unlinkat,
    },
    io::{Errno, retry_on_intr},
};

use super::{How, Root, linked, only_file, sync_folder};
use crate::engine::disk::{FileId, Stat, is_for_want, strange_as_none};

const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

const WITHOUT_LINKS: ResolveFlags = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);

/// Whether this kernel, and what may stand before it, has the call.
pub(super) fn is_known() -> bool {
    static KNOWN: LazyLock<bool> = LazyLock::new(|| {
        // Where it lacks a descriptor or memory, the kernel got as far as the call: it has it.
        reach(Path::new("/").into(), "", OFlags::PATH)
            .map_or_else(|error| is_for_want(&error), |_| true)
    });
    *KNOWN
}

fn reach(root: Root<'_>, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let (folder, path) = at(root, path);
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = if flags.contains(OFlags::CREATE) { PRIVATE_FILE } else { Mode::empty() };
    loop {
        match openat2(folder, &*path, flags, mode, WITHOUT_LINKS) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            opened => return Ok(opened?),
        }
    }
}

/// As [`reach`] of what is there, never waiting for the disk (from Linux 5.12 on).
fn reach_now(root: Root<'_>, path: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let (folder, path) = at(root, path);
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let resolve = WITHOUT_LINKS | ResolveFlags::CACHED;
    Ok(openat2(folder, &*path, flags, Mode::empty(), resolve)?)
}

/// Where a path below a root begins, and what it is from there.
fn at<'p>(root: Root<'p>, path: &'p str) -> (BorrowedFd<'p>, Cow<'p, Path>) {
    match root.folder {
        Some(folder) => (folder, Cow::from(Path::new(if path.is_empty() { "." } else { path }))),
        None if path.is_empty() => (CWD, Cow::from(root.path)),
        None => (CWD, Cow::from(root.path.join(path))),
    }
}

/// Opens a root's folder, to which links may lead.
pub(super) fn hold(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder that something is in, and its name there.
fn parent<'p>(root: Root<'_>, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
    let folder = reach(root, folder_of(path), OFlags::PATH | OFlags::DIRECTORY)?;
    Ok((folder, name_of(path)))
}

pub(super) fn open(root: Root<'_>, path: &str, how: How) -> io::Result<(File, Metadata)> {
    let flags = match how {
        How::Read => OFlags::RDONLY,
        How::Update => OFlags::RDWR,
        How::Create => OFlags::RDWR | OFlags::CREATE,
    };
    // A pipe is not waited for, a terminal not taken over.
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    only_file(File::from(reach(root, path, flags)?))
}

pub(super) fn stat(root: Root<'_>, path: &str) -> io::Result<Metadata> {
    File::from(reach(root, path, OFlags::PATH)?).metadata()
}

pub(super) fn stats(
    root: Root<'_>,
    folder: &str,
    names: &[String],
) -> io::Result<Vec<Option<Stat>>> {
    let (from, folder) = at(root, folder);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = retry_on_intr(|| openat(from, &*folder, flags, Mode::empty()))?;
    let stat = |name: &String| {
        let found = statat(&folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        let Some(found) = strange_as_none(found.map_err(io::Error::from))? else {
            return Ok(None);
        };
        let kind = FileType::from_raw_mode(found.st_mode);
        Ok(Some(Stat {
            len: u64::try_from(found.st_size).unwrap_or(0),
            is_dir: kind == FileType::Directory,
            is_file: kind == FileType::RegularFile,
            id: FileId(found.st_dev, found.st_ino),
            changed: nanos(found.st_mtime, found.st_mtime_nsec),
            touched: nanos(found.st_ctime, found.st_ctime_nsec),
        }))
    };
    names.iter().map(stat).collect()
}

fn nanos(seconds: impl TryInto<u64>, nanos: impl TryInto<u64>) -> u64 {
    let seconds = seconds.try_into().unwrap_or(0).saturating_mul(1_000_000_000);
    seconds.saturating_add(nanos.try_into().unwrap_or(0))
}

pub(super) fn open_now(root: Root<'_>, path: &str) -> io::Result<(File, Metadata)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    only_file(File::from(reach_now(root, path, flags)?))
}

pub(super) fn stat_now(root: Root<'_>, path: &str) -> io::Result<Metadata> {
    File::from(reach_now(root, path, OFlags::PATH)?).metadata()
}

pub(super) fn stat_named_now(path: &Path) -> io::Result<Metadata> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let found = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED)?;
    File::from(found).metadata()
}

pub(super) fn list_some(root: Root<'_>, path: &str, most: usize) -> io::Result<Vec<String>> {
    let folder = match reach(root, path, OFlags::RDONLY | OFlags::DIRECTORY) {
        // The kernel says of a link itself that it is no folder.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let is_link = stat(root, path)?.is_symlink();
            return Err(if is_link { linked() } else { error });
        }
        folder => folder?,
    };
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        if names.len() == most {
            break;
        }
        if let Ok(name) = entry?.file_name().to_str()
            && !matches!(name, "." | "..")
        {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

pub(super) fn create_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| mkdirat(&folder, name, Mode::RWXU))?)
}

pub(super) fn remove_file(root: Root<'_>, path: &str) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| unlinkat(&folder, name, AtFlags::empty()))?)
}

pub(super) fn remove_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    let (folder, name) = parent(root, path)?;
    Ok(retry_on_intr(|| unlinkat(&folder, name, AtFlags::REMOVEDIR))?)
}

pub(super) fn rename(root: Root<'_>, from: &str, to: &str) -> io::Result<()> {
    let stays = folder_of(from) == folder_of(to);
    let elsewhere = if stays { None } else { Some(parent(root, to)?.0) };
    let (from_folder, from) = parent(root, from)?;
    let (to_folder, to) = (elsewhere.as_ref().unwrap_or(&from_folder), name_of(to));
    // A rename over a file makes ext4 write the new one's data out at once, in case the
    // program relies on that; the journal is what this one relies on, and an exchange does
    // not cost it.
    let over_file = statat(to_folder, to, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    if over_file && renameat_with(&from_folder, from, to_folder, to, RenameFlags::EXCHANGE).is_ok()
    {
        return match retry_on_intr(|| unlinkat(&from_folder, from, AtFlags::empty())) {
            // Some file systems (bind mounts of Docker Desktop for Mac) rename plainly instead:
            // then there is no old file left to remove.
            Err(Errno::NOENT) => Ok(()),
            unlinked => Ok(unlinked?),
        };
    }
    Ok(retry_on_intr(|| renameat(&from_folder, from, to_folder, to))?)
}

pub(super) fn open_root(root: Root<'_>) -> io::Result<File> {
    let (from, path) = at(root, "");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| openat(from, &*path, flags, Mode::empty()))?.into())
}

pub(super) fn sync_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    sync_folder(&File::from(reach(root, path, OFlags::RDONLY | OFlags::DIRECTORY)?))
}
