//! The rules of the contract, one file a subject, written once for every store.
//!
//! Each function is one method of the contract over the records of a store: it
//! checks in the contract's order, then changes.

pub(crate) mod damage;
pub(crate) mod eviction;
pub(crate) mod linkage;
pub(crate) mod listing;
pub(crate) mod messages;
pub(crate) mod projects;
pub(crate) mod sessions;
pub(crate) mod sub_sessions;
pub(crate) mod summaries;
mod tenancy;
mod ties;
