//! Where a migration stopped, and why.

use std::{fmt, io, path::Path};

use super::{Error, system_code};
use crate::json::ObjectWriter;

/// What was being done when a migration stopped; the contract's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationOp {
    /// Taking the root's migration lock.
    AcquireLock,
    /// Looking for the threads.
    EnumerateThreads,
    /// Looking at what a thread is and is called.
    ValidateThreadId,
    /// Making the folder of a thread's new session.
    MkdirSession,
    /// Moving a thread's runs there.
    RenameRuns,
    /// Writing the record of a thread's new project.
    WriteProjectJson,
    /// Writing the record of a thread's new session.
    WriteSessionJson,
    /// Writing, or reading, the marker that says that a root is migrated.
    WriteMarker,
}

impl MigrationOp {
    fn as_str(self) -> &'static str {
        match self {
            Self::AcquireLock => "acquire_lock",
            Self::EnumerateThreads => "enumerate_threads",
            Self::ValidateThreadId => "validate_thread_id",
            Self::MkdirSession => "mkdir_session",
            Self::RenameRuns => "rename_runs",
            Self::WriteProjectJson => "write_project_json",
            Self::WriteSessionJson => "write_session_json",
            Self::WriteMarker => "write_marker",
        }
    }
}

impl fmt::Display for MigrationOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A migration that stopped. What it has done stays; running it again goes on from there.
#[derive(Debug, Clone, thiserror::Error)]
#[error("Filesystem migration failed on {op} at `{path}`: {reason}")]
pub struct MigrationFailure {
    /// What was being done.
    pub op: MigrationOp,
    /// To what, relative to the root, with `/` between components.
    pub path: String,
    /// The system's name for the error, as in `EACCES`; `EINVAL` for what is refused.
    pub code: String,
    /// The error in words.
    pub reason: String,
}

impl MigrationFailure {
    /// What the system refused.
    pub(crate) fn io(op: MigrationOp, path: &Path, error: &io::Error) -> Box<Self> {
        Self::new(op, path, system_code(error), error.to_string())
    }

    /// What this library refuses.
    pub(crate) fn refused(op: MigrationOp, path: &Path, reason: &str) -> Box<Self> {
        Self::new(op, path, "EINVAL".to_owned(), reason.to_owned())
    }

    /// What the store answered that was to take a record.
    pub(crate) fn store(op: MigrationOp, path: &Path, error: &Error) -> Box<Self> {
        let code = match error {
            Error::StoreIo { code, .. } => code.clone(),
            _ => "EINVAL".to_owned(),
        };
        Self::new(op, path, code, error.to_string())
    }

    fn new(op: MigrationOp, path: &Path, code: String, reason: String) -> Box<Self> {
        let path = path.to_string_lossy().replace('\\', "/");
        Box::new(Self { op, path, code, reason })
    }

    /// Writes `op`, `path`, and the cause's `code` and `reason`.
    pub(super) fn describe<'j>(&self, json: &'j mut ObjectWriter) -> &'j mut ObjectWriter {
        json.string("op", self.op.as_str())
            .string("path", &self.path)
            .string("code", &self.code)
            .string("reason", &self.reason)
    }
}
