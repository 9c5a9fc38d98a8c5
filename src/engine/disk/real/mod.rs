//! The file operations as the operating system carries them out.

mod file;
pub(crate) mod reach;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{Disk, OpenFile, Stat, absent_as_none, boot::boot, waiting};
use crate::engine::path::{FRAMES, LOCK, OLD_JOURNAL};
use file::{RealFile, close_now, id, read_all, read_all_now, read_at, read_at_now, write_at};
use reach::{How, Root};

/// How many files and folders are synced one by one; more are synced by having the
/// system sync the whole file system, where it can.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;

/// A root directory of the real file system.
#[derive(Debug)]
pub struct RealDisk {
    root: PathBuf,
    /// How the root is reached, once it is there.
    reached: RwLock<Option<Reached>>,
    /// That stays so: it is one folder, whichever gets its name.
    is_held: bool,
}

/// A folder that was a root when it was looked for.
#[derive(Debug, Clone)]
struct Reached {
    /// Without links on the way to it, where that matters.
    path: Arc<Path>,
    /// The folder itself, where it is held on to.
    #[cfg(target_os = "linux")]
    folder: Option<Arc<std::os::fd::OwnedFd>>,
}

impl Reached {
    fn by_path(path: &Path) -> Self {
        Self {
            path: Arc::from(path),
            #[cfg(target_os = "linux")]
            folder: None,
        }
    }
}

impl<'r> From<&'r Reached> for Root<'r> {
    fn from(reached: &'r Reached) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(folder) = &reached.folder {
            return Root::open(&reached.path, folder);
        }
        (&*reached.path).into()
    }
}

impl RealDisk {
    /// The directory at `root`, which need not exist. It may be a link; nothing below it
    /// is followed.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), reached: RwLock::default(), is_held: false }
    }

    fn root(&self) -> io::Result<Reached> {
        let reached = self.reached.read().unwrap_or_else(PoisonError::into_inner).clone();
        reached.map_or_else(|| self.reach_anew(), Ok)
    }

    /// Follows the links on the way to the root, which may lead elsewhere by now.
    fn reach_anew(&self) -> io::Result<Reached> {
        let follow = cfg!(target_os = "linux");
        let root = if follow { fs::canonicalize(&self.root)? } else { self.root.clone() };
        let root = Reached::by_path(&root);
        *self.reached.write().unwrap_or_else(PoisonError::into_inner) = Some(root.clone());
        Ok(root)
    }

    /// The root where it is known to be: looking for it may have to be waited for.
    fn root_now(&self) -> io::Result<Reached> {
        let reached = self.reached.try_read().map_err(|_| waiting())?;
        reached.clone().ok_or_else(waiting)
    }

    fn file(&self, path: &str, how: How) -> io::Result<(File, Metadata)> {
        reach::open(&self.root()?, path, how)
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

fn stat_of(path: &Path, metadata: &Metadata) -> io::Result<Stat> {
    Ok(Stat {
        len: metadata.len(),
        is_dir: metadata.is_dir(),
        is_file: metadata.is_file(),
        id: id(path, metadata)?,
        changed: nanos(metadata.modified()),
        touched: touched(metadata),
    })
}

fn nanos(time: io::Result<SystemTime>) -> u64 {
    let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}

#[cfg(unix)]
fn touched(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) = (metadata.ctime(), metadata.ctime_nsec());
    let seconds = u64::try_from(seconds).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(nanos).unwrap_or(0))
}

#[cfg(not(unix))]
fn touched(metadata: &Metadata) -> u64 {
    nanos(metadata.modified())
}

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
        #[cfg(target_os = "linux")]
        if !mutant!(TreeByName)
            && let Some(folder) = reach::hold(&self.root)?
        {
            let path = Arc::from(&*self.root);
            let reached = RwLock::new(Some(Reached { path, folder: Some(Arc::new(folder)) }));
            return Ok(Arc::new(Self { root: self.root.clone(), reached, is_held: true }));
        }
        Ok(Arc::new(Self::new(&self.root)))
    }

    fn boot(&self) -> u64 {
        boot()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let (file, metadata) = self.file(path, How::Read)?;
        read_all(&file, metadata.len())
    }

    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(&self.file(path, How::Read)?.0, offset, len)
    }

    fn stat(&self, path: &str) -> io::Result<Stat> {
        // These are looked at all the time, and by the name of the root: whether they are
        // still the same is the question.
        let metadata = match path {
            _ if self.is_held => reach::stat(&self.root()?, path),
            "" => fs::metadata(&self.root),
            FRAMES | LOCK | OLD_JOURNAL => fs::symlink_metadata(self.root.join(path)),
            _ => reach::stat(&self.root()?, path),
        }?;
        stat_of(&self.root.join(path), &metadata)
    }

    #[cfg(target_os = "linux")]
    fn stats(&self, folder: &str, names: &[String]) -> io::Result<Vec<Option<Stat>>> {
        let stats = self.root().and_then(|root| reach::stats(&root, folder, names));
        Ok(absent_as_none(stats)?.unwrap_or_else(|| vec![None; names.len()]))
    }

    fn clock(&self) -> u64 {
        // Another machine's clock tells the times of a file system of its own.
        #[cfg(unix)]
        if let Ok((file, _)) = self.file(LOCK, How::Update)
            && rustix::fs::futimens(&file, &JUST_NOW).is_ok()
            && let Ok(metadata) = file.metadata()
        {
            return touched(&metadata);
        }
        nanos(Ok(SystemTime::now()))
    }

    fn read_now(&self, path: &str, max: usize) -> io::Result<Vec<u8>> {
        let (file, metadata) = reach::open_now(&self.root_now()?, path)?;
        let len = usize::try_from(metadata.len()).ok().filter(|len| *len <= max);
        let bytes = len.map_or_else(|| Err(waiting()), |len| read_all_now(&file, len));
        close_now(file);
        bytes
    }

    fn read_at_now(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let (file, _) = reach::open_now(&self.root_now()?, path)?;
        let bytes = read_at_now(&file, offset, len);
        close_now(file);
        bytes
    }

    fn stat_now(&self, path: &str) -> io::Result<Stat> {
        let metadata = match path {
            FRAMES if !self.is_held => reach::stat_named_now(&self.root.join(FRAMES)),
            _ => reach::stat_now(&self.root_now()?, path),
        }?;
        stat_of(&self.root.join(path), &metadata)
    }

    fn list_some(&self, path: &str, most: usize) -> io::Result<Vec<String>> {
        reach::list_some(&self.root()?, path, most)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        reach::create_dir(&self.root()?, path)
    }

    fn create_root(&self) -> io::Result<usize> {
        if absent_as_none(fs::metadata(&self.root))?.is_some_and(|found| found.is_dir()) {
            return Ok(0);
        }
        let mut missing = Vec::new();
        for dir in self.root.ancestors() {
            if dir.try_exists()? {
                break;
            }
            missing.push(dir);
        }
        reach::create_dirs(&self.root)?;
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
        let (file, metadata) = self.file(path, How::Create)?;
        #[cfg(all(test, unix))]
        if mutant!(KeepTemporaryMode) {
            use std::os::unix::fs::PermissionsExt as _;
            file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        if metadata.len() > 0 {
            file.set_len(0)?;
        }
        write_at(&file, 0, bytes)
    }

    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (file, metadata) = self.file(path, How::Create)?;
        if metadata.len() > offset {
            file.set_len(offset)?;
        }
        write_at(&file, offset, bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        reach::rename(&self.root()?, from, to)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        reach::remove_file(&self.root()?, path)
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        reach::remove_dir(&self.root()?, path)
    }

    fn sync_all(&self) -> io::Result<()> {
        if cfg!(target_os = "linux") {
            #[cfg(target_os = "linux")]
            rustix::fs::syncfs(reach::open_root(&self.root()?)?)?;
            return Ok(());
        }
        let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![String::new()];
        while let Some(folder) = waiting.pop() {
            for name in absent_as_none(self.list(&folder))?.unwrap_or_default() {
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                match absent_as_none(self.stat(&path))? {
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
            return Ok(rustix::fs::syncfs(reach::open_root(&self.root()?)?)?);
        }
        let root = self.root()?;
        for path in files {
            if let Some((file, _)) = absent_as_none(reach::open(&root, path, How::Read))? {
                file.sync_data()?;
            }
        }
        for folder in folders {
            absent_as_none(reach::sync_dir(&root, folder))?;
        }
        Ok(())
    }

    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>> {
        let root = if self.is_held || path == LOCK { self.root() } else { self.reach_anew() }?;
        let how = if create { How::Create } else { How::Update };
        let mut refused = None;
        let (file, metadata) = match reach::open(&root, path, how) {
            Err(error) if !create && is_refused(&error) => {
                refused = error.raw_os_error();
                reach::open(&root, path, How::Read)
            }
            opened => opened,
        }?;
        Ok(Box::new(RealFile::new(file, id(&root.path.join(path), &metadata)?, refused)))
    }

    fn open_to_read(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        let root = self.root()?;
        let (file, metadata) = reach::open(&root, path, How::Read)?;
        Ok(Box::new(RealFile::to_read(file, id(&root.path.join(path), &metadata)?)))
    }

    fn open_to_read_now(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        let root = self.root_now()?;
        let (file, metadata) = reach::open_now(&root, path)?;
        Ok(Box::new(RealFile::to_read(file, id(&root.path.join(path), &metadata)?)))
    }
}

/// Whether a file may be there for reading alone.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Makes the entries of a folder above the root survive a power cut.
fn sync_above(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    reach::sync_folder(&File::open(folder)?)?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
