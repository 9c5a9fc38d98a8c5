//! One file, as the operating system reads and writes it.

use std::{
    fs::{File, TryLockError},
    io,
};

use crate::{
    engine::disk::OpenFile,
    fs::{FileId, would_block},
};

/// What the system says of a write to a file that is open for reading alone: EBADF, or
/// Windows's ERROR_ACCESS_DENIED.
const READ_ONLY: i32 = if cfg!(windows) { 5 } else { 9 };

/// A file that is kept open.
#[derive(Debug)]
pub(super) struct RealFile {
    file: Held,
    id: FileId,
    mount: u64,
    reads_now: bool,
    /// The system's reason why it is open for reading alone, if it is.
    refused: Option<i32>,
}

impl RealFile {
    pub(super) fn new(file: File, id: FileId, refused: Option<i32>) -> Self {
        let (mount, reads_now) = (mount(&file), reads_now(&file));
        Self { file: Held(Some(file)), id, mount, reads_now, refused }
    }

    /// One that was opened for reading alone, whose mount is not asked for.
    pub(super) fn to_read(file: File, id: FileId) -> Self {
        let file = Held(Some(file));
        Self { file, id, mount: 0, reads_now: false, refused: Some(READ_ONLY) }
    }

    /// Writing to it would only say that it was not opened for that.
    fn check_writable(&self) -> io::Result<()> {
        self.refused.map_or(Ok(()), |code| Err(io::Error::from_raw_os_error(code)))
    }
}

impl OpenFile for RealFile {
    fn id(&self) -> FileId {
        self.id
    }

    fn is_read_only(&self) -> bool {
        self.refused.is_some()
    }

    fn mount(&self) -> u64 {
        self.mount
    }

    fn reads_now(&self) -> bool {
        self.reads_now
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.get()?.metadata()?.len())
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at(self.file.get()?, offset, len)
    }

    fn read_at_now(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        read_at_now(self.file.get()?, offset, len)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        write_at(self.file.get()?, offset, bytes)
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        let now = self.file.get()?.metadata()?.len();
        if now >= len {
            return Ok(());
        }
        // Written, not only reserved: a sync then has no change of the file to record
        // beside the bytes, and does not wait for whatever else the file system records.
        self.write_at(now, &vec![0; usize::try_from(len - now).unwrap_or(0)])
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        self.file.get()?.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.get()?.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        got(self.file.get()?.try_lock())
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        got(self.file.get()?.try_lock_shared())
    }

    fn lock(&self) -> io::Result<()> {
        loop {
            match self.file.get()?.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => return locked,
            }
        }
    }

    fn unlock(&self) -> io::Result<()> {
        self.file.get()?.unlock()
    }
}

/// An open file that is closed without a wait, on whatever thread that happens.
#[derive(Debug)]
struct Held(Option<File>);

impl Held {
    fn get(&self) -> io::Result<&File> {
        self.0.as_ref().ok_or_else(|| io::ErrorKind::BrokenPipe.into()) // never before its drop
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            close_now(file);
        }
    }
}

fn got(lock: Result<(), TryLockError>) -> io::Result<bool> {
    match lock {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Linux tells it from 6.8 on.
#[cfg(target_os = "linux")]
fn mount(file: &File) -> u64 {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let unique = StatxFlags::from_bits_retain(0x4000); // STATX_MNT_ID_UNIQUE
    let known = statx(file, "", AtFlags::EMPTY_PATH, unique).ok();
    known.filter(|known| known.stx_mask & unique.bits() != 0).map_or(0, |known| known.stx_mnt_id)
}

#[cfg(not(target_os = "linux"))]
fn mount(_: &File) -> u64 {
    0
}

/// File systems of this machine's own disks that can be asked for what is in memory.
#[cfg(target_os = "linux")]
fn reads_now(file: &File) -> bool {
    const EXT: u64 = 0xef53;
    const XFS: u64 = 0x5846_5342;
    const BTRFS: u64 = 0x9123_683e;
    const F2FS: u64 = 0xf2f5_2010;
    let known = rustix::fs::fstatfs(file);
    known.is_ok_and(|known| matches!(known.f_type as u64, EXT | XFS | BTRFS | F2FS))
}

#[cfg(not(target_os = "linux"))]
fn reads_now(_: &File) -> bool {
    false
}

#[cfg(unix)]
pub(super) fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
pub(super) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    use io::{Seek as _, Write as _};
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    read(len, |filled, rest| file.read_at(rest, offset + filled as u64))
}

/// Fills up to `len` bytes by `some`, which is told how many there are and answers how many it
/// added, none at the end.
fn read(len: usize, some: impl Fn(usize, &mut [u8]) -> io::Result<usize>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match some(filled, rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// A whole file, of that length when it was looked at.
#[cfg(unix)]
pub(super) fn read_all(file: &File, len: u64) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    // Room for one more byte than there is tells that there is no more.
    let mut bytes = vec![0; len.saturating_add(1)];
    let read = loop {
        match file.read_at(&mut bytes, 0) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    if read == len {
        bytes.truncate(len);
        return Ok(bytes);
    }
    read_to_end(file)
}

#[cfg(not(unix))]
pub(super) fn read_all(file: &File, _: u64) -> io::Result<Vec<u8>> {
    read_to_end(file)
}

fn read_to_end(mut file: &File) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(not(unix))]
pub(super) fn read_at(mut file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use io::{Read as _, Seek as _, SeekFrom};
    let mut bytes = Vec::with_capacity(len);
    file.seek(SeekFrom::Start(offset))?;
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Up to `len` bytes from `offset` on, from what the system has in memory: fewer where the
/// file ends before, and [`io::ErrorKind::WouldBlock`] where more of them is on the disk.
pub(super) fn read_at_now(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    read(len, |filled, rest| read_some_now(file, offset + filled as u64, rest))
}

/// A whole file of that length, from what the system has in memory.
pub(super) fn read_all_now(file: &File, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len + 1];
    let read = read_some_now(file, 0, &mut bytes)?;
    bytes.truncate(read);
    // One that was added to meanwhile is not seen by halves.
    if read == len { Ok(bytes) } else { Err(would_block()) }
}

#[cfg(target_os = "linux")]
fn read_some_now(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    use rustix::io::{ReadWriteFlags, preadv2};
    Ok(preadv2(file, &mut [io::IoSliceMut::new(bytes)], offset, ReadWriteFlags::NOWAIT)?)
}

#[cfg(not(target_os = "linux"))]
fn read_some_now(_: &File, _: u64, _: &mut [u8]) -> io::Result<usize> {
    Err(would_block())
}

/// Closes a file. The last one to close a file that has no name any more frees its room, for
/// which it may have to wait: that happens on a thread of its own, or here where the system
/// makes no more threads.
pub(super) fn close_now(file: File) {
    close_with(file, |close| std::thread::Builder::new().spawn(close).map(drop));
}

/// As [`close_now`], with `spawn` to start a thread; what it is given and does not run closes
/// the file as it is dropped.
fn close_with(file: File, spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> io::Result<()>) {
    #[cfg(unix)]
    if file.metadata().is_ok_and(|file| std::os::unix::fs::MetadataExt::nlink(&file) == 0) {
        let _ = spawn(Box::new(move || drop(file)));
        return;
    }
    #[cfg(not(unix))]
    let _ = spawn;
    drop(file);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_is_closed_here_where_no_thread_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (closing, other) = (File::create(&path).unwrap(), File::open(&path).unwrap());
        closing.lock().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(other.try_lock().is_err());
        close_with(closing, |_| Err(io::ErrorKind::WouldBlock.into()));
        other.try_lock().unwrap();
    }
}
