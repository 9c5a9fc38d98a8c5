//! What an error says of a handoff as a whole, whichever of its steps answered it.
//!
//! A step's own outcome tells of its transaction alone: a lock that is `done`, and was
//! undone, is a handoff that is not done.

use crate::error::{Error, Outcome};

/// The same error, which says this of the whole. Only those of a store of ours say any;
/// what an application's own object threw stays what it is.
pub(super) fn of_whole(error: Error, outcome: Outcome) -> Error {
    error.with_outcome(outcome)
}

/// The error of a step after which nothing of the whole is left, or was ever there.
pub(super) fn not_done(error: Error) -> Error {
    of_whole(error, Outcome::NotDone)
}

/// Whether the transaction of a step took effect, though it answered an error.
pub(super) fn is_done(error: &Error) -> bool {
    matches!(error, Error::StoreIo { outcome: Outcome::Done, .. })
}

/// What is answered when a handoff was to be undone: whatever failed before, it did not
/// happen if it was, and if not, what is left of it must be looked at.
pub(super) fn after_undoing(error: Error, undone: bool) -> Error {
    of_whole(error, if undone { Outcome::NotDone } else { Outcome::Unknown })
}
