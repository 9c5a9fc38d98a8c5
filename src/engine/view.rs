//! The current state of a root, as a transaction or a reader sees it.

use super::{Engine, Entry, FileError, Kind, RelPath, files};

/// Reads files and the locator of one root.
#[derive(Debug)]
pub struct View<'e> {
    engine: &'e Engine,
}

impl<'e> View<'e> {
    pub(super) fn new(engine: &'e Engine) -> Self {
        Self { engine }
    }

    /// What a file holds; `None` where there is none.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
        files::read(&self.engine.root, path)
    }

    /// Names of what a folder holds, in no order; none where there is no folder.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn list(&self, path: &RelPath) -> Result<Vec<String>, FileError> {
        files::list(&self.engine.root, path)
    }

    /// Whether there is a file.
    ///
    /// # Errors
    /// [`FileError`] when that cannot be found out.
    pub fn exists(&self, path: &RelPath) -> Result<bool, FileError> {
        files::exists(&self.engine.root, path)
    }

    /// Length of a file in bytes; 0 where there is none.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be looked at.
    pub fn len(&self, path: &RelPath) -> Result<u64, FileError> {
        files::len(&self.engine.root, path)
    }

    /// Up to `len` bytes of a file from `offset` on: fewer where it ends before.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be read.
    pub fn read_at(&self, path: &RelPath, offset: u64, len: usize) -> Result<Vec<u8>, FileError> {
        files::read_at(&self.engine.root, path, offset, len)
    }

    /// The values located under a key, in the order of their text.
    ///
    /// # Errors
    /// [`FileError`] when the root had to be surveyed first and could not be.
    pub fn located(&self, kind: Kind, key: &str) -> Result<Vec<String>, FileError> {
        self.engine.located(|locator| locator.get(kind, key).map(str::to_owned).collect())
    }

    /// Tells the locator what reading the files found and it did not know.
    pub fn learn(&self, entry: Entry) {
        self.engine.learn(entry);
    }
}
