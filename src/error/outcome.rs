//! Whether an operation that failed took effect.

use std::fmt;

/// Whether an operation that failed took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was changed.
    NotDone,
    /// The change is made and stays.
    Done,
    /// The change may or may not be there after the next open.
    Unknown,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDone => "not_done",
            Self::Done => "done",
            Self::Unknown => "unknown",
        })
    }
}
