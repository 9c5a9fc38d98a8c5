//! Transactions over a directory. Knows files and transactions, nothing of what the
//! files mean.
//!
//! A transaction ([`submission`]) runs a closure over a [`View`] of the current state;
//! the closure answers file operations ([`Op`]) with a value, or an error. Transactions
//! are linearizable over every thread and process that has the directory open, and
//! each is all or nothing at any instant at which the process or the machine stops:
//!
//! 1. `committer`: whatever transactions wait become one batch;
//! 2. `batch`: under the root's lock (`files`), the closures run over the files and
//!    what those before them decided (`view`, `overlay`), and their operations are
//!    written to the `journal` and synced, which is the commit point; those that may be
//!    lost by a power cut are answered before the sync (`pipeline`), and readers see them
//!    over the tree until they are in it (`laid`);
//! 3. `apply`: the operations are carried out on the tree, and `marks` say so;
//! 4. `recovery`: the next holder of the lock finishes what a process left, the
//!    first to open the root after a power cut what the machine left; a checkpoint syncs the
//!    tree and empties the journal.
//!
//! `index` answers where things are without a walk. All file operations go through the `disk` trait.

/// Whether a deliberate fault is wanted: never, but in the crate's own tests.
#[cfg(test)]
macro_rules! mutant {
    ($name:ident) => {
        $crate::engine::mutants::is($crate::engine::mutants::Mutant::$name)
    };
}
#[cfg(not(test))]
macro_rules! mutant {
    ($name:ident) => {
        false
    };
}
pub(crate) use mutant;

mod apply;
mod batch;
#[doc(hidden)]
pub mod bench;
mod committer;
mod disk;
mod files;
mod found;
#[cfg(any(test, fuzzing))]
#[allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it is of tests alone"
)]
pub(crate) mod fuzz;
mod idle;
mod index;
mod inspect;
mod journal;
mod laid;
mod make_room;
mod marks;
#[cfg(test)]
pub(crate) mod mutants;
mod now;
mod obstacles;
mod old_release;
mod opened;
mod overlay;
mod path;
mod pipeline;
mod recovery;
mod registry;
mod settle;
#[cfg(test)]
mod tests;
mod transaction;
mod view;
mod write;

pub use committer::{Submission, barrier, submission};
#[cfg(any(test, fuzzing))]
pub(crate) use disk::simulated;
pub use disk::{FileError, FileId, Stat, sync_below};
pub use index::{Entry, Found, Kind, Table};
pub use inspect::{IndexState, Inspection, Remnant, RemnantKind};
pub use opened::Opened;
pub use path::RelPath;
pub use transaction::{Op, Plan};
pub use view::View;

use std::{
    path::Path,
    sync::{Arc, PoisonError},
};

use committer::Queue;
use disk::Disk;
use files::{Files, log_there};
use found::Ends;
use index::Located;
use laid::Laid;
use marks::Marks;
use pipeline::Pipeline;

use crate::error::Outcome;
use crate::sync::{
    Condvar, Mutex, RwLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
    yield_now,
};

/// Finds in a whole root what it says and its index does not.
pub type Survey = fn(&View<'_>, &Table, Progress<'_>) -> Result<Vec<Found>, FileError>;

/// Is told how many parts of a survey are done, of how many in all.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// A [`Progress`] that an engine keeps.
#[derive(Clone)]
pub struct KeptProgress(Arc<dyn Fn(usize, usize) + Send + Sync>);

impl KeptProgress {
    /// Keeps `report`, which is told what is done, and of how much.
    pub fn new(report: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(report))
    }
}

/// Is told that a sync failed for transactions that had been answered.
#[derive(Clone)]
pub struct KeptAlarm(Arc<dyn Fn(&FileError) + Send + Sync>);

impl KeptAlarm {
    /// Keeps `tell`, which waits for nothing.
    pub fn new(tell: impl Fn(&FileError) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl std::fmt::Debug for KeptAlarm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptAlarm").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for KeptProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptProgress").finish_non_exhaustive()
    }
}

/// How often a read is made again that transactions come between.
const ATTEMPTS: usize = 16;

/// How far a reader finds a root's transactions.
enum Standing {
    /// As far as these say.
    Marks(Marks),
    /// There were none yet, at an instant at which no writer was at work: what the journal holds
    /// since then is not committed before marks say so.
    Unused,
    /// The root could not be brought up to date, or a writer is at it.
    Unknown,
}

/// One root directory, shared by everything in the process that has it open.
#[derive(Debug)]
pub struct Engine {
    /// The root by its name, whichever folder has it at the moment.
    named: Arc<dyn Disk>,
    survey: Survey,
    progress: Mutex<Option<KeptProgress>>,
    queue: Queue,
    /// Held by the batch that is carried out, or holding the one that goes on elsewhere.
    writer: Mutex<Option<Pipeline>>,
    /// Told when that one is done.
    finished: Condvar,
    /// What is committed and not in the tree yet.
    laid: RwLock<Option<Arc<Laid>>>,
    /// Of one folder, which the batch that is carried out has to itself: they are only
    /// forgotten by who has the turn.
    files: RwLock<Option<Arc<Files>>>,
    /// Grows when they are forgotten.
    roots: AtomicU64,
    locator: RwLock<Located>,
    /// Held by the one that looks for what other programs changed.
    looking: Mutex<()>,
    /// What was known when that was last done.
    looks: AtomicU64,
    /// Marks were brought up to date once since this engine was made.
    caught_up: AtomicBool,
    /// The index does not hold what it should, and is to be written anew.
    index_broken: AtomicBool,
    /// Something was committed here that is not known to be in the tree.
    behind: AtomicBool,
    /// How many syncs failed whose transactions had been answered, and the last one's error.
    failed_syncs: Mutex<(u64, Option<FileError>)>,
    /// Is told of them.
    alarm: Mutex<Option<KeptAlarm>>,
    /// Tests finish what is under way themselves.
    #[cfg(any(test, fuzzing))]
    finishes_late: AtomicBool,
    /// How the logs ended that were written here.
    ends: Ends,
    /// Something waits in the trash.
    trash: AtomicBool,
    /// Counts batches, for noticing an idle second.
    activity: AtomicU64,
    /// A task waits for an idle second.
    watched: AtomicBool,
}

impl Engine {
    /// The engine of the directory `root`, the same for every caller in the process.
    /// `survey` finds what other programs changed.
    ///
    /// Where there is no such directory, it reads as an empty one; the first
    /// transaction that has something to write makes it.
    ///
    /// # Errors
    /// [`FileError`] when `root` is no directory or cannot be looked at.
    pub fn open(root: &Path, survey: Survey) -> Result<Arc<Self>, FileError> {
        registry::open(root, survey)
    }

    /// The engine of a simulated disk.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn over(disk: &simulated::SimulatedDisk, survey: Survey) -> Arc<Self> {
        Arc::new(Self::new(Arc::new(disk.clone()), survey))
    }

    fn new(named: Arc<dyn Disk>, survey: Survey) -> Self {
        Self {
            named,
            survey,
            progress: Mutex::default(),
            queue: Queue::default(),
            writer: Mutex::default(),
            finished: Condvar::default(),
            laid: RwLock::default(),
            files: RwLock::default(),
            roots: AtomicU64::new(0),
            locator: RwLock::default(),
            looking: Mutex::default(),
            looks: AtomicU64::new(u64::MAX),
            caught_up: AtomicBool::new(false),
            index_broken: AtomicBool::new(false),
            behind: AtomicBool::new(false),
            failed_syncs: Mutex::default(),
            alarm: Mutex::default(),
            #[cfg(any(test, fuzzing))]
            finishes_late: AtomicBool::new(false),
            ends: Ends::default(),
            trash: AtomicBool::new(false),
            activity: AtomicU64::new(0),
            watched: AtomicBool::new(false),
        }
    }

    /// Whether this is still the engine that [`Engine::open`] would answer, by a look at
    /// its open files: the root was not removed or replaced. Never before the first
    /// transaction, nor where that cannot be told.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.kept_files().is_some_and(|files| files.are_current(&*self.named).unwrap_or(false))
    }

    /// Sets what is told how a survey goes on.
    pub fn report_to(&self, progress: KeptProgress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// The tree as it is, whatever is being applied to it.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(self, None)
    }

    /// Reads the current state: all that was committed before, and nothing by halves
    /// that a later read could still find undone. Waits for no writer.
    ///
    /// # Errors
    /// What `read` answers, or [`FileError`] when the engine's own files cannot be read.
    pub fn read<T, E: From<FileError>>(
        &self,
        read: impl Fn(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        for _ in 0..ATTEMPTS {
            let root = self.root_number();
            let (marks, pending) = self.committed(false)?;
            let view = View::since(self, pending.as_deref(), marks.map(|marks| marks.seq));
            let answer = read(&view);
            if !view.has_moved() && self.root_number() == root {
                return answer;
            }
            yield_now();
        }
        self.read_alone(read)
    }

    /// Reads several records of one instant: runs `read` again when another transaction
    /// was committed meanwhile.
    ///
    /// # Errors
    /// What `read` answers, or [`FileError`].
    pub fn read_consistently<T, E: From<FileError>>(
        &self,
        read: impl Fn(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        for _ in 0..ATTEMPTS {
            let root = self.root_number();
            let (before, pending) = self.committed(false)?;
            let answer = read(&View::new(self, pending.as_deref()));
            let after = self.committed_seq()?;
            if after == before.map(|marks| marks.seq) && self.root_number() == root {
                return answer;
            }
            yield_now();
        }
        self.read_alone(read)
    }

    /// Reads while no transaction is carried out: writers that commit that often can be waited
    /// for.
    fn read_alone<T, E: From<FileError>>(
        &self,
        read: impl Fn(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let _turn = self.turn();
        let locked = self.lock_root(false)?;
        if let Some(files) = &locked {
            let _ = self.catch_up(files); // reading goes on where a disk is full
        }
        let (_, pending) = self.committed(true)?;
        read(&View::new(self, pending.as_deref()))
    }

    /// The last transaction that is committed, where the marks say so.
    fn committed_seq(&self) -> Result<Option<u64>, FileError> {
        Ok(self.read_marks(false)?.map(|marks| marks.seq))
    }

    /// How far the transactions have come, and what those decided that are committed and
    /// not applied: a reader sees them as if they were.
    fn committed(&self, in_turn: bool) -> Result<(Option<Marks>, Option<Arc<Laid>>), FileError> {
        loop {
            let now = match self.current_marks(in_turn)? {
                Standing::Marks(now) => now,
                Standing::Unused => return Ok((None, None)),
                Standing::Unknown => return Ok((None, self.unrecovered(in_turn)?)),
            };
            self.follow_index(now.index)?;
            if now.settled() {
                return Ok((Some(now), None));
            }
            let Some(files) = self.files(in_turn)? else { continue };
            match self.laid_up_to(&files, now) {
                Ok(laid) => return Ok((Some(now), Some(laid))),
                Err(error) if self.marks(&files)? == Some(now) => return Err(error),
                Err(_) => {}
            }
            // They were applied meanwhile, and others are being written over them.
            yield_now();
        }
    }

    /// Syncs everything into the tree and empties the journal.
    ///
    /// # Errors
    /// [`FileError`] when something cannot be synced; it stays in the journal.
    pub fn checkpoint(&self) -> Result<(), FileError> {
        self.checkpoint_then(|_| ())
    }

    /// As [`Engine::checkpoint`], leaving nothing in the journal's file either of what
    /// has been deleted since.
    ///
    /// # Errors
    /// [`FileError`] when something cannot be synced; it stays in the journal.
    pub fn settle(&self) -> Result<(), FileError> {
        self.checkpoint_then(|files| files.journal.trim())
    }

    /// Waits until everything that was committed here is synced and in the tree.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be synced, or applied: it stays committed.
    pub fn flush(&self) -> Result<(), FileError> {
        let _turn = self.turn();
        if !self.behind.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some(files) = self.lock_root(false)? else { return Ok(()) };
        self.catch_up(&files).map(drop).map_err(|error| error.with_outcome(Outcome::Done))
    }

    /// How many syncs failed for transactions that had been answered.
    #[must_use]
    pub fn failed_syncs(&self) -> u64 {
        self.failed_syncs.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Why the last of them failed, when there were more than `known`.
    #[must_use]
    pub fn failed_sync_since(&self, known: u64) -> Option<FileError> {
        let failed = self.failed_syncs.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.0 > known { failed.1.clone() } else { None }
    }

    /// Sets what is told when a sync fails for transactions that had been answered.
    pub fn alarm_by(&self, alarm: KeptAlarm) {
        *self.alarm.lock().unwrap_or_else(PoisonError::into_inner) = Some(alarm);
    }

    fn tell_failed_sync(&self, error: FileError) {
        let alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner).clone();
        alarm.inspect(|KeptAlarm(tell)| tell(&error));
        let mut failed = self.failed_syncs.lock().unwrap_or_else(PoisonError::into_inner);
        *failed = (failed.0 + 1, Some(error));
    }

    fn checkpoint_then(&self, then: impl FnOnce(&Files)) -> Result<(), FileError> {
        let _turn = self.turn();
        let Some(files) = self.lock_root(false)? else { return Ok(()) };
        if files.are_read_only() && !self.behind.load(Ordering::Relaxed) {
            // What others left in a root that can only be read waits for who may write to it.
            return Ok(());
        }
        apply::clear_litter(&*self.disk());
        let marks = match self.catch_up(&files) {
            // There is nothing of this process to write, and the other is not to be waited for.
            Err(error) if error.is_busy() && !self.behind.load(Ordering::Relaxed) => return Ok(()),
            caught_up => caught_up?,
        };
        let Some(marks) = marks else { return Ok(()) };
        let marks = self.checkpoint_at(&files, marks)?;
        if marks.end == journal::HEADER_LEN {
            then(&files);
        }
        Ok(())
    }

    /// The marks, after finishing what a process left that died.
    fn current_marks(&self, in_turn: bool) -> Result<Standing, FileError> {
        let Some(files) = self.files(in_turn)? else { return Ok(Standing::Unused) };
        let marks = self.marks(&files)?;
        if let Some(known) = marks
            && known.settled()
            && !files.has_old_log.load(Ordering::Relaxed)
            && !files.journal.goes_on(known.end, known.seq)?
        {
            return Ok(Standing::Marks(known));
        }
        let believed = marks.map_or(Standing::Unknown, Standing::Marks);
        // Someone is at it, in this process or another, or died at it.
        let Ok(turn) = self.writer.try_lock() else { return Ok(believed) };
        if turn.is_some() || files.are_read_only() {
            return Ok(believed);
        }
        let locked = match marks {
            None => files.acquire(&*self.named)?,
            Some(_) => files.try_acquire(&*self.named)?,
        };
        let Some(locked) = locked else { return Ok(believed) };
        // Where it cannot be finished, on a full disk or a read-only one, reading goes on.
        Ok(match self.catch_up(&locked) {
            Ok(Some(marks)) => Standing::Marks(marks),
            Ok(None) => Standing::Unused,
            Err(_) => believed,
        })
    }

    /// The marks, if they are to be believed: they were brought up to date by this engine
    /// or by another process that has the root open, or the mount is theirs.
    fn marks(&self, files: &Files) -> Result<Option<Marks>, FileError> {
        let found = files.read_marks()?;
        Ok(found.filter(|found| self.believes(files, *found)).map(|found| found.marks))
    }

    fn believes(&self, files: &Files, found: marks::Found) -> bool {
        found.of_this_mount || files.in_company() || self.caught_up.load(Ordering::Relaxed)
    }

    fn set_marks(&self, files: &Files, marks: Marks) -> Result<(), FileError> {
        let written = files.write_marks(marks);
        if marks.settled() {
            self.behind.store(false, Ordering::Relaxed);
            self.lay(None);
        }
        written
    }

    fn read_marks(&self, in_turn: bool) -> Result<Option<Marks>, FileError> {
        match self.files(in_turn)? {
            Some(files) => self.marks(&files),
            None => Ok(None),
        }
    }

    /// The engine's files as they are now, opened where they were not; for who has the turn,
    /// those that are open.
    fn files(&self, in_turn: bool) -> Result<Option<Arc<Files>>, FileError> {
        loop {
            let kept = self.kept_files();
            if in_turn && kept.is_some() {
                return Ok(kept);
            }
            let stale = match (kept, log_there(&*self.named)?) {
                (Some(files), Some((_, id))) if id == files.journal.id() => return Ok(Some(files)),
                (Some(files), _) => files,
                (None, None) => return Ok(None),
                (None, Some(_)) => {
                    return Ok(Files::open(&*self.named)?.map(|files| self.keep(files)));
                }
            };
            // A batch goes on in the folder that it began in.
            let _turn = self.turn();
            if self.kept_files().is_some_and(|kept| Arc::ptr_eq(&kept, &stale)) {
                self.forget_files();
            }
        }
    }

    /// The files that are open, of whichever root.
    fn kept_files(&self) -> Option<Arc<Files>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, files: Files) -> Arc<Files> {
        let mut kept = self.files.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.get_or_insert_with(|| Arc::new(files)))
    }

    /// The root's folder that is open; by its name, where none is.
    fn disk(&self) -> Arc<dyn Disk> {
        self.kept_files().map_or_else(|| Arc::clone(&self.named), |files| Arc::clone(&files.disk))
    }

    /// Changes when the root is another one: what was read before and after is not of one.
    fn root_number(&self) -> u64 {
        self.roots.load(Ordering::Acquire)
    }

    /// Starts afresh: the root's files are others, or are to be opened anew. The caller has
    /// the turn.
    fn forget_files(&self) {
        self.roots.fetch_add(1, Ordering::AcqRel);
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.forget_located();
        self.lay(None);
        self.caught_up.store(false, Ordering::Relaxed);
    }

    /// Has files opened anew that could only be read: what was refused before may be allowed
    /// by now.
    fn forget_read_only(&self) {
        if self.kept_files().is_some_and(|files| files.are_read_only()) {
            self.forget_files();
        }
    }

    fn trust_marks(&self, files: &Files) {
        self.caught_up.store(true, Ordering::Relaxed);
        files.join();
    }
}
