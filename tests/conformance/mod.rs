//! The rules of the session store's contract, each case generic over the store.

pub mod ancestry;
pub mod deletion;
pub mod ids;
pub mod linkage;
pub mod messages;
pub mod projects;
pub mod sessions;
pub mod sub_sessions;
pub mod summaries;
pub mod tenancy;
