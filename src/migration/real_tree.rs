//! The file operations of a migration as the operating system carries them out.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{File, FileTimes},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    sync::OnceLock,
};

#[cfg(target_os = "linux")]
use super::layout::{PROJECTS, THREADS};
use super::{
    layout::FOLDER,
    tree::{Kind, Tree},
};
use crate::fs::{Access, Folder, Stat, create_root};

/// More folders than this are synced by having the system sync whole file systems.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;
/// How much of two files is compared at a time, in bytes.
const BLOCK: usize = 1 << 16;

/// A directory of the real file system.
#[derive(Debug, Clone)]
pub(super) struct RealTree {
    root: PathBuf,
    /// The root, once it is there.
    reached: OnceLock<Folder>,
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

    fn root(&self) -> io::Result<&Folder> {
        if let Some(root) = self.reached.get() {
            return Ok(root);
        }
        let root = Folder::find(&self.root)?;
        Ok(self.reached.get_or_init(|| root))
    }

    /// Opens a file of an application, which may have other names.
    fn open(&self, path: &Path) -> io::Result<(File, Stat)> {
        self.root()?.open_linked(path, Access::Read)
    }
}

impl Tree for RealTree {
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        match self.root().and_then(|root| root.stat(path)) {
            Ok(Stat { is_dir: true, .. }) => Ok(Some(Kind::Folder)),
            Ok(Stat { is_file: true, .. }) => Ok(Some(Kind::File)),
            Ok(Stat { is_link: true, .. }) => Ok(Some(Kind::Link)),
            Ok(_) => Ok(Some(Kind::Other)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.root()?.names(folder)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.root()?.open(file, Access::Read)?.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn may_change(&self, folder: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Access, AtFlags, accessat};
            let folder = self.root()?.open_dir(folder)?;
            accessat(folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?;
        }
        // Elsewhere, the operation itself finds out.
        #[cfg(not(target_os = "linux"))]
        let _ = folder;
        Ok(())
    }

    fn create_dirs(&self, folder: &Path) -> io::Result<()> {
        if self.reached.get().is_none() {
            create_root(&self.root)?;
        }
        self.root()?.create_dirs(folder)
    }

    fn write_new(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let (mut file, _) = self.root()?.open(file, Access::CreateNew)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.root()?.rename(from, to)
    }

    fn copy_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (mut from, _) = self.open(from)?;
        let metadata = from.metadata()?;
        let (mut to, _) = self.root()?.open(to, Access::CreateNew)?;
        io::copy(&mut from, &mut to)?;
        to.set_permissions(metadata.permissions())?;
        if let (Ok(modified), Ok(accessed)) = (metadata.modified(), metadata.accessed()) {
            to.set_times(FileTimes::new().set_modified(modified).set_accessed(accessed))?;
        }
        to.sync_all()
    }

    fn copy_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let root = self.root()?;
        root.create_link(&root.read_link(from)?, to)
    }

    fn finish_folder(&self, from: &Path, to: &Path) -> io::Result<()> {
        let root = self.root()?;
        root.sync_dir(to)?;
        // Elsewhere than on Unix, folders have no modes.
        #[cfg(unix)]
        root.open_dir(to)?.set_permissions(root.open_dir(from)?.metadata()?.permissions())?;
        #[cfg(not(unix))]
        let _ = from;
        Ok(())
    }

    fn is_same(&self, a: &Path, b: &Path, kind: Kind) -> io::Result<bool> {
        if kind == Kind::Link {
            return Ok(self.root()?.read_link(a)? == self.root()?.read_link(b)?);
        }
        let ((mut a, of_a), (mut b, of_b)) = (self.open(a)?, self.open(b)?);
        if of_a.len != of_b.len {
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
        self.root()?.remove_file(path)
    }

    fn remove_dir(&self, folder: &Path) -> io::Result<()> {
        self.root()?.remove_dir(folder)
    }

    fn sync(&self, folders: &BTreeSet<PathBuf>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if folders.len() > SYNC_ONE_BY_ONE {
            return self.sync_all();
        }
        folders.iter().try_for_each(|folder| self.root()?.sync_dir(folder))
    }

    fn sync_all(&self) -> io::Result<()> {
        // Each of them may be on a file system of its own.
        #[cfg(target_os = "linux")]
        for folder in ["", THREADS, PROJECTS] {
            match self.root().and_then(|root| root.open_dir(Path::new(folder))) {
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
