//! The file `writing` of a bundle that is being written: its writer holds it locked, and
//! a sweep takes an unsealed bundle only while it holds that lock itself.
//!
//! A lock that was got counts only while the name still leads to the locked file: a sweep
//! may have removed the folder between the opening and the locking.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::{DiskArchive, MARKER, WRITING, files};
use crate::{engine::mutant, id::ArchiveRef};

/// The lock of a bundle that has no marker yet.
#[derive(Debug)]
pub(in crate::retention) struct Writing {
    file: File,
    folder: PathBuf,
}

impl Writing {
    /// Makes the file in a bundle's folder and locks it; `None` where another holder, or a
    /// sweep, was faster.
    pub(super) fn take(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(WRITING);
        let Some((file, opened)) = files::open_or_create(&path)? else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => {}
            Err(_) if mutant!(SweepTakesHeldBundles) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
        let named = files::stat(&path)?;
        let held = named.is_some_and(|named| named.id == opened.id);
        Ok(held.then(|| Self { file, folder: folder.to_owned() }))
    }

    /// Makes the file the bundle's marker, in one step: at no time is the bundle neither
    /// sealed nor locked.
    pub(super) fn seal(&self, marker: &str, durable: bool) -> io::Result<()> {
        files::write(&self.file, marker.as_bytes())?;
        if durable {
            self.file.sync_all()?;
        }
        files::rename(&self.folder.join(WRITING), &self.folder.join(MARKER))
    }
}

impl DiskArchive {
    /// Takes the lock of a bundle that its writer did not finish; `None` while it is being
    /// written, and once it is sealed or gone.
    pub(in crate::retention) fn claim(
        &self,
        archive_ref: &ArchiveRef,
    ) -> io::Result<Option<Writing>> {
        let folder = self.folder(archive_ref);
        let Some(claim) = Writing::take(&folder)? else { return Ok(None) };
        if files::stat(&folder.join(MARKER))?.is_some() {
            files::remove_file(&folder.join(WRITING))?; // it was sealed while we looked
            return Ok(None);
        }
        Ok(Some(claim))
    }
}
