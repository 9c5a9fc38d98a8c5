//! A store that keeps its records as files, in the layout of [`layout`](crate::layout).

mod adopt;
mod created;
pub(crate) mod linkage;
pub(crate) mod log;
pub(crate) mod memory;
mod outbox;
mod recent;
pub(crate) mod records;
pub(crate) mod survey;
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(test), allow(dead_code, reason = "the tests use the rest"))]
#[allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it is of tests alone"
)]
pub(crate) mod tests;

use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, PoisonError},
};

pub(super) use self::log::OpenLog;

use self::{
    memory::Memory,
    outbox::{Outbox, Waits},
    records::DiskRecords,
};

/// How often a read is run again when the root is replaced during each look.
const LOOKS: usize = 8;
use super::{RecordStore, Records, RecordsMut, record_store::MAX_LIST_BYTES};
use crate::{
    engine::{Engine, FileError, KeptAlarm, KeptProgress, Plan, View},
    error::{Error, Result},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    timestamp::Timestamp,
};

/// Keeps its records under a root directory, in files that a person can read.
///
/// Making one does no I/O. The root is created by the first write; until then it
/// reads as empty. Clones are the same store.
#[derive(Debug, Clone)]
pub struct DiskStore {
    root: Arc<Root>,
    durability: Durability,
    clock: Option<Timestamp>,
    /// A call that was let in before the store was closed.
    admitted: bool,
    max_list_bytes: u64,
    /// A call that is answered without waiting, or not at all.
    now: bool,
}

/// What an answered write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// A power cut.
    #[default]
    Full,
    /// A crash of the process; a power cut takes what was not synced yet, as whole changes
    /// from the end.
    Relaxed,
}

#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// Keeps the root's engine while the store lives.
    engine: Mutex<Option<Arc<Engine>>>,
    outbox: Outbox,
    memory: Arc<Memory>,
    closed: AtomicBool,
    closing: Arc<tokio::sync::Mutex<()>>,
    progress: OnceLock<KeptProgress>,
    alarm: OnceLock<KeptAlarm>,
    /// How many failed syncs of the engine this store has told of.
    told: AtomicU64,
    #[cfg(any(test, fuzzing))]
    simulated: bool,
}

impl DiskStore {
    /// A store over the directory `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = Root {
            path: root.into(),
            engine: Mutex::default(),
            outbox: Outbox::default(),
            memory: Arc::default(),
            closed: AtomicBool::new(false),
            closing: Arc::default(),
            progress: OnceLock::new(),
            alarm: OnceLock::new(),
            told: AtomicU64::new(0),
            #[cfg(any(test, fuzzing))]
            simulated: false,
        };
        Self {
            root: Arc::new(root),
            durability: Durability::Full,
            clock: None,
            admitted: false,
            max_list_bytes: MAX_LIST_BYTES,
            now: false,
        }
    }

    /// The same store with another promise for its writes.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The same store, where a log longer than `max_list_bytes` is not answered as one
    /// list.
    #[must_use]
    pub fn with_max_list_bytes(self, max_list_bytes: u64) -> Self {
        Self { max_list_bytes, ..self }
    }

    /// The same store, whose changes are stamped with a time of the caller's.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Self {
        Self { clock: Some(time), ..self.clone() }
    }

    /// The same store, for reads that must not wait for the disk or a lock: they are
    /// answered from what the system has in memory when their future is first polled, and
    /// with some error where that is not sure to be possible. What is asked for once more of
    /// the store itself is then answered as it should be.
    #[must_use]
    pub fn now(&self) -> Self {
        Self { now: true, ..self.clone() }
    }

    /// A store over a simulated disk.
    #[cfg(any(test, fuzzing))]
    fn over(disk: &crate::engine::simulated::SimulatedDisk) -> Self {
        let root = Root {
            path: PathBuf::new(),
            engine: Mutex::new(Some(Engine::over(disk, survey::survey))),
            outbox: Outbox::default(),
            memory: Arc::default(),
            closed: AtomicBool::new(false),
            closing: Arc::default(),
            progress: OnceLock::new(),
            alarm: OnceLock::new(),
            told: AtomicU64::new(0),
            simulated: true,
        };
        Self {
            root: Arc::new(root),
            durability: Durability::Full,
            clock: None,
            admitted: false,
            max_list_bytes: MAX_LIST_BYTES,
            now: false,
        }
    }

    /// The same store, which tells `progress` how the walk through a root goes on that
    /// has no index yet: how many session folders are done, of how many in all.
    #[must_use]
    pub fn with_progress(self, progress: KeptProgress) -> Self {
        let _ = self.root.progress.set(progress); // the first one counts
        self
    }

    /// The same store, which tells `alarm` when what was answered could not be synced.
    #[must_use]
    pub fn with_alarm(self, alarm: KeptAlarm) -> Self {
        let _ = self.root.alarm.set(alarm); // the first one counts
        self
    }

    /// Answers when everything that this store answered before is synced and in the records.
    ///
    /// # Errors
    /// [`Error::StoreIo`]: with the outcome `unknown` when it could not be synced since the
    /// last flush, with `done` when it cannot be brought into the records yet.
    pub fn flush(&self) -> impl Future<Output = Result<()>> + Send + 'static {
        let root = Arc::clone(&self.root);
        let open = self.check_open();
        let last = root.outbox.put_barrier(&|| Some(()));
        let place = Arc::clone(&root);
        let flushed = async move {
            open?;
            let engine = root.engine()?;
            root.send(Ok(Arc::clone(&engine)));
            if let Some(((), last)) = last {
                last.await?;
            }
            engine.flush()?;
            root.check_synced(&engine)
        };
        async move { flushed.await.map_err(|error: Error| error.at(&place.path)) }
    }

    /// The same store, told that no other program writes to its root: this process does not
    /// look for what others changed, once the root was walked at all.
    #[must_use]
    pub fn with_trusted_index(self) -> Self {
        self.root.memory.trusts_index.store(true, Ordering::Relaxed);
        self
    }

    /// Looks again for what other programs changed in the root.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when something of the tree cannot be read, [`Error::StoreClosed`].
    pub fn refresh(&self) -> impl Future<Output = Result<()>> + Send + 'static {
        let store = self.admit();
        async move {
            let store = store?;
            let looked = store.engine()?.look(true);
            looked.map_err(|error| Error::from(error).at(&store.root.path))?;
            store.root.memory.clear();
            Ok(())
        }
    }

    /// Finishes what was started, syncs it, and lets go of the root; later calls answer
    /// [`Error::StoreClosed`]. Closing again does nothing.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when something cannot be synced: it is kept in the journal, and
    /// the store is closed all the same.
    pub fn close(&self) -> impl Future<Output = Result<()>> + Send + 'static {
        let root = Arc::clone(&self.root);
        // Taken at the call, so that a second close waits for the first.
        let first = root.outbox.put_barrier(&|| {
            let first = !root.closed.swap(true, Ordering::AcqRel);
            first.then(|| Arc::clone(&root.closing).try_lock_owned())
        });
        async move {
            let Some((_closing, last)) = first else {
                drop(root.closing.lock().await);
                return Ok(());
            };
            let engine = root.engine();
            root.send(engine.clone());
            let waited = last.await;
            let settled = engine.clone().and_then(|engine| engine.settle());
            let synced = engine.map_or(Ok(()), |engine| root.check_synced(&engine));
            // Whatever failed, the root is let go of.
            *root.engine.lock().unwrap_or_else(PoisonError::into_inner) = None;
            let settled = waited.and_then(|()| Ok(settled?)).and(synced);
            settled.map_err(|error| error.at(&root.path))
        }
    }

    fn engine(&self) -> Result<Arc<Engine>> {
        self.check_open()?;
        self.root.engine().map_err(|error| Error::from(error).at(&self.root.path))
    }

    fn read_now<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.check_open()?;
        let engine = self.root.engine.try_lock().ok().and_then(|engine| engine.clone());
        let read = |view: &View<'_>| {
            let records = DiskRecords::new(view, &self.root.memory);
            let answer = read(&records)?;
            if records.is_sure() {
                Ok::<_, Error>(answer)
            } else {
                Err(FileError::waiting().into())
            }
        };
        engine.and_then(|engine| engine.read_now(read)).ok_or_else(|| FileError::waiting().into())
    }

    /// Runs `read` as `with` does; once more after a look for what other programs changed, if
    /// its answer rests on that.
    fn read_surely<T>(
        &self,
        read: impl Fn(&dyn Records) -> Result<T>,
        with: impl Fn(&Engine, &dyn Fn(&View<'_>) -> Result<Option<T>>) -> Result<Option<T>>,
    ) -> Result<T> {
        let engine = self.engine()?;
        let read = |view: &View<'_>| {
            let records = DiskRecords::new(view, &self.root.memory);
            let answer = read(&records);
            if records.is_sure() { answer.map(Some) } else { Ok(None) }
        };
        let told = |error: Error| error.at(&self.root.path);
        for _ in 0..LOOKS {
            if let Some(answer) = with(&engine, &read).map_err(told)? {
                return Ok(answer);
            }
            engine.look(false).map_err(|error| told(error.into()))?;
        }
        Err(told(FileError::waiting().into()))
    }

    fn check_open(&self) -> Result<()> {
        let closed = !self.admitted && self.root.closed.load(Ordering::Acquire);
        if closed { Err(Error::StoreClosed { place: None }.at(&self.root.path)) } else { Ok(()) }
    }
}

impl Root {
    /// Whether nothing that was answered failed to be synced since this was asked last.
    fn check_synced(&self, engine: &Engine) -> Result<()> {
        let told = self.told.swap(engine.failed_syncs(), Ordering::Relaxed);
        engine.failed_sync_since(told).map_or(Ok(()), |error| Err(error.into()))
    }

    /// The engine of whatever directory the root names now.
    fn engine(&self) -> Result<Arc<Engine>, FileError> {
        let kept = self.engine.lock().unwrap_or_else(PoisonError::into_inner).clone();
        #[cfg(any(test, fuzzing))]
        if let (Some(engine), true) = (&kept, self.simulated) {
            return Ok(Arc::clone(engine));
        }
        if let Some(engine) = kept.filter(|engine| engine.is_current()) {
            return Ok(engine);
        }
        let engine = Engine::open(&self.path, survey::survey)?;
        if let Some(progress) = self.progress.get() {
            engine.report_to(progress.clone());
        }
        if let Some(alarm) = self.alarm.get() {
            engine.alarm_by(alarm.clone());
        }
        self.told.store(engine.failed_syncs(), Ordering::Relaxed);
        if !self.closed.load(Ordering::Acquire) {
            let mut kept = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(Arc::clone(&engine));
        }
        self.memory.clear();
        Ok(engine)
    }

    /// Hands what waits to the engine; what rests on the index, after a look for what other
    /// programs changed.
    fn send(&self, engine: Result<Arc<Engine>, FileError>) {
        self.outbox.send(engine, |engine| {
            let trusts = self.memory.trusts_index.load(Ordering::Relaxed);
            let knows_all = engine.read(|view| view.knows_all(trusts));
            if !knows_all.unwrap_or(false) {
                // What cannot be read is told to the change that has to know it.
                let _ = engine.look(false);
            }
        });
    }
}

impl RecordStore for DiskStore {
    fn root(&self) -> Option<&Path> {
        Some(&self.root.path)
    }

    fn max_list_bytes(&self) -> u64 {
        self.max_list_bytes
    }

    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        if self.now {
            return self.read_now(read);
        }
        self.read_surely(read, |engine, read| engine.read(read))
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        if self.now {
            return self.read_now(read);
        }
        self.read_surely(read, |engine, read| engine.read_consistently(read))
    }

    /// The change is put into the outbox at once, which keeps the order of the calls; the
    /// root is looked for when the future is awaited, as that may wait for the disk.
    fn write<T, C>(&self, change: C) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        self.put(change, Waits::No)
    }

    fn write_linked<T, C>(
        &self,
        change: C,
    ) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        self.put(change, Waits::ForLook)
    }

    fn admit(&self) -> Result<Self> {
        self.check_open()?;
        Ok(Self { admitted: true, ..self.clone() })
    }

    fn lasting(&self) -> Self {
        self.clone().with_durability(Durability::Full)
    }

    fn now(&self) -> Timestamp {
        self.clock.unwrap_or_else(Timestamp::now)
    }
}

impl DiskStore {
    fn put<T, C>(
        &self,
        change: C,
        waits: Waits,
    ) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        let must_last = self.durability == Durability::Full;
        let memory = Arc::clone(&self.root.memory);
        let plan = move |view: &View<'_>| {
            let mut records = DiskRecords::changing(view, &memory);
            let answer = change(&mut records)?;
            Ok(Plan { ops: records.into_ops(), answer })
        };
        let started = self.root.outbox.put(&|| self.check_open(), must_last, waits, plan);
        let root = Arc::clone(&self.root);
        async move {
            let answer = started?;
            if !root.outbox.is_empty() {
                root.send(root.engine());
            }
            answer.await.map_err(|error| root.explain(error))
        }
    }
}
