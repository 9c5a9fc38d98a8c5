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
}

/// A transaction's operations, carried out together, and what its caller gets then.
#[derive(Debug)]
pub struct Plan<T> {
    /// The operations, in order.
    pub ops: Vec<Op>,
    /// The caller's answer.
    pub answer: T,
}
