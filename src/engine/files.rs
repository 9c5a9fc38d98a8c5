//! The file operations that everything else is made of.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::RelPath;

/// A file operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("{op} `{path}`: {source}")]
pub struct FileError {
    /// What was being done.
    pub op: &'static str,
    /// The file or folder, relative to the root; `.` for the root itself.
    pub path: String,
    /// The system's error.
    pub source: io::Error,
}

trait During<T> {
    fn during(self, op: &'static str, path: &RelPath) -> Result<T, FileError>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, op: &'static str, path: &RelPath) -> Result<T, FileError> {
        self.map_err(|source| FileError { op, path: path.as_str().to_owned(), source })
    }
}

/// What tells one directory from another, whatever it is called.
#[cfg(unix)]
pub(super) type Identity = (u64, u64);
/// What tells one directory from another, whatever it is called.
#[cfg(not(unix))]
pub(super) type Identity = PathBuf;

/// The identity of the directory at `root`; `None` where there is nothing.
pub(super) fn identity(root: &Path) -> Result<Option<Identity>, FileError> {
    let about_root = |source| FileError { op: "open root", path: ".".to_owned(), source };
    let metadata = match fs::metadata(root) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(about_root(error)),
    };
    if !metadata.is_dir() {
        return Err(about_root(ErrorKind::NotADirectory.into()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Some((metadata.dev(), metadata.ino())))
    }
    #[cfg(not(unix))]
    fs::canonicalize(root).map(Some).map_err(about_root)
}

pub(super) fn read(root: &Path, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
    absent_as_none(fs::read(path.under(root))).during("read", path)
}

pub(super) fn list(root: &Path, path: &RelPath) -> Result<Vec<String>, FileError> {
    let entries = absent_as_none(fs::read_dir(path.under(root))).during("list", path)?;
    let mut names = Vec::new();
    for entry in entries.into_iter().flatten() {
        // A name that is not Unicode cannot be one of ours.
        if let Ok(name) = entry.during("list", path)?.file_name().into_string() {
            names.push(name);
        }
    }
    Ok(names)
}

pub(super) fn exists(root: &Path, path: &RelPath) -> Result<bool, FileError> {
    let metadata = absent_as_none(fs::metadata(path.under(root))).during("stat", path)?;
    Ok(metadata.is_some())
}

pub(super) fn len(root: &Path, path: &RelPath) -> Result<u64, FileError> {
    let metadata = absent_as_none(fs::metadata(path.under(root))).during("stat", path)?;
    Ok(metadata.map_or(0, |metadata| metadata.len()))
}

pub(super) fn read_at(
    root: &Path,
    path: &RelPath,
    offset: u64,
    len: usize,
) -> Result<Vec<u8>, FileError> {
    let Some(mut file) = absent_as_none(File::open(path.under(root))).during("read", path)? else {
        return Ok(Vec::new());
    };
    let mut bytes = Vec::with_capacity(len);
    file.seek(SeekFrom::Start(offset)).during("read", path)?;
    file.take(len as u64).read_to_end(&mut bytes).during("read", path)?;
    Ok(bytes)
}

/// Writes beside and renames, so that a reader sees the old bytes or the new.
pub(super) fn put(root: &Path, path: &RelPath, bytes: &[u8]) -> Result<(), FileError> {
    static BESIDE: AtomicU64 = AtomicU64::new(0);
    let target = path.under(root);
    let number = BESIDE.fetch_add(1, Ordering::Relaxed);
    let mut beside = target.clone().into_os_string();
    beside.push(format!(".{}.{number}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = with_parents(&target, || new_file().create_new(true).open(&beside))
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        let _ = fs::remove_file(&beside); // the error that counts is the first one
    }
    written.during("write", path)
}

/// Writes at `offset` and cuts whatever came after; takes back what it wrote when
/// it fails.
pub(super) fn append(
    root: &Path,
    path: &RelPath,
    offset: u64,
    bytes: &[u8],
) -> Result<(), FileError> {
    let target = path.under(root);
    let open = || new_file().create(true).truncate(false).open(&target);
    let mut file = with_parents(&target, open).during("append", path)?;
    let written = cut(&file, offset).and_then(|()| {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    });
    if written.is_err() {
        let _ = file.set_len(offset); // the error that counts is the first one
    }
    written.during("append", path)
}

fn cut(file: &File, len: u64) -> io::Result<()> {
    if file.metadata()?.len() > len { file.set_len(len) } else { Ok(()) }
}

pub(super) fn remove_tree(root: &Path, path: &RelPath) -> Result<(), FileError> {
    let target = path.under(root);
    let removed = match fs::symlink_metadata(&target) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&target),
        Ok(_) => fs::remove_file(&target),
        Err(error) => Err(error),
    };
    absent_as_none(removed).during("remove", path).map(drop)
}

/// Tries `open`, and once more after making the folders it needs.
fn with_parents<T>(target: &Path, open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match (open(), target.parent()) {
        (Err(error), Some(parent)) if error.kind() == ErrorKind::NotFound => {
            create_dirs(parent)?;
            open()
        }
        (opened, _) => opened,
    }
}

/// Transcripts are private: files are `0600` where the platform has modes.
fn new_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Transcripts are private: folders are `0700` where the platform has modes.
fn create_dirs(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A stray file where a folder would be has nothing in it either.
fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_replaces_and_leaves_nothing_beside() {
        let root = tempfile::tempdir().unwrap();
        let path = RelPath::of("a").at("b").at("c.json");
        put(root.path(), &path, b"one").unwrap();
        put(root.path(), &path, b"two").unwrap();
        assert_eq!(read(root.path(), &path).unwrap().unwrap(), b"two");
        assert_eq!(list(root.path(), &RelPath::of("a").at("b")).unwrap(), ["c.json"]);
    }

    #[test]
    fn an_append_cuts_what_came_after_its_offset() {
        let root = tempfile::tempdir().unwrap();
        let log = RelPath::of("log");
        append(root.path(), &log, 0, b"line\ntorn").unwrap();
        append(root.path(), &log, 5, b"x\n").unwrap();
        assert_eq!(read(root.path(), &log).unwrap().unwrap(), b"line\nx\n");
        assert_eq!(read_at(root.path(), &log, 5, 10).unwrap(), b"x\n");
        assert_eq!(len(root.path(), &log).unwrap(), 7);
    }

    #[test]
    fn what_is_missing_reads_as_nothing() {
        let root = tempfile::tempdir().unwrap();
        let missing = RelPath::of("missing").at("x");
        assert!(read(root.path(), &missing).unwrap().is_none());
        assert!(list(root.path(), &missing).unwrap().is_empty());
        assert_eq!(len(root.path(), &missing).unwrap(), 0);
        remove_tree(root.path(), &missing).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_are_private() {
        use std::os::unix::fs::MetadataExt as _;
        let root = tempfile::tempdir().unwrap();
        let path = RelPath::of("d").at("f");
        put(root.path(), &path, b"").unwrap();
        let mode = |name: &str| fs::metadata(root.path().join(name)).unwrap().mode() & 0o777;
        assert_eq!((mode("d"), mode("d/f")), (0o700, 0o600));
    }

    #[test]
    fn a_failure_names_the_operation_and_the_path() {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), &RelPath::of("file"), b"").unwrap();
        let error = put(root.path(), &RelPath::of("file").at("x"), b"").unwrap_err();
        assert_eq!((error.op, error.path.as_str()), ("write", "file/x"));
    }
}
