//! Carries a committed transaction's operations out on the record tree. Doing it
//! again changes nothing.

use std::collections::{BTreeSet, HashMap};

use super::{
    Entry, Op, RelPath,
    disk::{Disk, During as _, FileError, existing_is_fine, optional, remove_tree},
    path::{INDEX_BESIDE, TRASH},
    settle::append_behind,
    write::{append, beside, put},
};

/// What carrying out transactions leaves to be done.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// Changes of the locator, for its file and for memory.
    pub(super) entries: Vec<Entry>,
    /// Whether something waits in the trash.
    pub(super) trash: bool,
}

/// Carries out one transaction.
pub(super) fn apply(
    disk: &dyn Disk,
    seq: u64,
    ops: Vec<Op>,
    leftovers: &mut Leftovers,
) -> Result<(), FileError> {
    let mut found_there = HashMap::new();
    for (number, op) in ops.into_iter().enumerate() {
        match op {
            Op::Put { path, bytes } => put(disk, &path, seq, &bytes)?,
            Op::Append { path, offset, bytes } => match found_there.get(&path) {
                Some(found) => append_behind(disk, &path, offset, &bytes, *found)?,
                None => append(disk, &path, offset, &bytes)?,
            },
            Op::Remove { path } => {
                leftovers.trash |= discard(disk, &path, &RelPath::trashed(seq, number))?;
            }
            Op::Locate(entry) => leftovers.entries.push(entry),
            Op::Found { path, found } => drop(found_there.insert(path, found)),
        }
    }
    Ok(())
}

/// Carries out what transactions remove.
pub(super) fn remove_all(disk: &dyn Disk, seq: u64, ops: &[Op]) -> Result<(), FileError> {
    for (number, op) in ops.iter().enumerate() {
        if let Op::Remove { path } = op {
            discard(disk, path, &RelPath::trashed(seq, number))?;
        }
    }
    Ok(())
}

/// Removes what a transaction left beside a file when it was interrupted: it may be what
/// the file held before.
///
/// # Errors
/// When it cannot be removed.
pub(super) fn remove_beside(disk: &dyn Disk, seq: u64, ops: &[Op]) -> Result<(), FileError> {
    for op in ops {
        if let Op::Put { path, .. } = op {
            remove_tree(disk, &beside(path.as_str(), seq)).during("remove", path.as_str())?;
        }
    }
    Ok(())
}

/// Moves a tree out of the way in one step; answers whether there was one.
fn discard(disk: &dyn Disk, path: &RelPath, trashed: &RelPath) -> Result<bool, FileError> {
    let (path, trashed) = (path.as_str(), trashed.as_str());
    if optional(disk.stat(path)).during("remove", path)?.is_none() {
        return Ok(false);
    }
    match existing_is_fine(disk.create_dir(TRASH)).and_then(|()| disk.rename(path, trashed)) {
        Ok(()) => Ok(true),
        // No room for a trash, a name in it that is taken, a trash that is gone, a mount point.
        Err(_) => remove_tree(disk, path).during("remove", path).map(|()| true),
    }
}

/// Unlinks what waits in the trash; what cannot be unlinked now waits on.
pub(super) fn empty_trash(disk: &dyn Disk) {
    for name in disk.list(TRASH).unwrap_or_default() {
        let _ = remove_tree(disk, &format!("{TRASH}/{name}"));
    }
}

/// Removes what a process that was interrupted left in the engine's folder; the caller
/// has the root's lock.
pub(super) fn clear_litter(disk: &dyn Disk) {
    empty_trash(disk);
    let _ = disk.remove_file(INDEX_BESIDE);
}

/// Which files and folders transactions touched, for syncing.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) files: BTreeSet<String>,
    pub(super) folders: BTreeSet<String>,
}

impl Touched {
    pub(super) fn add(&mut self, op: &Op) {
        let (path, is_file) = match op {
            Op::Put { path, .. } | Op::Append { path, .. } => (path, true),
            Op::Remove { path } => (path, false),
            Op::Locate(_) | Op::Found { .. } => return,
        };
        if is_file {
            self.files.insert(path.as_str().to_owned());
        } else {
            self.files.remove(path.as_str());
        }
        self.folders.extend(path.folders().map(str::to_owned));
    }
}
