//! Retention: moving what is finished out of the hot path, and back.
//!
//! [`archive`] writes an edge's child into a bundle of a [`DiskArchive`] and marks the
//! edge as archived, [`restore`] does the opposite; [`archive_batch`] is for a sweep, and
//! [`due_edges`] says for which edges. The rules about which edges may be
//! archived, restored or swept are in `rules`, for all ways of moving.
//!
//! The order of steps makes it safe to stop anywhere. Archiving: write every file of
//! the bundle but its marker; then, in one transaction, check the edge again, put the
//! marker, mark the edge, and evict the child where that was asked for. A bundle whose
//! marker is missing is none, and [`remove_unsealed`] clears it away. Restoring:
//! verify the whole bundle; put an evicted log back in pieces, during which the
//! session still counts as evicted; then, in one transaction, put the summary back,
//! end the eviction and mark the edge as idle.

mod archive;
mod bundle;
mod elsewhere;
#[cfg(test)]
mod elsewhere_tests;
mod keys;
mod request;
mod restore;
mod rules;
#[cfg(test)]
mod sealing;
mod snapshot;
mod sweep;
#[cfg(test)]
mod tests;

pub use archive::{Archived, Tombstone, archive, archive_batch, remove_unsealed};
#[cfg(any(test, fuzzing))]
pub(crate) use bundle::fuzz;
pub use bundle::{BundleContent, BundleState, DiskArchive, Identity};
pub(crate) use bundle::{Digest, Digester, Manifest};
pub use elsewhere::{
    Mark, Restoration, Returned, end_eviction, holds, mark, mark_archived, mark_restored,
    put_back_returned,
};
pub use request::ArchiveRequest;
pub use restore::{evicted, restore, restore_session};
pub use rules::{Activity, Due, EdgeAge, check_archivable, check_restorable, due};
pub use sweep::{DueEdges, activity, due_edges};
