//! Handoffs: how a session passes from one actor to another, or to several at once.
//!
//! One state machine ([`execute`]) over a [`HandoffStore`]: check, lock, provision,
//! commit, or undo. It reaches the application's own objects through a
//! [`Host`](crate::host::Host). There are two stores under it:
//!
//! - [`NativeHandoffStore`], one of ours with nothing overridden: lock and re-check
//!   are one transaction, and so are all records and the commit. An
//!   [`Intent`](crate::model::Intent) says what is going on meanwhile, so that
//!   [`recover`] can undo what a process left that died.
//! - [`HostHandoffStore`], any other, through its public methods in the order of the
//!   contract.

mod assignment;
mod attempt;
#[cfg(test)]
mod failing_store;
mod host_store;
mod machine;
mod native_store;
mod ports;
mod recovery;
#[cfg(test)]
mod tests;
mod whole;

pub use assignment::{Assignment, Handoff};
pub use host_store::HostHandoffStore;
pub use machine::execute;
pub use native_store::NativeHandoffStore;
pub use ports::{Fate, HandoffStore, Limits, Outcome, Source, Undone, Workspace};
pub use recovery::recover;
