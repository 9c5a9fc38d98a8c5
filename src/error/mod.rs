//! One error enum; each variant carries what its `details` need.
//!
//! [`Error::name`] is the class name that a JavaScript caller sees and
//! [`Error::details`] the JSON text of that class's `details`.

mod details;
mod foreign;
mod git;
mod migration;
mod outcome;
mod system_code;
mod words;

pub use self::{
    foreign::Foreign,
    git::{GitCode, GitFailure},
    migration::{MigrationFailure, MigrationOp},
    outcome::Outcome,
    system_code::system_code,
};

use std::{io, path::Path, sync::Arc};

use self::words::{advice, at, differing, of, words};

use crate::{
    id::{InvalidId, SessionId, SubSessionId, SummaryId, TenantId},
    json::{Invalid, Json},
};

/// Short for a result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that a store answers instead of a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A record that the operation needs does not exist.
    #[error("{kind} {id} not found")]
    NotFound {
        /// What kind of record, as in `Session`.
        kind: &'static str,
        /// Its id as given.
        id: String,
    },
    /// The record belongs to another tenant.
    #[error("Tenant {requested} may not access {resource}")]
    TenantIsolation {
        /// The tenant that asked.
        requested: TenantId,
        /// What it asked for, as in `session(ses_…)`.
        resource: String,
    },
    /// A session that edges still name as parent or child cannot be deleted.
    #[error("Session {session_id} has attached sub-sessions; delete those first")]
    AttachedSubSessions {
        /// The session that was to be deleted.
        session_id: SessionId,
        /// The edges that name it.
        edges: Vec<SubSessionId>,
    },
    /// Compare-and-set met another version than the caller expected.
    #[error(
        "Session {session_id} is at owner version {actual_version}, expected {expected_version}; \
         read it again before updating"
    )]
    StaleSession {
        /// The session.
        session_id: SessionId,
        /// The version that the caller had read.
        expected_version: u64,
        /// The version that is stored.
        actual_version: u64,
    },
    /// Following parents from a session leads back to one already passed.
    #[error("Ancestry cycle at session {session_id}: {}", cycle_path.join(" -> "))]
    AncestryCycle {
        /// Where the walk started.
        session_id: String,
        /// The walk, self upward, ending with the repeated id.
        cycle_path: Vec<String>,
    },
    /// The session has a summary with another id.
    #[error("Session {session_id} is already summarized by {existing_summary_id}")]
    SessionAlreadySummarized {
        /// The session.
        session_id: SessionId,
        /// The summary it has.
        existing_summary_id: SummaryId,
    },
    /// An idempotency key came again with other messages.
    #[error(
        "Idempotency key `{key}` was used in session {session_id} for another message{}",
        differing(fields)
    )]
    IdempotencyConflict {
        /// The session.
        session_id: SessionId,
        /// The key.
        key: String,
        /// The fields that differ, by name; `length` where there are more or fewer messages.
        fields: Vec<String>,
    },
    /// The messages of the session are in an archive only.
    #[error(
        "Session {session_id} was evicted to archive {archive_ref}; restore it first, with \
         `restore` of its sub-session or `restoreSession` of an ArchivalManager"
    )]
    SessionEvicted {
        /// The session.
        session_id: SessionId,
        /// The bundle that has its messages.
        archive_ref: String,
    },
    /// A log is too long to be answered as one list.
    #[error(
        "Messages of session {session_id} are too many for one list: they take more than \
         {max_bytes} bytes; read them with streamMessages, or in pages with `limit`"
    )]
    LogTooLarge {
        /// The session.
        session_id: SessionId,
        /// The longest log that is answered as one list.
        max_bytes: u64,
    },
    /// An edge cannot be archived as it stands.
    #[error("Sub-session {sub_session_id} cannot be archived: {reason}")]
    NotArchivable {
        /// The edge.
        sub_session_id: String,
        /// `missing`, `already_archived` or `not_idle`.
        reason: &'static str,
    },
    /// An edge cannot be restored, since it is not archived.
    #[error("Sub-session {sub_session_id} cannot be restored: {reason}")]
    NotArchived {
        /// The edge.
        sub_session_id: String,
        /// `missing`, `not_archived` or `missing_archive_ref`.
        reason: &'static str,
    },
    /// A bundle of an archive cannot be read back.
    #[error("Archive {archive_ref} cannot be read: {reason}")]
    ArchiveNotFound {
        /// The bundle.
        archive_ref: String,
        /// `missing`, `incomplete` or `corrupt`.
        reason: &'static str,
    },
    /// An agent's summary is too long.
    #[error("The agent summary has {actual} characters, {max} are allowed")]
    AgentSummaryTooLong {
        /// Its length in UTF-16 code units.
        actual: u64,
        /// The longest that is allowed.
        max: u64,
    },
    /// A chain of interventions leads back into itself.
    #[error("The artifact chain of sub-session {start} is a cycle: {}", path.join(" -> "))]
    ArtifactRefCycle {
        /// The edge that was proposed.
        start: String,
        /// From there upward, ending with the repeated id.
        path: Vec<String>,
    },
    /// A chain of interventions is too long.
    #[error(
        "Sub-session {sub_session_id} would be intervention number {depth} in its chain, over \
         the limit of {limit}"
    )]
    InterventionDepthExceeded {
        /// The edge that was proposed.
        sub_session_id: String,
        /// How long the chain would be.
        depth: u64,
        /// How long it may be.
        limit: f64,
    },
    /// A write named a record by an id that cannot exist.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// An argument has the wrong type or shape.
    #[error("Invalid argument `{argument}`: expected {expected}, received {received}")]
    InvalidArgument {
        /// The argument, with the path inside it where there is one.
        argument: String,
        /// What would have been accepted.
        expected: String,
        /// What was given, shortened.
        received: String,
    },
    /// The migration of an earlier root stopped.
    #[error(transparent)]
    Migration(#[from] Box<MigrationFailure>),
    /// A record that is missing from a root whose earlier layout was never migrated.
    #[error(
        "{missing}; this root still has `threads/` of a release before 0.2.0: migrate it first, \
         with `new DefaultFilesystemMigrator().migrate(rootDir)`"
    )]
    Unmigrated {
        /// What is missing.
        missing: Box<Error>,
    },
    /// An application's own object threw; its host keeps what it threw.
    #[error("{0}")]
    Foreign(Foreign),
    /// The application's objects can no longer be reached: their thread has ended, or
    /// a promise of theirs was thrown away before it was settled.
    #[error("An object of the application can no longer be called, or never answered")]
    HostGone,
    /// The source of a handoff cannot be locked now.
    #[error("Session {session_id} cannot be locked for a handoff: {}{}", words(reason), run_id
        .as_ref().map(|run| format!(" ({})", words(run))).unwrap_or_default())]
    LockRejected {
        /// The session.
        session_id: String,
        /// Why, as the literal of a word.
        reason: Json,
        /// The literal of the id of the run that is in the way, where it is known.
        run_id: Option<Json>,
    },
    /// The source of a handoff changed since the assignment was made.
    #[error(
        "Session {session_id} is at owner version {actual}, but the handoff expects {expected}"
    )]
    VersionConflict {
        /// The session.
        session_id: String,
        /// The version that the assignment was made for.
        expected: u64,
        /// The version that it has.
        actual: u64,
    },
    /// Assignments that make no handoff.
    #[error("Invalid handoff: {problem}")]
    Assignments {
        /// What is wrong with them.
        problem: String,
        /// Where, as in `assignments.0.mode`.
        argument: String,
        /// What is there.
        received: String,
    },
    /// A workspace backend could not do what it was asked for.
    #[error("Workspace backend {kind} failed on {op}: {cause}")]
    WorkspaceBackend {
        /// What it was asked for, as in `create`.
        op: &'static str,
        /// The kind of backend.
        kind: &'static str,
        /// Why it could not.
        cause: Box<Error>,
    },
    /// Git could not be run, or failed.
    #[error("{}", .0.message)]
    Git(Box<GitFailure>),
    /// The store was closed.
    #[error("The store{} is closed; make a new one to go on", of(place))]
    StoreClosed {
        /// Where the store is.
        place: Place,
    },
    /// The operating system refused a file operation.
    #[error("{op} failed on {} with {code} ({outcome}){}", at(path, place), advice(path, code))]
    StoreIo {
        /// The root, once the error has left its store.
        place: Place,
        /// What was being done, as in `read`.
        op: &'static str,
        /// The file or folder, relative to the root, with `/` between components.
        path: String,
        /// The system's name for the error, as in `ENOSPC`.
        code: String,
        /// Whether the operation took effect.
        outcome: Outcome,
    },
    /// A file of the record tree does not hold what it should.
    #[error("Corrupt record `{path}`{}{}: {reason}", line.map(|n| format!(" line {n}"))
        .unwrap_or_default(), of(place))]
    CorruptRecord {
        /// The root, once the error has left its store.
        place: Place,
        /// The file, relative to the root, with `/` between components.
        path: String,
        /// The line, counted from 1, in a message log.
        line: Option<u64>,
        /// What is wrong with it.
        reason: String,
    },
}

/// Where a store is, as an absolute path; nothing for one in memory.
pub type Place = Option<Arc<str>>;

impl Error {
    /// Where the store is that the error came from, if it says so.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::StoreIo { place, .. }
            | Self::CorruptRecord { place, .. }
            | Self::StoreClosed { place } => place.as_deref(),
            _ => None,
        }
    }

    /// The error of a store that is at `root`: it names the place, unless it names one.
    #[must_use]
    pub fn at(mut self, root: &Path) -> Self {
        if let Self::StoreIo { place, .. }
        | Self::CorruptRecord { place, .. }
        | Self::StoreClosed { place } = &mut self
        {
            place.get_or_insert_with(|| root.to_string_lossy().into());
        }
        self
    }

    /// The error of a step, which says this of the whole that the step belongs to.
    #[must_use]
    pub fn with_outcome(mut self, whole: Outcome) -> Self {
        if let Self::StoreIo { outcome, .. } = &mut self {
            *outcome = whole;
        }
        self
    }

    /// A record or a line that does not hold what it should.
    #[must_use]
    pub fn corrupt(path: &str, line: Option<u64>, reason: String) -> Self {
        Self::CorruptRecord { place: None, path: path.to_owned(), line, reason }
    }

    /// A session that cannot be locked, for a reason of the contract.
    #[must_use]
    pub fn lock_rejected(session_id: &str, reason: &'static str) -> Self {
        let session_id = session_id.to_owned();
        Self::LockRejected { session_id, reason: Json::string(reason), run_id: None }
    }

    /// A payload that did not decode, as an error about the argument it came in.
    #[must_use]
    pub fn argument(name: &str, invalid: Invalid) -> Self {
        match invalid {
            Invalid::Id(invalid) => Self::InvalidId(invalid),
            Invalid::Field { field, expected, received } => {
                let separator = if field.is_empty() { "" } else { "." };
                Self::InvalidArgument {
                    argument: format!("{name}{separator}{field}"),
                    expected,
                    received,
                }
            }
        }
    }

    /// A file operation that failed before anything was changed.
    #[must_use]
    pub fn io(op: &'static str, path: &str, error: &io::Error) -> Self {
        Self::StoreIo {
            place: None,
            op,
            path: path.to_owned(),
            code: system_code(error),
            outcome: Outcome::NotDone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_named_below_its_argument() {
        let invalid = Invalid::field("status", "a status", "number 1");
        let error = Error::argument("session", invalid);
        assert_eq!(
            error.to_string(),
            "Invalid argument `session.status`: expected a status, received number 1"
        );
    }
}
