//! A look at each name before it is used, for systems without calls relative to an open
//! folder: a program that writes to the root at the same moment could still swap one in between.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{
    Access, Folder, Stat, linked, optional_regular, private_file, private_folder, would_block,
};

/// The path, after a look at the folders on the way.
fn at(root: &Folder, path: &Path) -> io::Result<PathBuf> {
    let mut reached = root.path.to_path_buf();
    let mut names = path.components().peekable();
    while let Some(name) = names.next() {
        reached.push(name);
        if names.peek().is_some() {
            refuse_link(&reached)?;
        }
    }
    Ok(reached)
}

/// The path of a folder that is to be opened itself.
pub(super) fn folder(root: &Folder, path: &Path) -> io::Result<PathBuf> {
    let folder = at(root, path)?;
    if !path.as_os_str().is_empty() {
        refuse_link(&folder)?;
    }
    Ok(folder)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_symlink() { Err(linked()) } else { Ok(()) }
}

pub(super) fn open(root: &Folder, path: &Path, access: Access) -> io::Result<File> {
    let path = at(root, path)?;
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => return Err(linked()),
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => return Err(io::ErrorKind::InvalidInput.into()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    match access {
        Access::Read => File::open(path),
        Access::ReadWrite => private_file().open(path),
        Access::Create => private_file().create(true).truncate(false).open(path),
        Access::CreateNew => private_file().create_new(true).open(path),
    }
}

/// No other system says whether a file is in memory.
pub(super) fn open_cached(_: &Folder, _: &Path) -> io::Result<File> {
    Err(would_block())
}

pub(super) fn stat_cached(_: &Folder, _: &Path) -> io::Result<Stat> {
    Err(would_block())
}

pub(super) fn stat(root: &Folder, path: &Path) -> io::Result<Stat> {
    let path = at(root, path)?;
    Stat::of(&fs::symlink_metadata(&path)?, || path)
}

pub(super) fn stats(
    root: &Folder,
    folder: &Path,
    names: &[String],
) -> io::Result<Vec<Option<Stat>>> {
    names.iter().map(|name| optional_regular(stat(root, &folder.join(name)))).collect()
}

pub(super) fn list<T>(
    root: &Folder,
    path: &Path,
    most: usize,
    take: impl Fn(&OsStr) -> Option<T>,
) -> io::Result<Vec<T>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder(root, path)?)? {
        if names.len() == most {
            break;
        }
        names.extend(take(&entry?.file_name()));
    }
    Ok(names)
}

pub(super) fn create_dir(root: &Folder, path: &Path) -> io::Result<()> {
    private_folder().create(at(root, path)?)
}

pub(super) fn remove_file(root: &Folder, path: &Path) -> io::Result<()> {
    fs::remove_file(at(root, path)?)
}

pub(super) fn remove_dir(root: &Folder, path: &Path) -> io::Result<()> {
    fs::remove_dir(at(root, path)?)
}

pub(super) fn rename(root: &Folder, from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(at(root, from)?, at(root, to)?)
}

pub(super) fn read_link(root: &Folder, path: &Path) -> io::Result<PathBuf> {
    fs::read_link(at(root, path)?)
}

pub(super) fn create_link(_: &Folder, _: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
