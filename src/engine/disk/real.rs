//! The file operations as the operating system carries them out.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, Metadata, TryLockError},
    io::{self, Write as _},
    path::Path,
    time::UNIX_EPOCH,
};

use super::{Disk, FileId, OpenFile, Stat, absent_as_none, boot::boot, existing_is_fine};
use crate::beneath::{Beneath, How, read_at};

/// How many files and folders are synced one by one; more are synced by having the
/// system sync the whole file system, where it can.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;

/// A root directory of the real file system. Nothing below it is reached through a link.
#[derive(Debug)]
pub struct RealDisk {
    root: Beneath,
}

impl RealDisk {
    /// The directory at `root`, which need not exist.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: Beneath::new(root) }
    }

    /// Gives a file that has other names a file of its own, as far as `len`: what is
    /// called so elsewhere is not the root's to change.
    fn separate(&self, path: &str, len: u64) -> io::Result<File> {
        let mut bytes = self.root.read(path)?;
        bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
        let beside = format!("{path}.separate.tmp");
        self.write(&beside, &bytes)?;
        self.rename(&beside, path)?;
        self.root.open(path, How::Change)
    }
}

impl Disk for RealDisk {
    fn boot(&self) -> u64 {
        boot()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.root.read(path)
    }

    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(&self.root.open(path, How::Read)?, offset, len)
    }

    fn stat(&self, path: &str) -> io::Result<Stat> {
        // The root itself may be a link.
        let is_root = path.is_empty();
        let path = self.root.at(path);
        let metadata = if is_root { fs::metadata(&path) } else { fs::symlink_metadata(&path) }?;
        let changed =
            metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Stat {
            len: metadata.len(),
            is_dir: metadata.is_dir(),
            id: id(&path, &metadata)?,
            changed: changed.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0)),
        })
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.root.list(path)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.root.create_dir(path)
    }

    fn create_root(&self) -> io::Result<usize> {
        let root = self.root.root();
        if root.is_dir() {
            return Ok(0);
        }
        let missing: Vec<&Path> = root.ancestors().take_while(|dir| !dir.exists()).collect();
        for made in missing.iter().rev() {
            existing_is_fine(private_dirs().create(made))?;
            keep_rights(made);
        }
        for made in &missing {
            if let Some(above) = made.parent() {
                sync_dir(above)?;
            }
        }
        Ok(missing.len())
    }

    fn remove_root(&self, made: usize) {
        let mut folders = self.root.root().ancestors().take(made);
        while folders.next().is_some_and(|folder| fs::remove_dir(folder).is_ok()) {}
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.root.open(path, How::Anew)?.write_all(bytes)
    }

    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.root.open(path, How::Create)?;
        let metadata = file.metadata()?;
        if is_shared(&metadata) {
            file = self.separate(path, offset)?;
        } else if metadata.len() > offset {
            file.set_len(offset)?;
        }
        write_at(&file, offset, bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.root.rename(from, to)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.root.remove_file(path)
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.root.remove_dir(path)
    }

    fn sync(&self, files: &BTreeSet<String>, folders: &BTreeSet<String>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if files.len() + folders.len() > SYNC_ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(File::open(self.root.root())?)?);
        }
        for file in files {
            if let Some(file) = absent_as_none(self.root.open(file, How::Read))? {
                file.sync_data()?;
            }
        }
        for folder in folders {
            #[cfg(unix)]
            if let Some(folder) = absent_as_none(self.root.folder(folder))? {
                folder.sync_all()?;
            }
            #[cfg(not(unix))]
            let _ = folder; // the file system orders such changes itself
        }
        Ok(())
    }

    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>> {
        let how = if create { How::Create } else { How::Change };
        let mut refused = None;
        let file = match self.root.open(path, how) {
            Err(error) if !create && is_refused(&error) => {
                refused = error.raw_os_error();
                self.root.open(path, How::Read)?
            }
            opened => opened?,
        };
        let metadata = file.metadata()?;
        if is_shared(&metadata) {
            return Err(shared());
        }
        let id = id(&self.root.at(path), &metadata)?;
        Ok(Box::new(RealFile { file, id, refused }))
    }
}

/// Whether a file may be there for reading alone.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

#[derive(Debug)]
struct RealFile {
    file: File,
    id: FileId,
    /// Why it is open for reading alone, if it is.
    refused: Option<i32>,
}

impl RealFile {
    /// Writing to it would only say that it was not opened for that.
    fn check_writable(&self) -> io::Result<()> {
        self.refused.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
    }
}

impl OpenFile for RealFile {
    fn id(&self) -> FileId {
        self.id
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(&self.file, offset, len)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        write_at(&self.file, offset, bytes)
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        let now = self.file.metadata()?.len();
        if now >= len {
            return Ok(());
        }
        // Written, not only reserved: a sync then has no change of the file to record
        // beside the bytes, and does not wait for whatever else the file system records.
        self.write_at(now, &vec![0; usize::try_from(len - now).unwrap_or(0)])
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock(&self) -> io::Result<()> {
        loop {
            match self.file.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => return locked,
            }
        }
    }

    fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

#[cfg(unix)]
fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    use io::Seek as _;
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Whether a file has other names, which may be anywhere.
#[cfg(unix)]
fn is_shared(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Elsewhere that is not told.
#[cfg(not(unix))]
fn is_shared(_: &Metadata) -> bool {
    false
}

/// What is called so elsewhere is not the root's to lock and to write to.
fn shared() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::EMLINK);
    #[cfg(not(unix))]
    io::ErrorKind::TooManyLinks.into()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have to open the file for it")]
fn id(_: &Path, metadata: &Metadata) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(FileId(metadata.dev(), metadata.ino()))
}

/// Where files have no numbers that std tells: the full path, hashed.
#[cfg(not(unix))]
fn id(path: &Path, _: &Metadata) -> io::Result<FileId> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path)?.hash(&mut hasher);
    Ok(FileId(0, hasher.finish()))
}

/// Transcripts are private: folders are `0700` where the platform has modes.
fn private_dirs() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set where there are modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Gives the owner of a folder that was just made what an odd umask took.
fn keep_rights(made: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::symlink_metadata(made).map_or(0o700, |made| made.permissions().mode());
        if mode & 0o700 != 0o700 {
            let _ = fs::set_permissions(made, fs::Permissions::from_mode(0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = made;
}

/// Makes the entries of a folder survive a power cut; elsewhere than on Unix, folders
/// cannot be opened for that and the file system orders such changes itself.
fn sync_dir(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::disk::{remove_tree, with_parents};

    fn disk() -> (tempfile::TempDir, RealDisk) {
        let root = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(root.path());
        (root, disk)
    }

    #[test]
    fn a_tail_replaces_whatever_came_after_its_offset() {
        let (_root, disk) = disk();
        disk.write("log", b"line\ntorn and long").unwrap();
        disk.write_tail("log", 5, b"x\n").unwrap();
        assert_eq!(disk.read("log").unwrap(), b"line\nx\n");
        assert_eq!(disk.read_at("log", 5, 10).unwrap(), b"x\n");
        assert_eq!(disk.stat("log").unwrap().len, 7);
    }

    #[test]
    fn folders_are_made_as_needed_and_trees_removed_whole() {
        let (_root, disk) = disk();
        with_parents(&disk, "a/b/c", || disk.write("a/b/c", b"1")).unwrap();
        with_parents(&disk, "a/b/d", || disk.write("a/b/d", b"2")).unwrap();
        remove_tree(&disk, "a").unwrap();
        remove_tree(&disk, "a").unwrap();
        assert!(disk.list("").unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_are_private() {
        use std::os::unix::fs::MetadataExt as _;
        let (root, disk) = disk();
        with_parents(&disk, "d/f", || disk.write("d/f", b"")).unwrap();
        let mode = |name: &str| fs::metadata(root.path().join(name)).unwrap().mode() & 0o777;
        assert_eq!((mode("d"), mode("d/f")), (0o700, 0o600));
    }

    #[test]
    fn a_lock_excludes_other_handles_of_the_file() {
        let (_root, disk) = disk();
        let first = disk.open("lock", true).unwrap();
        let second = disk.open("lock", true).unwrap();
        assert_eq!(first.id(), second.id());
        assert!(first.try_lock().unwrap());
        assert!(!second.try_lock().unwrap());
        first.unlock().unwrap();
        assert!(second.try_lock().unwrap());
    }

    #[test]
    fn room_is_made_and_kept() {
        let (_root, disk) = disk();
        let file = disk.open("journal", true).unwrap();
        file.allocate(10_000).unwrap();
        assert_eq!(file.len().unwrap(), 10_000);
        file.write_at(3, b"abc").unwrap();
        assert_eq!(file.read_at(2, 5).unwrap(), b"\0abc\0");
    }
}
