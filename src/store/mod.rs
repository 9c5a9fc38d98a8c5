//! The session store: its contract, its rules, and the two stores that keep them.
//!
//! [`SessionStore`] is what capabilities are written over. Both stores implement it
//! through [`RecordStore`]: they offer their records ([`Records`]) to a closure, and
//! the rules in `rules/`, written once, do the rest.

pub(crate) mod disk;
mod extended;
mod memory;
mod page;
mod record_store;
mod records;
pub(crate) mod rules;
mod selection;
mod session_store;
mod stream;

#[cfg(any(test, fuzzing))]
pub(crate) use disk::tests::fuzz as disk_fuzz;
pub use disk::{DiskStore, Durability};
pub use extended::ExtendedSessionStore;
pub use memory::MemoryStore;
pub use page::{Damaged, Order, Page, PageRequest, Place};
pub use record_store::RecordStore;
pub use records::{Created, Listed, Log, LogToken, Records, RecordsMut, SentMessage};
pub use selection::{Form, Selection, Span};
pub use session_store::{Answer, SessionStore};
pub use stream::MessageStream;
