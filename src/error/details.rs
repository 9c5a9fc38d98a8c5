//! What of an error crosses to JavaScript: its class by name, its `details`.

use super::{Error, Foreign};
use crate::{id::InvalidId, json::ObjectWriter};

impl Error {
    /// The class that a JavaScript caller sees; `Error` where the contract has no
    /// class of its own.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::HostGone | Self::Git(_) => "Error",
            Self::NotFound { .. } => "NotFoundError",
            Self::AttachedSubSessions { .. } => "AttachedSubSessionsError",
            Self::Foreign(_) => "Foreign",
            Self::LockRejected { .. } => "HandoffLockRejected",
            Self::VersionConflict { .. } => "HandoffVersionConflict",
            Self::WorkspaceBackend { .. } => "WorkspaceBackendError",
            Self::Migration(_) => "FilesystemMigrationError",
            Self::Unmigrated { missing } => missing.name(),
            Self::TenantIsolation { .. } => "TenantIsolationError",
            Self::StaleSession { .. } => "StaleSessionError",
            Self::AncestryCycle { .. } => "AncestryCycleError",
            Self::SessionAlreadySummarized { .. } => "SessionAlreadySummarizedError",
            Self::IdempotencyConflict { .. } => "IdempotencyConflictError",
            Self::SessionEvicted { .. } => "SessionEvictedError",
            Self::LogTooLarge { .. } => "LogTooLargeError",
            Self::NotArchivable { .. } => "SubSessionNotArchivableError",
            Self::NotArchived { .. } => "SubSessionNotArchivedError",
            Self::ArchiveNotFound { .. } => "ArchiveNotFoundError",
            Self::AgentSummaryTooLong { .. } => "AgentSummaryTooLongError",
            Self::ArtifactRefCycle { .. } => "ArtifactRefCycleError",
            Self::InterventionDepthExceeded { .. } => "InterventionDepthExceeded",
            Self::InvalidId(_) => "InvalidIdError",
            Self::InvalidArgument { .. } | Self::Assignments { .. } => "InvalidArgumentError",
            Self::StoreClosed { .. } => "StoreClosedError",
            Self::StoreIo { .. } => "StoreIoError",
            Self::CorruptRecord { .. } => "CorruptRecordError",
        }
    }

    /// The JSON text of the class's `details`; `None` for a plain `Error`.
    #[must_use]
    pub fn details(&self) -> Option<String> {
        let mut json = ObjectWriter::new();
        match self {
            Self::HostGone => return None,
            Self::Assignments { problem, argument, received } => json
                .string("argument", argument)
                .string("expected", problem)
                .string("received", received),
            Self::NotFound { kind, id } => {
                json.string("kind", &kind.to_lowercase()).string("id", id)
            }
            Self::AttachedSubSessions { session_id, edges } => {
                let edges: Vec<_> = edges.iter().map(ToString::to_string).collect();
                json.string("sessionId", session_id.as_str()).strings("edges", &edges)
            }
            Self::StoreClosed { place } => json.optional_string("place", place.as_deref()),
            Self::LockRejected { session_id, reason, run_id } => {
                json.string("sessionId", session_id).raw("reason", reason.as_str());
                match run_id {
                    Some(run_id) => json.raw("runId", run_id.as_str()),
                    None => &mut json,
                }
            }
            Self::Migration(failure) => failure.describe(&mut json),
            Self::Unmigrated { missing } => return missing.details(),
            Self::VersionConflict { session_id, expected, actual } => json
                .string("sessionId", session_id)
                .number("expected", *expected)
                .number("actual", *actual),
            Self::Foreign(Foreign { thrown, .. }) => json.number("thrown", *thrown),
            Self::WorkspaceBackend { op, kind, cause } => {
                json.string("op", op).string("kind", kind).raw("cause", &cause.marked())
            }
            Self::Git(failure) => return Some(failure.details()),
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
            Self::IdempotencyConflict { session_id, key, fields } => json
                .string("sessionId", session_id.as_str())
                .string("key", key)
                .strings("fields", fields),
            Self::SessionEvicted { session_id, archive_ref } => {
                json.string("sessionId", session_id.as_str()).string("archiveRef", archive_ref)
            }
            Self::LogTooLarge { session_id, max_bytes } => {
                json.string("sessionId", session_id.as_str()).number("maxBytes", *max_bytes)
            }
            Self::NotArchivable { sub_session_id, reason }
            | Self::NotArchived { sub_session_id, reason } => {
                json.string("subSessionId", sub_session_id).string("reason", reason)
            }
            Self::ArchiveNotFound { archive_ref, reason } => {
                json.string("archiveRef", archive_ref).string("reason", reason)
            }
            Self::AgentSummaryTooLong { actual, max } => {
                json.number("actual", *actual).number("max", *max)
            }
            Self::ArtifactRefCycle { start, path } => {
                json.string("startSubSessionId", start).strings("cyclePath", path)
            }
            Self::InterventionDepthExceeded { sub_session_id, depth, limit } => json
                .string("subSessionId", sub_session_id)
                .number("depth", *depth)
                .raw("limit", &limit.to_string()),
            Self::InvalidId(InvalidId { kind, value, expected }) => {
                json.string("kind", kind).raw("value", value).string("expected", expected)
            }
            Self::InvalidArgument { argument, expected, received } => json
                .string("argument", argument)
                .string("expected", expected)
                .string("received", received),
            Self::StoreIo { place, op, path, code, outcome } => json
                .string("op", op)
                .string("path", path)
                .string("code", code)
                .string("outcome", &outcome.to_string())
                .optional_string("place", place.as_deref()),
            Self::CorruptRecord { path, line, reason, .. } => {
                json.string("path", path);
                if let Some(line) = line {
                    json.number("line", *line);
                }
                json.string("reason", reason)
            }
        };
        Some(json.finish())
    }

    /// The error as the JSON of what crosses to JavaScript: `namzuError`, `message`,
    /// `details`.
    pub(crate) fn marked(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("namzuError", self.name()).string("message", &self.to_string());
        json.optional_string("details", self.details().as_deref());
        json.optional_string("place", self.place());
        json.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TenantId;

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
}
