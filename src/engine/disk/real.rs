//! The file operations as the operating system carries them out.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{Disk, FileId, OpenFile, Stat, absent_as_none, boot::boot};

/// How many files and folders are synced one by one; more are synced by having the
/// system sync the whole file system, where it can.
#[cfg(target_os = "linux")]
const SYNC_ONE_BY_ONE: usize = 24;

/// A root directory of the real file system.
#[derive(Debug)]
pub struct RealDisk {
    root: PathBuf,
}

impl RealDisk {
    /// The directory at `root`, which need not exist.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Disk for RealDisk {
    fn boot(&self) -> u64 {
        boot()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(self.at(path))
    }

    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(&File::open(self.at(path))?, offset, len)
    }

    fn stat(&self, path: &str) -> io::Result<Stat> {
        // The root itself may be a link; nothing below it is followed.
        let path = self.at(path);
        let metadata =
            if path == self.root { fs::metadata(&path) } else { fs::symlink_metadata(&path) }?;
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
        let mut names = Vec::new();
        for entry in fs::read_dir(self.at(path))? {
            // A name that is not Unicode cannot be one of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        private_dirs().create(self.at(path))
    }

    fn create_root(&self) -> io::Result<usize> {
        if self.root.is_dir() {
            return Ok(0);
        }
        let missing: Vec<&Path> = self.root.ancestors().take_while(|dir| !dir.exists()).collect();
        private_dirs().recursive(true).create(&self.root)?;
        for made in &missing {
            if let Some(above) = made.parent() {
                sync_dir(above)?;
            }
        }
        Ok(missing.len())
    }

    fn remove_root(&self, made: usize) {
        let mut folders = self.root.ancestors().take(made);
        while folders.next().is_some_and(|folder| fs::remove_dir(folder).is_ok()) {}
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        #[cfg(all(test, unix))]
        if mutant!(KeepTemporaryMode) {
            use std::os::unix::fs::PermissionsExt as _;
            let file = private_file().open(self.at(path))?;
            file.set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        private_file().truncate(true).open(self.at(path))?.write_all(bytes)
    }

    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let file = private_file().open(self.at(path))?;
        if file.metadata()?.len() > offset {
            file.set_len(offset)?;
        }
        write_at(&file, offset, bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (self.at(from), self.at(to));
        #[cfg(target_os = "linux")]
        if exchange(&from, &to).is_ok() {
            return fs::remove_file(from);
        }
        loop {
            match fs::rename(&from, &to) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                renamed => return renamed,
            }
        }
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.at(path))
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        fs::remove_dir(self.at(path))
    }

    fn sync(&self, files: &BTreeSet<String>, folders: &BTreeSet<String>) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if files.len() + folders.len() > SYNC_ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(File::open(&self.root)?)?);
        }
        for file in files {
            if let Some(file) = absent_as_none(File::open(self.at(file)))? {
                file.sync_data()?;
            }
        }
        for folder in folders {
            absent_as_none(sync_dir(&self.at(folder)))?;
        }
        Ok(())
    }

    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>> {
        let path = self.at(path);
        let mut options = private_file();
        let file = match options.create(create).read(true).open(&path) {
            Err(error) if !create && is_refused(&error) => File::open(&path)?,
            opened => opened?,
        };
        let id = id(&path, &file.metadata()?)?;
        Ok(Box::new(RealFile { file, id }))
    }
}

/// Gives two files each other's names. A rename over a file makes ext4 write the new
/// one's data out at once, in case the program relies on that; the journal is what this
/// one relies on, and an exchange does not cost it.
#[cfg(target_os = "linux")]
fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if !fs::symlink_metadata(to)?.is_file() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE)?)
}

/// Whether a file may be there for reading alone.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

#[derive(Debug)]
struct RealFile {
    file: File,
    id: FileId,
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

#[cfg(unix)]
fn read_at(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use io::{Read as _, Seek as _, SeekFrom};
    let mut bytes = Vec::with_capacity(len);
    file.seek(SeekFrom::Start(offset))?;
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
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

/// Transcripts are private: files are `0600` where the platform has modes.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Transcripts are private: folders are `0700` where the platform has modes.
fn private_dirs() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set where there are modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
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
