//! The session store: its contract, its rules, and the two stores that keep them.
//!
//! [`SessionStore`] is what capabilities are written over. Both stores implement it
//! through [`RecordStore`]: they offer their records ([`Records`]) to a closure, and
//! the rules in `rules/`, written once, do the rest.

mod disk;
mod memory;
mod record_store;
mod records;
mod rules;
mod session_store;

pub use disk::{DiskStore, Durability, Finding, FindingKind, verify};
pub use memory::MemoryStore;
pub use record_store::RecordStore;
pub use records::{Log, Records, RecordsMut};
pub use session_store::{Answer, SessionStore};
