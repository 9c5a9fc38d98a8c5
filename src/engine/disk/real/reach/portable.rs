//! A look at each name before it is used: whoever can write to the root at the same
//! moment could still swap one in between.

use std::{
    fs::{self, DirBuilder, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::{How, Root, linked, only_file, private_file};
use crate::engine::disk::waiting;

/// The path, after a look at the folders on the way from the root.
fn at(root: Root<'_>, path: &str) -> io::Result<PathBuf> {
    let mut reached = root.path.to_owned();
    let mut rest = path;
    while let Some((folder, below)) = rest.split_once('/') {
        reached.push(folder);
        rest = below;
        if fs::symlink_metadata(&reached)?.is_symlink() {
            return Err(linked());
        }
    }
    if !rest.is_empty() {
        reached.push(rest);
    }
    Ok(reached)
}

pub(super) fn open(root: Root<'_>, path: &str, how: How) -> io::Result<(File, Metadata)> {
    let path = at(root, path)?;
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => return Err(linked()),
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => return Err(io::ErrorKind::InvalidInput.into()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    only_file(match how {
        How::Read => File::open(path)?,
        How::Update => private_file().open(path)?,
        How::Create => private_file().create(true).truncate(false).open(path)?,
    })
}

/// No other system says whether a file is in memory.
pub(super) fn open_now(_: Root<'_>, _: &str) -> io::Result<(File, Metadata)> {
    Err(waiting())
}

pub(super) fn stat_now(_: Root<'_>, _: &str) -> io::Result<Metadata> {
    Err(waiting())
}

pub(super) fn stat_named_now(_: &Path) -> io::Result<Metadata> {
    Err(waiting())
}

pub(super) fn stat(root: Root<'_>, path: &str) -> io::Result<Metadata> {
    fs::symlink_metadata(at(root, path)?)
}

pub(super) fn list_some(root: Root<'_>, path: &str, most: usize) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder(root, path)?)? {
        if names.len() == most {
            break;
        }
        if let Ok(name) = entry?.file_name().into_string() {
            names.push(name);
        }
    }
    Ok(names)
}

/// A folder that is to be opened itself.
fn folder(root: Root<'_>, path: &str) -> io::Result<PathBuf> {
    let folder = at(root, path)?;
    if !path.is_empty() && fs::symlink_metadata(&folder)?.is_symlink() {
        return Err(linked());
    }
    Ok(folder)
}

pub(super) fn create_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    private_dirs().create(at(root, path)?)
}

pub(super) fn remove_file(root: Root<'_>, path: &str) -> io::Result<()> {
    fs::remove_file(at(root, path)?)
}

pub(super) fn remove_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    fs::remove_dir(at(root, path)?)
}

pub(super) fn rename(root: Root<'_>, from: &str, to: &str) -> io::Result<()> {
    let (from, to) = (at(root, from)?, at(root, to)?);
    loop {
        match fs::rename(&from, &to) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            renamed => return renamed,
        }
    }
}

/// Elsewhere than on Unix, folders cannot be opened for that, and the file system orders
/// such changes itself.
pub(super) fn sync_dir(root: Root<'_>, path: &str) -> io::Result<()> {
    let folder = folder(root, path)?;
    #[cfg(unix)]
    super::sync_folder(&File::open(folder)?)?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Makes a folder with those above it, private; those that are there stay, and may be links.
/// As the standard library, but a folder that cannot be looked at is not taken for something
/// else: what kept it from being looked at is told.
pub(crate) fn create_dirs(path: &Path) -> io::Result<()> {
    let created = match private_dirs().create(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(above) if !above.as_os_str().is_empty() => {
                create_dirs(above)?;
                private_dirs().create(path)
            }
            _ => Err(error),
        },
        created => created,
    };
    let Err(error) = created else { return Ok(()) };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        // Something is there, and nobody knows what.
        Err(unknown)
            if error.kind() == io::ErrorKind::AlreadyExists
                && unknown.kind() != io::ErrorKind::NotFound =>
        {
            Err(unknown)
        }
        _ => Err(error),
    }
}

/// Transcripts are private: folders are `0700` where the platform has modes.
pub(crate) fn private_dirs() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set where there are modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
