//! One error enum; each variant carries what its `details` need.
//!
//! [`Error::name`] is the class name that a JavaScript caller sees and
//! [`Error::details`] the JSON text of that class's `details`.

use std::{fmt, io};

use crate::{
    id::{InvalidId, SessionId, SummaryId, TenantId},
    json::{Invalid, ObjectWriter},
    migration::Failure,
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
    Migration(#[from] Box<Failure>),
    /// A record that is missing from a root whose earlier layout was never migrated.
    #[error(
        "{missing}; this root still has `threads/` of a release before 0.2.0: migrate it first, \
         with `new DefaultFilesystemMigrator().migrate(rootDir)`"
    )]
    Unmigrated {
        /// What is missing.
        missing: Box<Error>,
    },
    /// The store was closed.
    #[error("The store is closed; make a new one to go on")]
    StoreClosed,
    /// The operating system refused a file operation.
    #[error("{op} failed on `{path}` with {code} ({outcome})")]
    StoreIo {
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
    #[error("Corrupt record `{path}`{}: {reason}", line.map(|n| format!(" line {n}")).unwrap_or_default())]
    CorruptRecord {
        /// The file, relative to the root, with `/` between components.
        path: String,
        /// The line, counted from 1, in a message log.
        line: Option<u64>,
        /// What is wrong with it.
        reason: String,
    },
}

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

impl Error {
    /// The class that a JavaScript caller sees; `Error` where the contract has no
    /// class of its own.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::AttachedSubSessions { .. } => "Error",
            Self::Migration(_) => "FilesystemMigrationError",
            Self::Unmigrated { missing } => missing.name(),
            Self::TenantIsolation { .. } => "TenantIsolationError",
            Self::StaleSession { .. } => "StaleSessionError",
            Self::AncestryCycle { .. } => "AncestryCycleError",
            Self::SessionAlreadySummarized { .. } => "SessionAlreadySummarizedError",
            Self::InvalidId(_) => "InvalidIdError",
            Self::InvalidArgument { .. } => "InvalidArgumentError",
            Self::StoreClosed => "StoreClosedError",
            Self::StoreIo { .. } => "StoreIoError",
            Self::CorruptRecord { .. } => "CorruptRecordError",
        }
    }

    /// The JSON text of the class's `details`; `None` for a plain `Error`.
    #[must_use]
    pub fn details(&self) -> Option<String> {
        let mut json = ObjectWriter::new();
        match self {
            Self::NotFound { .. } | Self::AttachedSubSessions { .. } | Self::StoreClosed => {
                return None;
            }
            Self::Migration(failure) => failure.describe(&mut json),
            Self::Unmigrated { missing } => return missing.details(),
            Self::TenantIsolation { requested, resource } => {
                json.string("requested", requested.as_str()).string("resource", resource)
            }
            Self::StaleSession { session_id, expected_version, actual_version } => json
                .string("sessionId", session_id.as_str())
                .number("expectedVersion", *expected_version)
                .number("actualVersion", *actual_version),
            Self::AncestryCycle { session_id, cycle_path } => {
                json.string("sessionId", session_id).strings("cyclePath", cycle_path)
            }
            Self::SessionAlreadySummarized { session_id, existing_summary_id } => json
                .string("sessionId", session_id.as_str())
                .string("existingSummaryId", existing_summary_id.as_str()),
            Self::InvalidId(InvalidId { kind, value, expected }) => {
                json.string("kind", kind).raw("value", value).string("expected", expected)
            }
            Self::InvalidArgument { argument, expected, received } => json
                .string("argument", argument)
                .string("expected", expected)
                .string("received", received),
            Self::StoreIo { op, path, code, outcome } => json
                .string("op", op)
                .string("path", path)
                .string("code", code)
                .string("outcome", &outcome.to_string()),
            Self::CorruptRecord { path, line, reason } => {
                json.string("path", path);
                if let Some(line) = line {
                    json.number("line", *line);
                }
                json.string("reason", reason)
            }
        };
        Some(json.finish())
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
            op,
            path: path.to_owned(),
            code: system_code(error),
            outcome: Outcome::NotDone,
        }
    }
}

/// The system's name of an error, as Node prints it.
#[must_use]
pub fn system_code(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    #[cfg(unix)]
    if let Some(name) = error.raw_os_error().and_then(unix_name) {
        return name.to_owned();
    }
    match error.kind() {
        Kind::NotFound => "ENOENT",
        Kind::PermissionDenied => "EACCES",
        Kind::AlreadyExists => "EEXIST",
        Kind::NotADirectory => "ENOTDIR",
        Kind::IsADirectory => "EISDIR",
        Kind::DirectoryNotEmpty => "ENOTEMPTY",
        Kind::ReadOnlyFilesystem => "EROFS",
        Kind::StorageFull => "ENOSPC",
        Kind::QuotaExceeded => "EDQUOT",
        Kind::FileTooLarge => "EFBIG",
        Kind::ResourceBusy => "EBUSY",
        Kind::CrossesDevices => "EXDEV",
        Kind::InvalidFilename => "ENAMETOOLONG",
        Kind::InvalidInput => "EINVAL",
        Kind::WriteZero | Kind::UnexpectedEof => "EIO",
        _ => return error.raw_os_error().map_or_else(|| "EIO".to_owned(), |n| format!("E{n}")),
    }
    .to_owned()
}

#[cfg(unix)]
fn unix_name(number: i32) -> Option<&'static str> {
    Some(match number {
        libc::EPERM => "EPERM",
        libc::EACCES => "EACCES",
        libc::EIO => "EIO",
        libc::EMFILE => "EMFILE",
        libc::ENFILE => "ENFILE",
        libc::ELOOP => "ELOOP",
        libc::EINTR => "EINTR",
        libc::ENOLCK => "ENOLCK",
        libc::ENAMETOOLONG => "ENAMETOOLONG",
        libc::EMLINK => "EMLINK",
        libc::ENODEV => "ENODEV",
        libc::ENXIO => "ENXIO",
        libc::ENOTSUP => "ENOTSUP",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_the_contracts_json() {
        let error = Error::TenantIsolation {
            requested: TenantId::new("tnt_b").unwrap(),
            resource: "session(ses_a)".to_owned(),
        };
        assert_eq!(error.name(), "TenantIsolationError");
        assert_eq!(
            error.details().unwrap(),
            r#"{"requested":"tnt_b","resource":"session(ses_a)"}"#
        );
    }

    #[test]
    fn a_field_is_named_below_its_argument() {
        let invalid = Invalid::field("status", "a status", "number 1");
        let error = Error::argument("session", invalid);
        assert_eq!(
            error.to_string(),
            "Invalid argument `session.status`: expected a status, received number 1"
        );
    }

    #[test]
    fn system_errors_carry_the_names_that_node_prints() {
        assert_eq!(system_code(&io::Error::from(io::ErrorKind::NotFound)), "ENOENT");
        #[cfg(unix)]
        assert_eq!(system_code(&io::Error::from_raw_os_error(libc::EMFILE)), "EMFILE");
        assert_eq!(system_code(&io::Error::from(io::ErrorKind::StorageFull)), "ENOSPC");
    }
}
