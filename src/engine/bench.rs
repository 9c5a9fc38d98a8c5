//! What the benchmarks of the core call and nothing else outside of the engine may.

use std::path::Path;

use super::{
    Kind, Locator, Op,
    disk::{Disk as _, RealDisk},
    entry, index,
    journal::frame,
    marks::IndexMark,
    path::INDEX,
    sorted::OpenIndex,
};

/// Writes a transaction as the journal holds it.
pub fn encode_frame(bytes: &mut Vec<u8>, seq: u64, ops: &[Op]) {
    frame::encode(bytes, seq, ops);
}

/// Reads a transaction; answers how many operations it has.
#[must_use]
pub fn decode_frame(bytes: &[u8]) -> Option<usize> {
    frame::decode(bytes).map(|(frame, _)| frame.ops.len())
}

/// An index file that holds what is located.
#[must_use]
pub fn index_file(locator: &Locator) -> Vec<u8> {
    index::encode_all(locator, 1)
}

/// Loads a whole index file.
#[must_use]
pub fn load_index(bytes: Vec<u8>) -> Option<Locator> {
    let mark = mark_of(&bytes);
    index::load_all(bytes, mark)
}

/// Looks one key up in the index file of a root, `.store/index`, without loading it.
#[must_use]
pub fn search_index(root: &Path, kind: Kind, key: &str) -> Option<Vec<String>> {
    let file = RealDisk::new(root).open_to_read(INDEX).ok()?;
    OpenIndex::new(file).ok()??.search(&entry::prefix(kind, key)).ok()?
}

fn mark_of(bytes: &[u8]) -> IndexMark {
    IndexMark { generation: 1, len: bytes.len() as u64 }
}
