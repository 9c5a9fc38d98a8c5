//! The current state of a root, as a transaction or a reader sees it.

use std::{
    io::{self, ErrorKind::NotADirectory},
    sync::Arc,
};

use super::{
    Engine, Entry, FileError, Kind, RelPath, Table,
    disk::{Disk, During as _, OpenFile, Stat, optional, would_block},
    found::Notes,
    laid::Laid,
    now::Allowance,
    overlay::Pending,
};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Reads files and the locator of one root, as they are with what earlier
/// transactions of the same batch decided.
#[derive(Debug)]
pub struct View<'e> {
    engine: &'e Engine,
    /// The folder of the root that it is a view of.
    disk: Arc<dyn Disk>,
    overlay: Option<&'e Laid>,
    /// What is left to a read that must not wait.
    now: Option<&'e Allowance>,
    /// How far the transactions had come when a read began that may be made again.
    began_at: Option<Option<u64>>,
    /// They had come further when the read opened a file.
    moved: AtomicBool,
    /// Where it is noted what a transaction finds.
    notes: Option<&'e Notes>,
    /// The number that the transaction gets which looks through this; 0 for a read.
    transaction: u64,
}

impl<'e> View<'e> {
    pub(super) fn new(engine: &'e Engine, overlay: Option<&'e Laid>) -> Self {
        let moved = AtomicBool::new(false);
        let disk = engine.disk();
        Self {
            engine,
            disk,
            overlay,
            now: None,
            began_at: None,
            moved,
            notes: None,
            transaction: 0,
        }
    }

    /// The state for the transaction of a number, which notes what it finds.
    pub(super) fn planning(
        engine: &'e Engine,
        overlay: &'e Laid,
        notes: &'e Notes,
        transaction: u64,
    ) -> Self {
        Self { notes: Some(notes), transaction, ..Self::new(engine, Some(overlay)) }
    }

    /// The state for a read that began after the transaction `seq`, and is made again when it
    /// opens a file after a later one.
    pub(super) fn since(engine: &'e Engine, overlay: Option<&'e Laid>, seq: Option<u64>) -> Self {
        Self { began_at: Some(seq), ..Self::new(engine, overlay) }
    }

    /// Whether a file was opened after a transaction that the read does not know.
    pub(super) fn has_moved(&self) -> bool {
        self.moved.load(Ordering::Relaxed)
    }

    /// Notes whether transactions were committed since the read began.
    pub(super) fn note_movement(&self) -> Result<(), FileError> {
        if let Some(began_at) = self.began_at
            && self.engine.committed_seq()? != began_at
        {
            self.moved.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The number of the transaction that looks through this: larger than that of every one
    /// that was committed before. 0 for a read.
    #[must_use]
    pub fn transaction(&self) -> u64 {
        self.transaction
    }

    /// The same for a read that must not wait.
    pub(super) fn now(
        engine: &'e Engine,
        overlay: Option<&'e Laid>,
        allowance: &'e Allowance,
    ) -> Self {
        Self { now: Some(allowance), ..Self::new(engine, overlay) }
    }

    /// What is missing reads as nothing, and so does what would be below a stray file; but
    /// not where one stands for a folder of the root, which would make it look empty.
    pub(super) fn optional<T>(
        &self,
        path: &RelPath,
        found: io::Result<T>,
    ) -> io::Result<Option<T>> {
        match found {
            Err(error) if error.kind() == NotADirectory && self.now.is_some() => Err(error),
            Err(error) if error.kind() == NotADirectory => {
                let folder = path.as_str().split('/').next().unwrap_or_default();
                let stat = optional(self.disk.stat(folder))?;
                if stat.is_some_and(|stat| !stat.is_dir) { Err(error) } else { Ok(None) }
            }
            found => optional(found),
        }
    }

    fn disk_read(&self, path: &str) -> io::Result<Vec<u8>> {
        let disk = &*self.disk;
        match self.now {
            Some(allowance) => allowance.spend(Vec::len, |left| disk.read_now(path, left)),
            None => disk.read(path),
        }
    }

    fn disk_read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let disk = &*self.disk;
        match self.now {
            Some(allowance) => allowance.spend(Vec::len, |left| match len <= left {
                true => disk.read_at_now(path, offset, len),
                false => Err(would_block()),
            }),
            None => disk.read_at(path, offset, len),
        }
    }

    pub(super) fn disk_open(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        let disk = &*self.disk;
        match self.now {
            Some(allowance) => allowance.spend(|_| 0, |_| disk.open_to_read_now(path)),
            None => disk.open_to_read(path),
        }
    }

    pub(super) fn disk_read_from(
        &self,
        file: &dyn OpenFile,
        offset: u64,
        len: usize,
    ) -> io::Result<Vec<u8>> {
        match self.now {
            Some(allowance) => allowance.spend(Vec::len, |left| match len <= left {
                true => file.read_at_now(offset, len),
                false => Err(would_block()),
            }),
            None => file.read_at(offset, len),
        }
    }

    fn disk_stat(&self, path: &str) -> io::Result<Stat> {
        let disk = &*self.disk;
        match self.now {
            Some(allowance) => allowance.spend(|_| 0, |_| disk.stat_now(path)),
            None => disk.stat(path),
        }
    }

    /// What is pending of a path at this moment.
    pub(super) fn pending(&self, path: &RelPath) -> Option<Pending> {
        self.overlay.and_then(|laid| laid.with(|overlay| overlay.get(path.as_str()).cloned()))
    }

    /// What a file holds; `None` where there is none.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
        let pending = self.pending(path);
        match pending {
            Some(Pending::Gone) => return Ok(None),
            Some(Pending::Holds(bytes)) => return Ok(Some(bytes.to_vec())),
            _ => {}
        }
        let read = self.optional(path, self.disk_read(path.as_str()));
        let mut bytes = read.during("read", path.as_str())?;
        if let (Some(notes), None) = (self.notes, &pending) {
            notes.note(path, bytes.as_deref());
        }
        if let Some(Pending::Tail(start, tail)) = pending {
            let bytes = bytes.get_or_insert_default();
            bytes.truncate(usize::try_from(start).unwrap_or(usize::MAX));
            bytes.extend_from_slice(&tail);
        }
        Ok(bytes)
    }

    /// Names of what a folder holds, in no order; none where there is no folder.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn list(&self, path: &RelPath) -> Result<Vec<String>, FileError> {
        let names = self.disk_list(path)?;
        Ok(self.corrected(path, names))
    }

    fn disk_list(&self, path: &RelPath) -> Result<Vec<String>, FileError> {
        if self.now.is_some() {
            return Err(FileError::waiting());
        }
        let listed = match self.disk.list(path.as_str()) {
            // A link, or a file, where the folder would be is no missing one.
            Err(error) if error.kind() == NotADirectory => {
                match self.optional(path, self.disk.stat(path.as_str())) {
                    Ok(Some(_)) => Err(error),
                    Ok(None) => Ok(None),
                    Err(error) => Err(error),
                }
            }
            listed => self.optional(path, listed),
        };
        Ok(listed.during("list", path.as_str())?.unwrap_or_default())
    }

    /// A folder's names with what is pending.
    fn corrected(&self, path: &RelPath, mut names: Vec<String>) -> Vec<String> {
        if let Some(laid) = self.overlay {
            laid.with(|overlay| overlay.list(path.as_str(), &mut names));
        }
        names
    }

    /// Whether there is a file.
    ///
    /// # Errors
    /// [`FileError`] when that cannot be found out.
    pub fn exists(&self, path: &RelPath) -> Result<bool, FileError> {
        match self.pending(path) {
            Some(Pending::Gone) => Ok(false),
            Some(_) => Ok(true),
            None => Ok(self.stat_len(path)?.is_some()),
        }
    }

    /// Length of a file in bytes; 0 where there is none.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be looked at.
    pub fn len(&self, path: &RelPath) -> Result<u64, FileError> {
        match self.pending(path) {
            Some(pending) => Ok(pending.end()),
            None => Ok(self.stat_len(path)?.unwrap_or(0)),
        }
    }

    /// What is known of a file without reading it; `None` where there is none, or where
    /// an earlier transaction of the batch changes it.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be looked at.
    pub fn stat(&self, path: &RelPath) -> Result<Option<Stat>, FileError> {
        if self.pending(path).is_some() {
            return Ok(None);
        }
        self.optional(path, self.disk_stat(path.as_str())).during("stat", path.as_str())
    }

    fn stat_len(&self, path: &RelPath) -> Result<Option<u64>, FileError> {
        let stat = self.optional(path, self.disk_stat(path.as_str()));
        Ok(stat.during("stat", path.as_str())?.map(|stat| stat.len))
    }

    /// Whether so many bytes can be read: always, where the read may wait.
    ///
    /// # Errors
    /// [`FileError`] when they cannot.
    pub fn may_read(&self, bytes: u64) -> Result<(), FileError> {
        let may = self.now.is_none_or(|allowance| allowance.has(bytes));
        if may { Ok(()) } else { Err(FileError::waiting()) }
    }

    /// Up to `len` bytes of a file from `offset` on: fewer where it ends before.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn read_at(&self, path: &RelPath, offset: u64, len: usize) -> Result<Vec<u8>, FileError> {
        let (on_disk, tail) = match self.pending(path) {
            Some(Pending::Gone) => (0, Vec::new()),
            Some(Pending::Holds(bytes)) => (0, part(&bytes, offset, len)),
            Some(Pending::Tail(start, tail)) => {
                let before = usize::try_from(start.saturating_sub(offset)).unwrap_or(usize::MAX);
                let rest = len.saturating_sub(before);
                (before.min(len), part(&tail, offset.saturating_sub(start), rest))
            }
            None => (len, Vec::new()),
        };
        if on_disk == 0 {
            return Ok(tail);
        }
        let read = self.optional(path, self.disk_read_at(path.as_str(), offset, on_disk));
        let mut bytes = read.during("read", path.as_str())?.unwrap_or_default();
        bytes.extend(tail);
        Ok(bytes)
    }

    /// The values under a key in the index, in the order of their text.
    ///
    /// # Errors
    /// [`FileError`] when the index cannot be read.
    pub fn located(&self, kind: Kind, key: &str) -> Result<Vec<String>, FileError> {
        let mut values = self.look_up(|table| table.get(kind, key))?;
        if let Some(laid) = self.overlay {
            laid.with(|overlay| overlay.located(kind, key, &mut values));
        }
        Ok(values)
    }

    /// The smallest of the values under a key, which costs less than to answer all.
    ///
    /// # Errors
    /// [`FileError`] when the index cannot be read.
    pub fn first_located(&self, kind: Kind, key: &str) -> Result<Option<String>, FileError> {
        if self.overlay.is_some_and(|laid| laid.with(|overlay| overlay.locates(kind, key))) {
            return Ok(self.located(kind, key)?.into_iter().next());
        }
        self.look_up(|table| table.first(kind, key))
    }

    /// What the index keeps with a value under a key; `None` where it does not have it.
    ///
    /// # Errors
    /// [`FileError`] when the index cannot be read.
    pub fn kept(&self, kind: Kind, key: &str, value: &str) -> Result<Option<Vec<u8>>, FileError> {
        let decided = self.overlay.and_then(|laid| {
            laid.with(|overlay| overlay.kept(kind, key, value).map(Option::<&Vec<u8>>::cloned))
        });
        match decided {
            Some(kept) => Ok(kept),
            None => self.look_up(|table| table.data(kind, key, value).map(<[u8]>::to_vec)),
        }
    }

    /// Whether what other programs changed is in the index as well; when `trusting` that none
    /// did, whether they were ever looked for.
    ///
    /// # Errors
    /// [`FileError`] when the index cannot be read.
    pub fn knows_all(&self, trusting: bool) -> Result<bool, FileError> {
        Ok(self.engine.has_looked() || trusting && self.look_up(Table::is_complete)?)
    }

    /// Looks for what other programs changed, for a transaction.
    ///
    /// # Errors
    /// [`FileError`] when something cannot be read.
    pub fn look_here(&self) -> Result<(), FileError> {
        self.engine.look_here()
    }

    /// What is known of many files and folders below a folder, whatever is pending; `None` for
    /// those that are not there.
    ///
    /// # Errors
    /// [`FileError`] when one cannot be looked at: that does not say that it is not there.
    pub fn stats(
        &self,
        folder: &RelPath,
        names: &[String],
    ) -> Result<Vec<Option<Stat>>, FileError> {
        self.disk.stats(folder.as_str(), names).during("stat", folder.as_str())
    }

    /// What the file system's clock says, in nanoseconds, as [`Stat::touched`] tells it.
    #[must_use]
    pub fn clock(&self) -> u64 {
        self.disk.clock()
    }

    fn look_up<T>(&self, get: impl Fn(&Table) -> T) -> Result<T, FileError> {
        match self.now {
            Some(_) => self.engine.if_located_now(get).ok_or_else(FileError::waiting),
            None => self.engine.look_up(get),
        }
    }

    /// Tells the index in memory what reading the files found and it did not know.
    pub fn learn(&self, entry: &Entry) {
        if self.now.is_none() {
            self.engine.learn(entry);
        }
    }
}

pub(super) fn part(bytes: &[u8], offset: u64, len: usize) -> Vec<u8> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = start.saturating_add(len).min(bytes.len());
    bytes.get(start..end).unwrap_or_default().to_vec()
}
