//! A model of a disk that keeps what is synced apart from what is only written: data,
//! sizes and directory entries, each on its own. It can stop, or fail, at any
//! operation, and shows after a power cut any subset of what was not synced.

mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use self::tree::{Change, Node, Tree};
use super::{Disk, FileId, OpenFile, Stat, would_block};
use crate::{
    engine::path::PROGRESS,
    sync::{Mutex, MutexGuard, yield_now},
};

/// A simulated root. Clones are the same disk.
#[derive(Debug, Clone)]
pub struct SimulatedDisk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// What programs see.
    live: Tree,
    /// What a power cut cannot take.
    durable: Tree,
    /// What was done since, in order.
    changes: Vec<Recorded>,
    boot: u64,
    mount: u64,
    locks: BTreeMap<u64, Lock>,
    handles: u64,
    calls: u64,
    made: u64,
    /// Which change was the last of a file or folder, and came with a time of its own.
    touched: BTreeMap<u64, u64>,
    fault: Option<Fault>,
    /// Files can be opened for reading alone.
    read_only: bool,
}

/// Which handles have a file locked.
#[derive(Debug, Default)]
struct Lock {
    exclusively: Option<u64>,
    shared: BTreeSet<u64>,
}

/// How long a lock is waited for before it counts as one that is never given back.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The handle of another process, which has the root open.
const BYSTANDER: u64 = 0;

#[derive(Debug, Clone)]
struct Recorded {
    change: Change,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A power cut may take it or not.
    Written,
    /// It stays.
    Synced,
    /// A failed sync lost it: programs see it until the next power cut takes it.
    Lost,
}

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The number of the operation, counted from 1.
    pub at: u64,
    /// Whether all later operations fail as well.
    pub for_ever: bool,
    /// What the operation answers.
    pub error: io::ErrorKind,
    /// How much of its bytes a failing write has written before.
    pub written: usize,
}

impl Fault {
    /// Everything stops before operation `at`: neither it nor any after it does anything.
    pub fn stop(at: u64) -> Self {
        Self { at, for_ever: true, error: STOPPED, written: 0 }
    }
}

/// No file operation fails with this of itself.
const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

/// What a sync makes of what it syncs, or loses when it fails.
fn fate(synced: &io::Result<()>) -> Fate {
    match synced {
        Ok(()) => Fate::Synced,
        Err(error) if error.kind() == STOPPED => Fate::Written,
        Err(_) => Fate::Lost,
    }
}

/// A small generator of pseudo-random numbers (xorshift64*), so that a seed replays.
#[derive(Debug, Clone)]
pub struct Seed(u64);

impl Seed {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % end.max(1)
    }
}

impl Default for SimulatedDisk {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            live: Tree::default(),
            durable: Tree::default(),
            changes: Vec::new(),
            boot: 1,
            mount: 1,
            locks: BTreeMap::new(),
            handles: BYSTANDER,
            calls: 0,
            made: 0,
            touched: BTreeMap::new(),
            fault: None,
            read_only: false,
        })))
    }
}

impl SimulatedDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many operations were made.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Sets what goes wrong, from now on counting anew.
    pub fn set_fault(&self, fault: Option<Fault>) {
        let mut state = self.state();
        state.calls = 0;
        state.fault = fault;
    }

    /// Has files opened for reading alone from now on, or no more.
    #[cfg(test)]
    pub(in crate::engine) fn set_read_only(&self, read_only: bool) {
        self.state().read_only = read_only;
    }

    /// The system makes all that is written survive a power cut, or some of it: no program asked
    /// it to.
    pub fn commit_some(&self, seed: &mut Seed) {
        let of = seed.below(4);
        let mut state = self.state();
        for recorded in &mut state.changes {
            if recorded.fate == Fate::Written && seed.below(3) < of {
                recorded.fate = Fate::Synced;
            }
        }
    }

    /// What was written and neither synced nor lost: as many changes as a power cut can
    /// take or keep.
    pub fn unsynced(&self) -> usize {
        self.state().changes.iter().filter(|recorded| recorded.fate == Fate::Written).count()
    }

    /// Length of the last change, when it is unsynced data.
    pub fn last_unsynced_data(&self) -> Option<usize> {
        match self.state().changes.last() {
            Some(Recorded { change: Change::Data { bytes, .. }, fate: Fate::Written }) => {
                Some(bytes.len())
            }
            _ => None,
        }
    }

    /// How many changes were ever made and how many of them are synced or lost: the same
    /// as before when an operation changed nothing.
    pub fn progress(&self) -> (u64, usize, usize) {
        let state = self.state();
        let synced = state.changes.iter().filter(|recorded| recorded.fate != Fate::Written);
        (state.made, state.changes.len(), synced.count())
    }

    /// The disk as another process finds it after this one was killed.
    pub fn after_kill(&self) -> Self {
        let state = self.state();
        Self(Arc::new(Mutex::new(State {
            live: state.live.clone(),
            durable: state.durable.clone(),
            changes: state.changes.clone(),
            boot: state.boot,
            mount: state.mount,
            locks: BTreeMap::new(),
            handles: BYSTANDER,
            calls: 0,
            made: state.made,
            touched: state.touched.clone(),
            fault: None,
            read_only: false,
        })))
    }

    /// The same through another mount, as from another container.
    pub fn mounted_elsewhere(self) -> Self {
        self.state().mount += 1;
        self
    }

    /// The same with another process that has had the root open all the time.
    pub fn with_bystander(self) -> Self {
        let mut state = self.state();
        if let Ok((progress, _)) = state.file(PROGRESS) {
            state.locks.entry(progress).or_default().shared.insert(BYSTANDER);
        }
        drop(state);
        self
    }

    /// The same disk after a power cut that only the disk had: the system went on.
    pub fn without_new_start(self) -> Self {
        self.state().boot -= 1;
        self
    }

    /// The disk as the machine finds it after a power cut that kept of each unsynced
    /// change, in order, what `keep` says: that many of its bytes, or all.
    pub fn after_power_cut(&self, mut keep: impl FnMut(usize, &str) -> Option<usize>) -> Self {
        let state = self.state();
        let mut tree = state.durable.clone();
        let mut number = 0;
        for Recorded { change, fate } in &state.changes {
            match fate {
                Fate::Synced => tree.apply(change),
                Fate::Lost => {}
                Fate::Written => {
                    if let Some(bytes) = keep(number, change.kind()) {
                        tree.apply(&change.torn(bytes));
                    }
                    number += 1;
                }
            }
        }
        Self(Arc::new(Mutex::new(State {
            live: tree.clone(),
            durable: tree,
            changes: Vec::new(),
            boot: state.boot + 1,
            mount: state.mount + 1,
            locks: BTreeMap::new(),
            handles: BYSTANDER,
            calls: 0,
            made: state.made + 1,
            // Of none is it sure that it is as it was.
            touched: state.touched.keys().map(|inode| (*inode, state.made + 1)).collect(),
            fault: None,
            read_only: false,
        })))
    }

    /// A power cut that keeps an arbitrary part of what was not synced.
    pub fn after_random_power_cut(&self, seed: &mut Seed) -> Self {
        // Some cuts take nearly all, some nearly nothing, most something between.
        let kept = seed.below(5);
        self.after_power_cut(|_, _| match seed.below(5) {
            0 => {
                let most = [300, 3000][usize::from(seed.below(2) == 0)];
                usize::try_from(seed.below(most)).ok()
            }
            n => (n <= kept).then_some(usize::MAX),
        })
    }

    /// Changes what a file holds, as no program should: at once, and durably.
    pub fn damage(&self, path: &str, damage: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        let (inode, bytes) = state.file(path).unwrap();
        let mut bytes = bytes.to_vec();
        damage(&mut bytes);
        let len = Change::Len { inode, len: bytes.len() as u64 };
        state.made += 1;
        let made = state.made;
        state.touched.insert(inode, made);
        // In order with what is not synced yet.
        for change in [len, Change::Data { inode, offset: 0, bytes }] {
            state.live.apply(&change);
            state.changes.push(Recorded { change, fate: Fate::Synced });
        }
    }

    /// Every file and what it holds.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.state().live.files()
    }

    /// Counts an operation; the error that it is to fail with, if any.
    fn call(&self) -> io::Result<()> {
        self.failing_write(0).map(drop).map_err(|(error, _)| error)
    }

    /// As [`Self::call`], for one that writes `len` bytes: how many it writes before.
    ///
    /// # Errors
    /// The error; with how much it writes before, unless everything has stopped.
    fn failing_write(&self, len: usize) -> Result<(), (io::Error, Option<usize>)> {
        let mut state = self.state();
        state.calls += 1;
        match state.fault {
            Some(fault) if state.calls == fault.at || fault.for_ever && state.calls > fault.at => {
                let stopped = fault.error == STOPPED;
                Err((fault.error.into(), (!stopped).then_some(fault.written.min(len))))
            }
            _ => Ok(()),
        }
    }

    /// Counts an operation that writes; answers what of its bytes it writes and whether
    /// it fails then, or that everything has stopped.
    fn writing<'b>(&self, bytes: &'b [u8]) -> io::Result<(&'b [u8], io::Result<()>)> {
        match self.failing_write(bytes.len()) {
            Ok(()) => Ok((bytes, Ok(()))),
            Err((error, Some(written))) => Ok((&bytes[..written], Err(error))),
            Err((error, None)) => Err(error),
        }
    }
}

/// The time of a change: later than of the one before by more than a clock may be coarse.
fn tick(change: u64) -> u64 {
    change * 3_000_000_000
}

impl State {
    fn make(&mut self, change: Change) {
        self.made += 1;
        for inode in change.of_file().into_iter().chain(change.of_folder()) {
            self.touched.insert(inode, self.made);
        }
        self.live.apply(&change);
        self.changes.push(Recorded { change, fate: Fate::Written });
    }

    fn node(&self, path: &str) -> io::Result<(u64, &Node)> {
        self.live.find(path)
    }

    fn file(&self, path: &str) -> io::Result<(u64, &[u8])> {
        match self.node(path)? {
            (inode, Node::File(bytes)) => Ok((inode, bytes)),
            (_, Node::Folder(_)) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn parent<'p>(&self, path: &'p str) -> io::Result<(u64, &'p str)> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self.node(folder)? {
            (inode, Node::Folder(_)) => Ok((inode, name)),
            (_, Node::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn create(&mut self, path: &str) -> io::Result<u64> {
        if let Ok((inode, _)) = self.file(path) {
            return Ok(inode);
        }
        let (folder, name) = self.parent(path)?;
        let inode = self.live.new_inode();
        self.make(Change::Link { folder, name: name.to_owned(), inode, is_folder: false });
        Ok(inode)
    }

    fn write(&mut self, inode: u64, offset: u64, bytes: &[u8]) {
        let end = offset + bytes.len() as u64;
        if self.live.len(inode) < end {
            self.make(Change::Len { inode, len: end });
        }
        if !bytes.is_empty() {
            self.make(Change::Data { inode, offset, bytes: bytes.to_vec() });
        }
    }

    fn sync(&mut self, fate: Fate, of: impl Fn(&Change) -> bool) {
        for recorded in &mut self.changes {
            if recorded.fate == Fate::Written && of(&recorded.change) {
                recorded.fate = fate;
            }
        }
        // What is settled at the front need not be kept apart.
        let settled = self.changes.iter().take_while(|r| r.fate == Fate::Synced).count();
        for recorded in self.changes.drain(..settled) {
            self.durable.apply(&recorded.change);
        }
    }
}

impl Disk for SimulatedDisk {
    fn pin(&self) -> io::Result<Arc<dyn Disk>> {
        Ok(Arc::new(self.clone()))
    }

    fn boot(&self) -> u64 {
        self.state().boot
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.call()?;
        Ok(self.state().file(path)?.1.to_vec())
    }

    fn read_at(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.call()?;
        Ok(part(self.state().file(path)?.1, offset, len))
    }

    fn read_now(&self, path: &str, max: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read(path)?;
        if bytes.len() <= max { Ok(bytes) } else { Err(would_block()) }
    }

    fn read_at_now(&self, path: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.read_at(path, offset, len)
    }

    fn stat_now(&self, path: &str) -> io::Result<Stat> {
        self.stat(path)
    }

    fn clock(&self) -> u64 {
        tick(self.state().made + 1)
    }

    fn stat(&self, path: &str) -> io::Result<Stat> {
        self.call()?;
        let state = self.state();
        let (inode, node) = state.node(path)?;
        let is_dir = matches!(node, Node::Folder(_));
        let len = state.live.len(inode);
        let id = FileId(1, inode);
        let touched = tick(state.touched.get(&inode).copied().unwrap_or(0));
        let (is_file, is_link, names) = (!is_dir, false, 1);
        Ok(Stat { len, is_dir, is_file, is_link, id, names, changed: state.made, touched })
    }

    fn list_some(&self, path: &str, most: usize) -> io::Result<Vec<String>> {
        self.call()?;
        match self.state().node(path)?.1 {
            Node::Folder(entries) => Ok(entries.keys().take(most).cloned().collect()),
            Node::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.call()?;
        let mut state = self.state();
        if state.node(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let (folder, name) = state.parent(path)?;
        let inode = state.live.new_inode();
        state.make(Change::Link { folder, name: name.to_owned(), inode, is_folder: true });
        Ok(())
    }

    fn create_root(&self) -> io::Result<usize> {
        self.call().map(|()| 0)
    }

    /// A simulated root is always there.
    fn remove_root(&self, _: usize) {}

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (written, failing) = self.writing(bytes)?;
        let mut state = self.state();
        let inode = state.create(path)?;
        state.make(Change::Len { inode, len: 0 });
        state.write(inode, 0, written);
        failing
    }

    fn write_tail(&self, path: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (written, failing) = self.writing(bytes)?;
        let mut state = self.state();
        let inode = state.create(path)?;
        if state.live.len(inode) > offset {
            state.make(Change::Len { inode, len: offset });
        }
        state.write(inode, offset, written);
        failing
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.call()?;
        let mut state = self.state();
        let (inode, node) = state.node(from)?;
        let is_folder = matches!(node, Node::Folder(_));
        if is_folder && state.node(to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let (to_folder, to_name) = state.parent(to)?;
        let (from_folder, from_name) = state.parent(from)?;
        let (folder, name) = (to_folder, to_name.to_owned());
        state.make(Change::Link { folder, name, inode, is_folder });
        state.make(Change::Unlink { folder: from_folder, name: from_name.to_owned() });
        Ok(())
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.call()?;
        let mut state = self.state();
        state.file(path)?;
        let (folder, name) = state.parent(path)?;
        state.make(Change::Unlink { folder, name: name.to_owned() });
        Ok(())
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.call()?;
        let mut state = self.state();
        match state.node(path)?.1 {
            Node::Folder(entries) if entries.is_empty() && !path.is_empty() => {}
            _ => return Err(io::ErrorKind::DirectoryNotEmpty.into()),
        }
        let (folder, name) = state.parent(path)?;
        state.make(Change::Unlink { folder, name: name.to_owned() });
        Ok(())
    }

    fn sync_all(&self) -> io::Result<()> {
        let failing = self.call();
        self.state().sync(fate(&failing), |_| true);
        failing
    }

    /// One by one: what comes behind one that fails is not synced.
    fn sync(&self, files: &BTreeSet<String>, folders: &BTreeSet<String>) -> io::Result<()> {
        for path in files {
            let failing = self.call();
            let mut state = self.state();
            if let Ok((inode, _)) = state.file(path) {
                state.sync(fate(&failing), |change| change.of_file() == Some(inode));
            }
            failing?;
        }
        for path in folders {
            let failing = self.call();
            let mut state = self.state();
            if let Ok((inode, Node::Folder(_))) = state.node(path) {
                state.sync(fate(&failing), |change| change.of_folder() == Some(inode));
            }
            failing?;
        }
        Ok(())
    }

    fn open(&self, path: &str, create: bool) -> io::Result<Box<dyn OpenFile>> {
        self.call()?;
        let mut state = self.state();
        let inode = if create { state.create(path)? } else { state.file(path)?.0 };
        state.handles += 1;
        let (handle, read_only) = (state.handles, state.read_only);
        drop(state);
        Ok(Box::new(SimulatedFile { disk: self.clone(), inode, handle, read_only }))
    }

    fn open_to_read(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        self.open(path, false)
    }

    fn open_to_read_now(&self, path: &str) -> io::Result<Box<dyn OpenFile>> {
        self.open_to_read(path)
    }
}

#[derive(Debug)]
struct SimulatedFile {
    disk: SimulatedDisk,
    inode: u64,
    handle: u64,
    read_only: bool,
}

impl SimulatedFile {
    fn check_writable(&self) -> io::Result<()> {
        if self.read_only { Err(io::ErrorKind::ReadOnlyFilesystem.into()) } else { Ok(()) }
    }
}

impl OpenFile for SimulatedFile {
    fn id(&self) -> FileId {
        FileId(1, self.inode)
    }

    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn mount(&self) -> u64 {
        self.disk.state().mount
    }

    fn len(&self) -> io::Result<u64> {
        self.disk.call()?;
        Ok(self.disk.state().live.len(self.inode))
    }

    fn reads_now(&self) -> bool {
        true
    }

    fn read_at_now(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.read_at(offset, len)
    }

    fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.disk.call()?;
        Ok(part(self.disk.state().live.bytes(self.inode), offset, len))
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        let (written, failing) = self.disk.writing(bytes)?;
        self.disk.state().write(self.inode, offset, written);
        failing
    }

    fn allocate(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        self.disk.call()?;
        let mut state = self.disk.state();
        if state.live.len(self.inode) < len {
            state.make(Change::Len { inode: self.inode, len });
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        self.disk.call()?;
        self.disk.state().make(Change::Len { inode: self.inode, len });
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let failing = self.disk.call();
        let fate = fate(&failing);
        self.disk.state().sync(fate, |change| change.of_file() == Some(self.inode));
        failing
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.disk.call()?;
        let mut state = self.disk.state();
        let lock = state.locks.entry(self.inode).or_default();
        let free = lock.exclusively.is_none_or(|holder| holder == self.handle)
            && lock.shared.iter().all(|holder| *holder == self.handle);
        if free {
            *lock = Lock { exclusively: Some(self.handle), ..Lock::default() };
        }
        Ok(free)
    }

    fn try_lock_shared(&self) -> io::Result<bool> {
        self.disk.call()?;
        let mut state = self.disk.state();
        let lock = state.locks.entry(self.inode).or_default();
        let free = lock.exclusively.is_none_or(|holder| holder == self.handle);
        if free {
            lock.exclusively = None;
            lock.shared.insert(self.handle);
        }
        Ok(free)
    }

    fn lock(&self) -> io::Result<()> {
        let asked = Instant::now();
        while !self.try_lock()? {
            if !cfg!(interleavings) && asked.elapsed() > LONGEST_WAIT {
                return Err(io::ErrorKind::Deadlock.into());
            }
            yield_now();
        }
        Ok(())
    }

    fn unlock(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let lock = state.locks.entry(self.inode).or_default();
        lock.exclusively.take_if(|holder| *holder == self.handle);
        lock.shared.remove(&self.handle);
        Ok(())
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}

fn part(bytes: &[u8], offset: u64, len: usize) -> Vec<u8> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    bytes[start..bytes.len().min(start.saturating_add(len))].to_vec()
}
