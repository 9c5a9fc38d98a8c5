//! The file operations as the operating system carries them out.

mod file;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::SystemTime,
};

use super::{Disk, OpenFile, boot::boot};
#[cfg(unix)]
use crate::fs::stat_named_cached;
use crate::{
    engine::path::{FRAMES, LOCK, OLD_JOURNAL},
    fs::{Access, Folder, Stat, create_root, nanos, optional, would_block},
};
use file::{RealFile, close_now, read_all, read_all_now, read_at, read_at_now, write_at};

/// How many files and folders are synced one by one; more are synced by having the
/// system sync the whole file system, where it can.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;

/// A root directory of the real file system.
#[derive(Debug)]
pub struct RealDisk {
    root: PathBuf,
    /// The root, once it is there.
    reached: RwLock<Option<Folder>>,
    /// That stays so: it is one folder, whichever gets its name.
    is_held: bool,
}

impl RealDisk {
    /// The directory at `root`, which need not exist. It may be a link; nothing below it
    /// is followed.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), reached: RwLock::default(), is_held: false }
    }

    fn root(&self) -> io::Result<Folder> {
        let reached = self.reached.read().unwrap_or_else(PoisonError::into_inner).clone();
        reached.map_or_else(|| self.reach_anew(), Ok)
    }

    /// Follows the links on the way to the root, which may lead elsewhere by now.
    fn reach_anew(&self) -> io::Result<Folder> {
        let root = Folder::find(&self.root)?;
        *self.reached.write().unwrap_or_else(PoisonError::into_inner) = Some(root.clone());
        Ok(root)
    }

    /// The root where it is known to be: looking for it may have to be waited for.
    fn root_now(&self) -> io::Result<Folder> {
        let reached = self.reached.try_read().map_err(|_| would_block())?;
        reached.clone().ok_or_else(would_block)
    }

    fn file(&self, path: &str, access: Access) -> io::Result<(File, Stat)> {
        self.root()?.open(Path::new(path), access)
    }
}

/// Has the file system set the time of the last change to its own.
#[cfg(unix)]
const JUST_NOW: rustix::fs::Timestamps = {
    use rustix::fs::{Timespec, UTIME_NOW, UTIME_OMIT};
    let as_it_is = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    rustix::fs::Timestamps { last_access: as_it_is, last_modification: now }
};

/// Makes files and folders below `root`, with `/` between their names, survive a power
/// cut, passing over what is gone.
///
/// # Errors
/// When the system cannot say that they do.
pub fn sync_below(
    root: &Path,
    files: &BTreeSet<String>,
    folders: &BTreeSet<String>,
) -> io::Result<()> {
    RealDisk::new(root).sync(files, folders)
}

impl Disk for RealDisk {
    fn pin(&self) -> io::Result<Arc<dyn Disk>> {
        let root = if mutant!(TreeByName) { None } else { Some(Folder::hold(&self.root)?) };
        let is_held = root.as_ref().is_some_and(Folder::is_held);
        let reached = RwLock::new(root.filter(|_| is_held));
        Ok(Arc::new(Self { root: self.root.clone(), reached, is_held }))
    }

    fn boot(&self) -> u64 {
        boot()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let (file, stat) = self.file(path, Access::Read)?;
        read_all(&file, stat.len)
    }

    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(&self.file(path, Access::Read)?.0, offset, len)
    }

    fn stat(&self, path: &str) -> io::Result<Stat> {
        // These are looked at all the time, and by the name of the root: whether they are
        // still the same is the question.
        let metadata = match path {
            _ if self.is_held => return self.root()?.stat(Path::new(path)),
            "" => fs::metadata(&self.root),
            FRAMES | LOCK | OLD_JOURNAL => fs::symlink_metadata(self.root.join(path)),
            _ => return self.root()?.stat(Path::new(path)),
        }?;
        Stat::of(&metadata, || self.root.join(path))
    }

    fn stats(&self, folder: &str, names: &[String]) -> io::Result<Vec<Option<Stat>>> {
        let stats = self.root().and_then(|root| root.stats(Path::new(folder), names));
        Ok(optional(stats)?.unwrap_or_else(|| vec![None; names.len()]))
    }

    fn clock(&self) -> u64 {
        // Another machine's clock tells the times of a file system of its own.
        #[cfg(unix)]
        if let Ok((file, _)) = self.file(LOCK, Access::ReadWrite)
            && rustix::fs::futimens(&file, &JUST_NOW).is_ok()
            && let Ok(stat) = file.metadata().and_then(|found| Stat::of(&found, PathBuf::new))
        {
            return stat.touched;
        }
        nanos(Ok(SystemTime::now()))
    }

    fn read_now(&self, path: &str, max: usize) -> io::Result<Vec<u8>> {
        let (file, stat) = self.root_now()?.open_cached(Path::new(path))?;
        let len = usize::try_from(stat.len).ok().filter(|len| *len <= max);
        let bytes = len.map_or_else(|| Err(would_block()), |len| read_all_now(&file, len));
        close_now(file);
        bytes
    }

    fn read_at_now(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let (file, _) = self.root_now()?.open_cached(Path::new(path))?;
        let bytes = read_at_now(&file, offset, len);
        close_now(file);
        bytes
    }

    fn stat_now(&self, path: &str) -> io::Result<Stat> {
        match path {
            #[cfg(unix)]
            FRAMES if !self.is_held => stat_named_cached(&self.root.join(FRAMES)),
            _ => self.root_now()?.stat_cached(Path::new(path)),
        }
    }

    fn list_some(&self, path: &str, most: usize) -> io::Result<Vec<String>> {
        // Names that are no Unicode are not ours.
        let unicode = |name: &OsStr| name.to_str().map(str::to_owned);
        self.root()?.list(Path::new(path), most, unicode)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.root()?.create_dir(Path::new(path))
    }

    fn create_root(&self) -> io::Result<usize> {
        if optional(fs::metadata(&self.root))?.is_some_and(|found| found.is_dir()) {
            return Ok(0);
        }
        let mut missing = Vec::new();
        for dir in self.root.ancestors() {
            if dir.try_exists()? {
                break;
            }
            missing.push(dir);
        }
        create_root(&self.root)?;
        for made in &missing {
            if let Some(above) = made.parent() {
                sync_above(above)?;
            }
        }
        Ok(missing.len())
    }

    fn remove_root(&self, made: usize) {
        let mut folders = self.root.ancestors().take(made);
        while folders.next().is_some_and(|folder| fs::remove_dir(folder).is_ok()) {}
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (file, stat) = self.file(path, Access::Create)?;
        #[cfg(all(test, unix))]
        if mutant!(KeepTemporaryMode) {
            use std::os::unix::fs::PermissionsExt as _;
            file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        if stat.len > 0 {
            file.set_len(0)?;
        }
        write_at(&file, 0, bytes)
    }

    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (file, stat) = self.file(path, Access::Create)?;
        if stat.len > offset {
            file.set_len(offset)?;
        }
        write_at(&file, offset, bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.root()?.rename(Path::new(from), Path::new(to))
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.root()?.remove_file(Path::new(path))
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.root()?.remove_dir(Path::new(path))
    }

    fn sync_all(&self) -> io::Result<()> {
        if cfg!(target_os = "linux") {
            #[cfg(target_os = "linux")]
            rustix::fs::syncfs(self.root()?.open_dir(Path::new(""))?)?;
            return Ok(());
        }
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![String::new()];
        while let Some(folder) = waiting.pop() {
            for name in optional(self.list(&folder))?.unwrap_or_default() {
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                match optional(self.stat(&path))? {
                    Some(stat) if stat.is_dir => waiting.push(path),
                    Some(stat) if stat.is_file => drop(files.insert(path)),
                    _ => {}
                }
            }
            folders.insert(folder);
        }
        self.sync(&files, &folders)
    }

    fn sync(&self, files: &BTreeSet<String>, folders: &BTreeSet<String>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if files.len() + folders.len() > SYNC_ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(self.root()?.open_dir(Path::new(""))?)?);
        }
        let root = self.root()?;
        for path in files {
            if let Some((file, _)) = optional(root.open(Path::new(path), Access::Read))? {
                file.sync_data()?;
            }
        }
        for folder in folders {
            optional(root.sync_dir(Path::new(folder)))?;
        }
        Ok(())
    }

    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>> {
        let root = if self.is_held || path == LOCK { self.root() } else { self.reach_anew() }?;
        let (path, access) =
            (Path::new(path), if create { Access::Create } else { Access::ReadWrite });
        let mut refused = None;
        let (file, stat) = match root.open(path, access) {
            Err(error) if !create && is_refused(&error) => {
                refused = error.raw_os_error();
                root.open(path, Access::Read)
            }
            opened => opened,
        }?;
        Ok(Box::new(RealFile::new(file, stat.id, refused)))
    }

    fn open_to_read(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        let (file, stat) = self.file(path, Access::Read)?;
        Ok(Box::new(RealFile::to_read(file, stat.id)))
    }

    fn open_to_read_now(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        let (file, stat) = self.root_now()?.open_cached(Path::new(path))?;
        Ok(Box::new(RealFile::to_read(file, stat.id)))
    }
}

/// Whether a file may be there for reading alone.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Makes the entries of a folder above the root survive a power cut.
fn sync_above(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    crate::fs::sync_folder(&File::open(folder)?)?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
