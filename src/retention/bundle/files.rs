//! The file operations that bundles are made of.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use crate::engine::{
    absent_as_none,
    reach::{self, How},
    sync_below,
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
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(None) };
    let opened = reach::open(&root, &path, How::Read);
    let Some((mut file, _)) = absent_as_none(opened)? else { return Ok(None) };
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
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(None) };
    let opened = reach::open(&root, &path, How::Read);
    let Some((mut file, _)) = absent_as_none(opened)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The names in a folder; `None` where there is none.
pub(super) fn list(path: &Path) -> io::Result<Option<Vec<String>>> {
    step()?;
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(None) };
    absent_as_none(reach::list(&root, &path))
}

/// A bundle's path as its root, which may be reached through links, and what is below,
/// which may not: `archive`, and names of ours.
fn below(path: &Path) -> io::Result<(PathBuf, String)> {
    let (root, path) = parts(path)?;
    Ok((fs::canonicalize(root)?, path))
}

fn parts(path: &Path) -> io::Result<(&Path, String)> {
    let mut names = Vec::new();
    for place in path.ancestors() {
        let Some(name) = place.file_name().and_then(|name| name.to_str()) else { break };
        names.push(name);
        if name == super::ARCHIVE {
            names.reverse();
            return Ok((place.parent().unwrap_or(Path::new("")), names.join("/")));
        }
    }
    Err(ErrorKind::InvalidInput.into())
}

/// A new file that only its owner may read, as transcripts are private.
pub(super) fn create(path: &Path) -> io::Result<File> {
    step()?;
    let (root, path) = below(path)?;
    let (file, _) = reach::open(&root, &path, How::Create)?;
    file.set_len(0)?;
    Ok(file)
}

/// A folder, with those above it, that only its owner may read.
pub(super) fn create_dirs(path: &Path) -> io::Result<()> {
    step()?;
    reach::create_dirs(parts(path)?.0)?;
    let (root, path) = below(path)?;
    let slashes = path.match_indices('/').map(|(at, _)| at);
    for end in slashes.chain([path.len()]) {
        match reach::create_dir(&root, path.get(..end).unwrap_or_default()) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A file for reading and writing, new where there is none; `None` where its folder is gone.
pub(super) fn open_or_create(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    step()?;
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(None) };
    absent_as_none(reach::open(&root, &path, How::Create))
}

/// What is known of whatever has that name.
pub(super) fn stat(path: &Path) -> io::Result<Option<Metadata>> {
    step()?;
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(None) };
    absent_as_none(reach::stat(&root, &path))
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    let ((root, to), (_, from)) = (below(to)?, below(from)?);
    reach::rename(&root, &from, &to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    step()?;
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(()) };
    absent_as_none(reach::remove_file(&root, &path)).map(drop)
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
    Ok(reach::open(&root, &path, How::Read)?.0)
}

/// Makes the names in a folder last, where the platform can.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    step()?;
    if cfg!(unix) {
        let (root, path) = below(path)?;
        reach::sync_dir(&root, &path)
    } else {
        Ok(())
    }
}

pub(super) fn remove_dir(path: &Path) -> io::Result<()> {
    let Some((root, path)) = absent_as_none(below(path))? else { return Ok(()) };
    absent_as_none(remove_tree(&root, &path)).map(drop)
}

/// Removes a folder and what it holds; links are removed, not followed.
fn remove_tree(root: &Path, path: &str) -> io::Result<()> {
    for name in reach::list(root, path)? {
        let held = format!("{path}/{name}");
        let Some(found) = absent_as_none(reach::stat(root, &held))? else { continue };
        absent_as_none(if found.is_dir() {
            remove_tree(root, &held)
        } else {
            reach::remove_file(root, &held)
        })?;
    }
    reach::remove_dir(root, path)
}
