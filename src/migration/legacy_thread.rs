//! A thread of the earlier layout.

use crate::id::ProjectId;

/// A thread that is to be migrated.
#[derive(Debug, Clone)]
pub(super) struct LegacyThread {
    /// Its id, which is its folder's name.
    pub(super) id: String,
    /// The project that it becomes.
    pub(super) project: ProjectId,
    /// Whether it has runs that are to be moved.
    pub(super) has_runs: bool,
}
