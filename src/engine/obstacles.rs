//! What stands where a transaction wants to write: found before the transaction is
//! committed, as it could never be applied afterwards.

use std::{collections::HashSet, io::ErrorKind};

use super::{
    Op, RelPath,
    disk::{Disk, During as _, FileError, Stat},
    overlay::Overlay,
};

/// Looks at the places that a batch wants to write to.
#[derive(Debug)]
pub(super) struct Obstacles<'d> {
    disk: &'d dyn Disk,
    /// Folders that were looked at and are there, or can be made.
    clear: HashSet<String>,
    /// Those of them that are not there, the outer ones first.
    missing: Vec<String>,
}

impl<'d> Obstacles<'d> {
    pub(super) fn new(disk: &'d dyn Disk) -> Self {
        Self { disk, clear: HashSet::new(), missing: Vec::new() }
    }

    /// Whether everything that operations write can be written, over what transactions
    /// before them decided.
    ///
    /// # Errors
    /// What is in the way: a file where a folder is to be, or anything but a file where a
    /// file is to be.
    pub(super) fn check(&mut self, ops: &[Op], earlier: &Overlay) -> Result<(), FileError> {
        for op in ops {
            if let Op::Put { path, .. } | Op::Append { path, .. } = op
                && earlier.get(path.as_str()).is_none()
            {
                self.file(path).during("write", path.as_str())?;
            }
        }
        Ok(())
    }

    /// The folders that have to be made for what was checked since this was asked last, each
    /// before those that are in it.
    pub(super) fn take_missing(&mut self) -> Vec<String> {
        std::mem::take(&mut self.missing)
    }

    fn file(&mut self, path: &RelPath) -> std::io::Result<()> {
        match self.disk.stat(path.as_str()) {
            Ok(Stat { is_file: true, .. }) => Ok(()),
            Ok(Stat { is_dir: true, .. }) => Err(ErrorKind::IsADirectory.into()),
            Ok(_) => Err(ErrorKind::InvalidInput.into()),
            Err(error) if error.kind() == ErrorKind::NotFound => self.folders(path),
            Err(error) => Err(error),
        }
    }

    /// Looks upwards for the first folder that is there.
    fn folders(&mut self, path: &RelPath) -> std::io::Result<()> {
        let (mut looked_at, mut missing) = (Vec::new(), Vec::new());
        for folder in path.folders().filter(|folder| !folder.is_empty()) {
            if self.clear.contains(folder) {
                break;
            }
            match self.disk.stat(folder) {
                Ok(Stat { is_dir: true, .. }) => {
                    looked_at.push(folder);
                    break;
                }
                Ok(_) => return Err(ErrorKind::NotADirectory.into()),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    looked_at.push(folder);
                    missing.push(folder.to_owned());
                }
                Err(error) => return Err(error),
            }
        }
        self.missing.extend(missing.into_iter().rev());
        self.clear.extend(looked_at.into_iter().map(str::to_owned));
        Ok(())
    }
}
