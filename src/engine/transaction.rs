//! What a transaction answers: file operations and a value.

use super::{Entry, RelPath};

/// One file operation.
#[derive(Debug, Clone)]
pub enum Op {
    /// Makes a file hold exactly `bytes`, in one step, with the folders it needs.
    Put {
        /// The file.
        path: RelPath,
        /// What it is to hold.
        bytes: Vec<u8>,
    },
    /// Makes a log hold `bytes` from `offset` on, and nothing after them.
    Append {
        /// The log.
        path: RelPath,
        /// Where the bytes go: the log's length, or less to cut a torn end off.
        offset: u64,
        /// What is added.
        bytes: Vec<u8>,
    },
    /// Removes a file, or a folder with all it holds; nothing where there is none.
    Remove {
        /// The file or folder.
        path: RelPath,
    },
    /// Changes what the locator knows.
    Locate(Entry),
    /// Says what the transaction found where its next operation writes; the engine adds it.
    Found {
        /// The file.
        path: RelPath,
        /// What it held; nothing where it was not there.
        found: Option<Found>,
    },
}

/// A transaction's operations, carried out together, and what its caller gets then.
#[derive(Debug)]
pub struct Plan<T> {
    /// The operations, in order.
    pub ops: Vec<Op>,
    /// The caller's answer.
    pub answer: T,
}

/// What a file held, to be recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Found {
    /// Its length in bytes.
    pub len: u64,
    /// CRC-32 of a record, or of the last line of a log.
    pub sum: u32,
}

impl Found {
    /// A record of these bytes.
    #[must_use]
    pub fn record(bytes: &[u8]) -> Self {
        Self { len: bytes.len() as u64, sum: crc32fast::hash(bytes) }
    }

    /// A log of these bytes.
    #[must_use]
    pub fn log(bytes: &[u8]) -> Self {
        Self::at(bytes.len() as u64, bytes)
    }

    /// A log of so many bytes that ends with these.
    #[must_use]
    pub fn at(len: u64, end: &[u8]) -> Self {
        let whole = end.strip_suffix(b"\n").unwrap_or(end);
        let start = memchr::memrchr(b'\n', whole).map_or(0, |at| at + 1);
        Self { len, sum: crc32fast::hash(end.get(start..).unwrap_or_default()) }
    }
}
