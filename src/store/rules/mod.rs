//! The rules of the contract, one file a subject, written once for every store.
//!
//! Each function is one method of the contract over the records of a store: it
//! checks in the contract's order, then changes.

mod eviction;
pub(super) mod linkage;
pub(super) mod listing;
pub(super) mod messages;
pub(super) mod projects;
pub(super) mod sessions;
pub(super) mod sub_sessions;
pub(super) mod summaries;
mod tenancy;
