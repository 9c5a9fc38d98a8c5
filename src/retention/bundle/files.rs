//! The file operations that bundles are made of.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::File,
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use crate::{
    engine::sync_below,
    fs::{Access, Folder, Stat, create_root, optional},
};

/// How much is read in one step, in bytes.
const STEP: usize = 1 << 20;

#[cfg(test)]
thread_local! {
    /// How many more file operations of this thread succeed; `None` for all.
    static SUCCEED: std::cell::Cell<Option<u32>> = const { std::cell::Cell::new(None) };
}

/// Lets the next `n` file operations of this thread succeed and the one after them
/// fail; answers whether the one of the last time was met.
#[cfg(test)]
pub(in crate::retention) fn fail_after(n: Option<u32>) -> bool {
    SUCCEED.replace(n) == Some(u32::MAX)
}

/// Comes before every file operation, for tests to stop it there.
fn step() -> io::Result<()> {
    #[cfg(test)]
    match SUCCEED.get() {
        None | Some(u32::MAX) => {}
        Some(0) => {
            SUCCEED.set(Some(u32::MAX));
            return Err(ErrorKind::StorageFull.into());
        }
        Some(n) => SUCCEED.set(Some(n - 1)),
    }
    Ok(())
}

/// Length and SHA-256 of a file, the latter in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(super) bytes: u64,
    pub(in crate::retention) sha256: String,
}

/// Takes a digest of bytes as they come.
#[derive(Debug, Default)]
pub(crate) struct Digester {
    bytes: u64,
    hash: Sha256,
}

impl Digester {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        let hex = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Digest { bytes: self.bytes, sha256: hex }
    }
}

/// The digest of some bytes.
pub(super) fn digest_of(bytes: &[u8]) -> Digest {
    let mut digester = Digester::default();
    digester.update(bytes);
    digester.finish()
}

/// The digest of a file; `None` where there is none.
pub(super) fn digest(path: &Path) -> io::Result<Option<Digest>> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(None) };
    let opened = root.open(&path, Access::Read);
    let Some((mut file, _)) = optional(opened)? else { return Ok(None) };
    let mut digester = Digester::default();
    let mut step = vec![0; STEP];
    loop {
        let read = file.read(&mut step)?;
        if read == 0 {
            return Ok(Some(digester.finish()));
        }
        digester.update(step.get(..read).unwrap_or_default());
    }
}

pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(None) };
    let opened = root.open(&path, Access::Read);
    let Some((mut file, _)) = optional(opened)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The names in a folder; `None` where there is none.
pub(super) fn list(path: &Path) -> io::Result<Option<Vec<String>>> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(None) };
    optional(root.list(&path, usize::MAX, unicode))
}

/// A bundle's path as its root, which may be reached through links, and what is below,
/// which may not: `archive`, and names of ours.
fn below(path: &Path) -> io::Result<(Folder, PathBuf)> {
    let (root, path) = parts(path)?;
    Ok((Folder::find(root)?, path))
}

/// Names that are no Unicode are not ours.
fn unicode(name: &OsStr) -> Option<String> {
    name.to_str().map(str::to_owned)
}

fn parts(path: &Path) -> io::Result<(&Path, PathBuf)> {
    let is_archive = |place: &&Path| place.file_name().is_some_and(|name| name == super::ARCHIVE);
    let archive = path.ancestors().find(is_archive).ok_or(ErrorKind::InvalidInput)?;
    let root = archive.parent().unwrap_or(Path::new(""));
    Ok((root, path.strip_prefix(root).unwrap_or(path).to_owned()))
}

/// A new file that only its owner may read, as transcripts are private.
pub(super) fn create(path: &Path) -> io::Result<File> {
    step()?;
    let (root, path) = below(path)?;
    let (file, _) = root.open(&path, Access::Create)?;
    file.set_len(0)?;
    Ok(file)
}

/// A folder, with those above it, that only its owner may read.
pub(super) fn create_dirs(path: &Path) -> io::Result<()> {
    step()?;
    create_root(parts(path)?.0)?;
    let (root, path) = below(path)?;
    root.create_dirs(&path)
}

/// A file for reading and writing, new where there is none; `None` where its folder is gone.
pub(super) fn open_or_create(path: &Path) -> io::Result<Option<(File, Stat)>> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(None) };
    optional(root.open(&path, Access::Create))
}

/// What is known of whatever has that name.
pub(super) fn stat(path: &Path) -> io::Result<Option<Stat>> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(None) };
    optional(root.stat(&path))
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    let ((root, to), (_, from)) = (below(to)?, below(from)?);
    root.rename(&from, &to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    step()?;
    let Some((root, path)) = optional(below(path))? else { return Ok(()) };
    optional(root.remove_file(&path)).map(drop)
}

/// Adds to a file that was created.
pub(super) fn write(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    step()?;
    file.write_all(bytes)
}

/// Makes files and folders below a root last: many of them at once, where the platform
/// can.
pub(super) fn sync(
    root: &Path,
    files: &BTreeSet<String>,
    folders: &BTreeSet<String>,
) -> io::Result<()> {
    step()?;
    sync_below(root, files, folders)
}

/// Opens a file for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    step()?;
    let (root, path) = below(path)?;
    Ok(root.open(&path, Access::Read)?.0)
}

/// Makes the names in a folder last, where the platform can.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    step()?;
    if cfg!(unix) {
        let (root, path) = below(path)?;
        root.sync_dir(&path)
    } else {
        Ok(())
    }
}

pub(super) fn remove_dir(path: &Path) -> io::Result<()> {
    let Some((root, path)) = optional(below(path))? else { return Ok(()) };
    optional(remove_tree(&root, &path)).map(drop)
}

/// Removes a folder and what it holds; links are removed, not followed.
fn remove_tree(root: &Folder, path: &Path) -> io::Result<()> {
    for name in root.names(path)? {
        let held = path.join(name);
        let Some(found) = optional(root.stat(&held))? else { continue };
        optional(if found.is_dir { remove_tree(root, &held) } else { root.remove_file(&held) })?;
    }
    root.remove_dir(path)
}
