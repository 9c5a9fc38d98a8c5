//! A store that keeps its records as files, in the layout of `layout`.

mod layout;
mod log;
mod memory;
mod records;
mod survey;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use self::{memory::Memory, records::DiskRecords};
use super::{RecordStore, Records, RecordsMut, record_store::MAX_LIST_BYTES};
use crate::{
    engine::{Engine, FileError, Plan},
    error::{Error, Result},
};

/// Keeps its records under a root directory, in files that a person can read.
///
/// Making one does no I/O. The root is created by the first write; until then it
/// reads as empty.
#[derive(Debug)]
pub struct DiskStore {
    root: PathBuf,
    /// Keeps the root's engine while the store lives.
    engine: Mutex<Option<Arc<Engine>>>,
    memory: Memory,
    max_list_bytes: Option<u64>,
}

impl DiskStore {
    /// A store over the directory `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let (memory, max_list_bytes) = (Memory::default(), None);
        Self { root: root.into(), engine: Mutex::new(None), memory, max_list_bytes }
    }

    /// The same, where a log longer than `max_list_bytes` is not answered as one list.
    #[must_use]
    pub fn with_max_list_bytes(self, max_list_bytes: u64) -> Self {
        Self { max_list_bytes: Some(max_list_bytes), ..self }
    }

    /// The engine of whatever directory the root names now.
    fn engine(&self) -> Result<Arc<Engine>> {
        let engine = Engine::open(&self.root, survey::survey)?;
        let mut kept = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, &engine)) {
            *kept = Some(Arc::clone(&engine));
            self.memory.clear();
        }
        Ok(engine)
    }
}

impl RecordStore for DiskStore {
    fn root(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn max_list_bytes(&self) -> u64 {
        self.max_list_bytes.unwrap_or(MAX_LIST_BYTES)
    }

    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        let engine = self.engine()?;
        read(&DiskRecords::new(&engine.view(), &self.memory))
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.engine()?.read_consistently(|view| read(&DiskRecords::new(view, &self.memory)))
    }

    async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let engine = self.engine()?;
        let transaction = engine.transact(|view| {
            let mut records = DiskRecords::changing(view, &self.memory);
            let answer = change(&mut records)?;
            Ok::<_, Error>(Plan { ops: records.into_ops(), answer })
        });
        transaction.await
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::io(error.op, &error.path, &error.source)
    }
}
