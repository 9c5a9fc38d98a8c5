//! The file operations that bundles are made of.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use crate::engine::sync_below;

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
pub(super) struct Digest {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Takes a digest of bytes as they come.
#[derive(Debug, Default)]
pub(super) struct Digester {
    bytes: u64,
    hash: Sha256,
}

impl Digester {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(super) fn finish(self) -> Digest {
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
    let Some(mut file) = absent_as_none(File::open(path))? else { return Ok(None) };
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
    absent_as_none(fs::read(path))
}

/// The names in a folder; `None` where there is none.
pub(super) fn list(path: &Path) -> io::Result<Option<Vec<String>>> {
    step()?;
    let Some(entries) = absent_as_none(fs::read_dir(path))? else { return Ok(None) };
    let name = |entry: io::Result<fs::DirEntry>| {
        entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect::<io::Result<_>>().map(Some)
}

/// A new file that only its owner may read, as transcripts are private.
pub(super) fn create(path: &Path) -> io::Result<File> {
    step()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A folder, with those above it, that only its owner may read.
pub(super) fn create_dirs(path: &Path) -> io::Result<()> {
    step()?;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Adds to a file that was created.
pub(super) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
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
    File::open(path)
}

/// Makes a file appear with all that it holds, or not at all.
pub(super) fn put(path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let written = create(Path::new(&beside))
        .and_then(|mut file| {
            step()?;
            file.write_all(bytes)?;
            if durable { file.sync_all() } else { Ok(()) }
        })
        .and_then(|()| step())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside); // the error that counts is the first one
    }
    written
}

/// Makes the names in a folder last, where the platform can.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    step()?;
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

pub(super) fn remove_dir(path: &Path) -> io::Result<()> {
    absent_as_none(fs::remove_dir_all(path)).map(drop)
}

pub(super) fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
