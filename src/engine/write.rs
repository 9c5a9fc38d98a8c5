//! How the bytes of an operation get into the record tree.

use super::{
    RelPath,
    disk::{Disk, During as _, FileError, with_parents},
};

/// Writes beside and renames, so that a reader sees the old bytes or the new.
pub(super) fn put(
    disk: &dyn Disk,
    path: &RelPath,
    seq: u64,
    bytes: &[u8],
) -> Result<(), FileError> {
    let path = path.as_str();
    let beside = beside(path, seq);
    if mutant!(TruncateInPlace) {
        return with_parents(disk, path, || disk.write(path, bytes)).during("write", path);
    }
    let written = with_parents(disk, path, || disk.write(&beside, bytes))
        .and_then(|()| disk.rename(&beside, path));
    if written.is_err() {
        let _ = disk.remove_file(&beside); // the first error is the one to tell
    }
    written.during("write", path)
}

/// Stands for the transaction where several are brought into the tree as one: however many
/// there are the next time, what an interrupted attempt left is found by it.
pub(super) const SETTLING: u64 = 0;

/// Where a transaction writes a file before it gets its name.
pub(super) fn beside(path: &str, seq: u64) -> String {
    format!("{path}.{seq}.tmp")
}

/// Writes at the end of a log, in place of what is behind `offset`.
pub(super) fn append(
    disk: &dyn Disk,
    path: &RelPath,
    offset: u64,
    bytes: &[u8],
) -> Result<(), FileError> {
    let path = path.as_str();
    with_parents(disk, path, || disk.write_tail(path, offset, bytes)).during("append", path)
}
