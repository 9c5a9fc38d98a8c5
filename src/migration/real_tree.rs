//! The file operations of a migration as the operating system carries them out.
//!
//! Nothing of a root is reached through a link below it. Names that are no Unicode, which
//! runs may have, and what is copied are reached after a look at each folder on the way;
//! everything else by [`reach`], which also holds when links are swapped in meanwhile.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, FileTimes, OpenOptions},
    io::{self, Read, Write as _},
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

#[cfg(target_os = "linux")]
use super::layout::{PROJECTS, THREADS};
use super::{
    layout::FOLDER,
    tree::{Kind, Tree},
};
use crate::engine::reach::{self, How};

/// More folders than this are synced by having the system sync whole file systems.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;
/// How much of two files is compared at a time, in bytes.
const BLOCK: usize = 1 << 16;

/// A directory of the real file system.
#[derive(Debug, Clone)]
pub(super) struct RealTree {
    root: PathBuf,
    /// The root without links on the way to it, once it is there.
    reached: OnceLock<PathBuf>,
}

impl RealTree {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), reached: OnceLock::new() }
    }

    /// The root that a file of an absolute path belongs to, and the path below it: the
    /// folder of markers and locks is no link either.
    pub(super) fn of(file: &Path) -> (Self, PathBuf) {
        let folder = file.parent().unwrap_or(Path::new(""));
        let root = match folder.file_name() {
            Some(name) if name == FOLDER => folder.parent().unwrap_or(folder),
            _ => folder,
        };
        (Self::new(root), file.strip_prefix(root).unwrap_or(file).to_owned())
    }

    fn root(&self) -> io::Result<&Path> {
        if let Some(root) = self.reached.get() {
            return Ok(root);
        }
        let root = fs::canonicalize(&self.root)?;
        Ok(self.reached.get_or_init(|| root))
    }

    /// Where a path leads, none of whose folders is a link.
    pub(super) fn at(&self, path: &Path) -> io::Result<PathBuf> {
        let mut reached = self.root()?.to_owned();
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            reached.push(name);
            if names.peek().is_some() {
                refuse_link(&reached)?;
            }
        }
        Ok(reached)
    }

    /// Where a path leads that is no link itself either.
    fn itself(&self, path: &Path) -> io::Result<PathBuf> {
        let path_below = self.at(path)?;
        if !path.as_os_str().is_empty() {
            refuse_link(&path_below)?;
        }
        Ok(path_below)
    }
}

/// A path as [`reach`] takes it; `None` when it is no Unicode.
fn name(path: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = path
        .components()
        .map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    names.map(|names| names.join("/"))
}

/// A link is not followed, whatever it leads to.
fn refuse_link(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_symlink() { Err(reach::linked()) } else { Ok(()) }
}

impl Tree for RealTree {
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        let found = self.root().and_then(|root| match name(path) {
            Some(path) => reach::stat(root, &path),
            None => fs::symlink_metadata(self.at(path)?),
        });
        match found {
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
        fs::read_dir(self.itself(folder)?)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match name(file) {
            Some(file) => reach::open(self.root()?, &file, How::Read)?.0,
            None => open_file(&self.at(file)?)?,
        }
        .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn may_change(&self, folder: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::fs::access(
            self.itself(folder)?,
            rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
        )?;
        // Elsewhere, the operation itself finds out.
        #[cfg(not(target_os = "linux"))]
        let _ = folder;
        Ok(())
    }

    fn create_dirs(&self, folder: &Path) -> io::Result<()> {
        if self.reached.get().is_none() {
            reach::create_dirs(&self.root)?;
        }
        let mut made = PathBuf::new();
        for component in folder.components() {
            made.push(component);
            let created = match name(&made) {
                Some(made) => reach::create_dir(self.root()?, &made),
                None => reach::private_dirs().create(self.at(&made)?),
            };
            match created {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Err(error) if self.kind(&made)? != Some(Kind::Folder) => {
                    refuse_link(&self.at(&made)?)?;
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn write_new(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = new_private_file(&self.at(file)?)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        match (name(from), name(to)) {
            (Some(from), Some(to)) => reach::rename(self.root()?, &from, &to),
            _ => fs::rename(self.at(from)?, self.at(to)?),
        }
    }

    fn copy_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut from = open_file(&self.at(from)?)?;
        let metadata = from.metadata()?;
        let mut to = new_private_file(&self.at(to)?)?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(metadata.permissions())?;
        if let (Ok(modified), Ok(accessed)) = (metadata.modified(), metadata.accessed()) {
            to.set_times(FileTimes::new().set_modified(modified).set_accessed(accessed))?;
        }
        to.sync_all()
    }

    fn copy_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let says = fs::read_link(self.at(from)?)?;
        #[cfg(unix)]
        return std::os::unix::fs::symlink(says, self.at(to)?);
        #[cfg(not(unix))]
        {
            let _ = (says, to);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn finish_folder(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.itself(from)?, self.itself(to)?);
        sync_dir(&to)?;
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    }

    fn is_same(&self, a: &Path, b: &Path, kind: Kind) -> io::Result<bool> {
        let (a, b) = (self.at(a)?, self.at(b)?);
        if kind == Kind::Link {
            return Ok(fs::read_link(a)? == fs::read_link(b)?);
        }
        let (mut a, mut b) = (open_file(&a)?, open_file(&b)?);
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
        match name(path) {
            Some(path) => reach::remove_file(self.root()?, &path),
            None => fs::remove_file(self.at(path)?),
        }
    }

    fn remove_dir(&self, folder: &Path) -> io::Result<()> {
        match name(folder) {
            Some(folder) => reach::remove_dir(self.root()?, &folder),
            None => fs::remove_dir(self.at(folder)?),
        }
    }

    fn sync(&self, folders: &BTreeSet<PathBuf>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if folders.len() > SYNC_ONE_BY_ONE {
            return self.sync_all();
        }
        folders.iter().try_for_each(|folder| sync_dir(&self.itself(folder)?))
    }

    fn sync_all(&self) -> io::Result<()> {
        // Each of them may be on a file system of its own.
        #[cfg(target_os = "linux")]
        for folder in ["", THREADS, PROJECTS] {
            match self.itself(Path::new(folder)).and_then(File::open) {
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
    reach::private_file().create_new(true).open(path)
}

/// Opens a file for reading; a pipe in its place is not waited for, and refused, as is a
/// link.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW,
    );
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Makes the entries of a folder survive a power cut; elsewhere than on Unix, the file
/// system sees to that itself.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    reach::sync_folder(&File::open(path)?)?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
