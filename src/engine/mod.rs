//! Transactions over a directory. Knows files and transactions, nothing of what
//! the files mean.
//!
//! A [`Engine::transact`] runs a closure over a [`View`] of the current state; the
//! closure answers file operations ([`Op`]) with a value, or an error. Operations of
//! one transaction are carried out together, transactions one after the other.
//! [`Engine::view`] reads without a transaction.

mod files;
mod locator;
mod path;
mod registry;
mod transaction;
mod view;

pub use files::FileError;
pub use locator::{Entry, Kind, Locator};
pub use path::RelPath;
pub use transaction::{Op, Plan};
pub use view::View;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// One root directory, shared by everything in the process that has it open.
#[derive(Debug)]
pub struct Engine {
    root: PathBuf,
    /// Held by the transaction that runs.
    writer: Mutex<()>,
    /// Odd while a transaction's operations are being carried out.
    applied: AtomicU64,
    locator: RwLock<Option<Locator>>,
    survey: Survey,
}

/// Finds in a whole root what its locator must know.
pub type Survey = fn(&View<'_>) -> Result<Vec<Entry>, FileError>;

impl Engine {
    /// The engine of the directory `root`, the same for every caller in the process.
    /// `survey` fills the locator when the root is first searched.
    ///
    /// Where there is no such directory, what is answered reads as an empty one and
    /// nothing is created.
    ///
    /// # Errors
    /// [`FileError`] when `root` is no directory or cannot be looked at.
    pub fn open(root: &Path, survey: Survey) -> Result<Arc<Self>, FileError> {
        registry::open(root, survey)
    }

    fn new(root: &Path, survey: Survey) -> Self {
        Self {
            root: root.to_owned(),
            writer: Mutex::new(()),
            applied: AtomicU64::new(0),
            locator: RwLock::new(None),
            survey,
        }
    }

    /// The current state, for reading.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }

    /// Reads several records of one instant: runs `read` again when a transaction was
    /// carried out meanwhile.
    ///
    /// # Errors
    /// What `read` answers.
    pub fn read_consistently<T, E>(
        &self,
        read: impl Fn(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        for _ in 0..8 {
            let before = self.applied.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                let answer = read(&self.view());
                if self.applied.load(Ordering::Acquire) == before {
                    return answer;
                }
            }
            std::thread::yield_now();
        }
        let _quiet = self.lock();
        read(&self.view())
    }

    /// Runs one transaction: all operations that `plan` answers, or none.
    ///
    /// # Errors
    /// What `plan` answers, or [`FileError`] when an operation fails.
    pub async fn transact<T, E>(
        &self,
        plan: impl FnOnce(&View<'_>) -> Result<Plan<T>, E> + Send,
    ) -> Result<T, E>
    where
        E: From<FileError>,
    {
        self.ensure_located()?;
        let _one_at_a_time = self.lock();
        let Plan { ops, answer } = plan(&self.view())?;
        if !ops.is_empty() {
            self.applied.fetch_add(1, Ordering::AcqRel);
            let applied = self.apply(ops);
            self.applied.fetch_add(1, Ordering::AcqRel);
            applied?;
        }
        Ok(answer)
    }

    fn apply(&self, ops: Vec<Op>) -> Result<(), FileError> {
        for op in ops {
            match op {
                Op::Put { path, bytes } => files::put(&self.root, &path, &bytes)?,
                Op::Append { path, offset, bytes } => {
                    files::append(&self.root, &path, offset, &bytes)?;
                }
                Op::Remove { path } => files::remove_tree(&self.root, &path)?,
                Op::Locate(entry) => self.learn(entry),
            }
        }
        Ok(())
    }

    fn learn(&self, entry: Entry) {
        if let Some(locator) = &mut *write_lock(&self.locator) {
            locator.apply(entry);
        }
    }

    /// Looks something up in the locator, which is filled first where it is not yet.
    fn located<T>(&self, look: impl Fn(&Locator) -> T) -> Result<T, FileError> {
        loop {
            if let Some(locator) = &*self.locator.read().unwrap_or_else(PoisonError::into_inner) {
                return Ok(look(locator));
            }
            self.ensure_located()?;
        }
    }

    fn ensure_located(&self) -> Result<(), FileError> {
        if self.locator.read().unwrap_or_else(PoisonError::into_inner).is_some() {
            return Ok(());
        }
        let mut locator = write_lock(&self.locator);
        if locator.is_none() {
            let mut found = Locator::default();
            for entry in (self.survey)(&self.view())? {
                found.apply(entry);
            }
            *locator = Some(found);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_lock<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
