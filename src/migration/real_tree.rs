//! The file operations of a migration as the operating system carries them out.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, DirBuilder, File, FileTimes, OpenOptions},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

#[cfg(target_os = "linux")]
use super::layout::{PROJECTS, THREADS};
use super::tree::{Kind, Tree};

/// More folders than this are synced by having the system sync whole file systems.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;
/// How much of two files is compared at a time, in bytes.
const BLOCK: usize = 1 << 16;

/// A directory of the real file system.
#[derive(Debug, Clone)]
pub(super) struct RealTree {
    root: PathBuf,
}

impl RealTree {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn at(&self, path: &Path) -> PathBuf {
        // Joining an empty path would add a separator.
        if path.as_os_str().is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Tree for RealTree {
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        match fs::symlink_metadata(self.at(path)) {
            Ok(metadata) => Ok(Some(match metadata.file_type() {
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_file() => Kind::File,
                kind if kind.is_symlink() => Kind::Link,
                _ => Kind::Other,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(self.at(folder))?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open_file(&self.at(file))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn may_change(&self, folder: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::fs::access(
            self.at(folder),
            rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
        )?;
        // Elsewhere, the operation itself finds out.
        #[cfg(not(target_os = "linux"))]
        let _ = folder;
        Ok(())
    }

    fn create_dirs(&self, folder: &Path) -> io::Result<()> {
        private_dirs().create(self.at(folder))
    }

    fn write_new(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = new_private_file(&self.at(file))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.at(from), self.at(to))
    }

    fn copy_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut from = File::open(self.at(from))?;
        let metadata = from.metadata()?;
        let mut to = new_private_file(&self.at(to))?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(metadata.permissions())?;
        if let (Ok(modified), Ok(accessed)) = (metadata.modified(), metadata.accessed()) {
            to.set_times(FileTimes::new().set_modified(modified).set_accessed(accessed))?;
        }
        to.sync_all()
    }

    fn copy_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let says = fs::read_link(self.at(from))?;
        #[cfg(unix)]
        return std::os::unix::fs::symlink(says, self.at(to));
        #[cfg(not(unix))]
        {
            let _ = (says, to);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn finish_folder(&self, from: &Path, to: &Path) -> io::Result<()> {
        sync_dir(&self.at(to))?;
        fs::set_permissions(self.at(to), fs::metadata(self.at(from))?.permissions())
    }

    fn is_same(&self, a: &Path, b: &Path, kind: Kind) -> io::Result<bool> {
        let (a, b) = (self.at(a), self.at(b));
        if kind == Kind::Link {
            return Ok(fs::read_link(a)? == fs::read_link(b)?);
        }
        let (mut a, mut b) = (File::open(a)?, File::open(b)?);
        if a.metadata()?.len() != b.metadata()?.len() {
            return Ok(false);
        }
        loop {
            let (one, other) = (block(&mut a)?, block(&mut b)?);
            if one != other {
                return Ok(false);
            }
            if one.is_empty() {
                return Ok(true);
            }
        }
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(self.at(path))
    }

    fn remove_dir(&self, folder: &Path) -> io::Result<()> {
        fs::remove_dir(self.at(folder))
    }

    fn sync(&self, folders: &BTreeSet<PathBuf>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if folders.len() > SYNC_ONE_BY_ONE {
            return self.sync_all();
        }
        folders.iter().try_for_each(|folder| sync_dir(&self.at(folder)))
    }

    fn sync_all(&self) -> io::Result<()> {
        // Each of them may be on a file system of its own.
        #[cfg(target_os = "linux")]
        for folder in ["", THREADS, PROJECTS] {
            match File::open(self.at(Path::new(folder))) {
                Ok(folder) => rustix::fs::syncfs(folder)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The next bytes of a file: none at its end.
fn block(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(BLOCK);
    Read::by_ref(file).take(BLOCK as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Transcripts are private: files are `0600` where the platform has modes.
pub(super) fn new_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Opens a file for reading; a pipe in its place is not waited for, and refused.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Transcripts are private: folders are `0700` where the platform has modes.
fn private_dirs() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Makes the entries of a folder survive a power cut; elsewhere than on Unix, the file
/// system sees to that itself.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
