//! Running git: the real one, or an application's.

use std::future::Future;

use crate::error::{Error, Result};

/// Runs git, never through a shell.
pub trait Git: Send + Sync {
    /// Whether a call may run git more often than its contract says, to look before it
    /// acts. An application counts the runs of its own `execFile`.
    const MAY_LOOK_FIRST: bool;

    /// Runs git with these arguments; answers what it wrote to standard output.
    ///
    /// # Errors
    /// [`Error::Git`] or [`Error::Foreign`] when it could not be run or failed.
    fn run(&self, arguments: Vec<String>) -> impl Future<Output = Result<String>> + Send;
}

/// What a failed run says, in words.
#[must_use]
pub(super) fn said(error: &Error) -> String {
    error.to_string()
}
