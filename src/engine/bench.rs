//! What the benchmarks of the core call and nothing else outside of the engine may.

use super::{Op, Table, index::file, journal::frame, marks::IndexMark};

/// Writes a transaction as the journal holds it.
pub fn encode_frame(bytes: &mut Vec<u8>, seq: u64, ops: &[Op]) {
    frame::encode(bytes, seq, ops);
}

/// Reads a transaction; answers how many operations it has.
#[must_use]
pub fn decode_frame(bytes: &[u8]) -> Option<usize> {
    frame::decode(bytes).map(|(frame, _)| frame.ops.len())
}

/// An index file of these entries.
#[must_use]
pub fn index_file(table: &Table) -> Vec<u8> {
    file::encode_all(table, 1)
}

/// Loads a whole index file.
#[must_use]
pub fn load_index(bytes: Vec<u8>) -> Option<Table> {
    let mark = mark_of(&bytes);
    file::load_all(bytes, mark)
}

fn mark_of(bytes: &[u8]) -> IndexMark {
    IndexMark { generation: 1, len: bytes.len() as u64 }
}
