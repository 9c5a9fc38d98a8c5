//! Brings a root of the layout before 0.2.0 (`threads/thd_X/runs/`) into the present one.
//!
//! - `layout`: every name on disk;
//! - [`Migration`] (`machine`): the steps, in the order that makes each of them safe to
//!   be the last one of a process that dies, and to be done again;
//! - `threads`: which threads there are, and whether each can be migrated, looked at
//!   before anything is changed;
//! - `records`: what a thread becomes, taken in by the store's own engine;
//! - `runs`: moves a thread's runs, by a rename or a copy that is compared;
//! - `lock` and `marker`: who migrates a root, and that it is migrated;
//! - `legacy_ids`: ids with a former prefix, which are warned of once;
//! - `tree`: every file operation, as a trait.
//!
//! `docs/migration.md` has the table of all states that a root can be found in.

mod during;
mod layout;
mod legacy_ids;
mod legacy_thread;
mod lock;
mod machine;
mod marker;
mod real_tree;
mod records;
mod runs;
mod standalone;
#[cfg(test)]
mod tests;
mod threads;
mod tree;

pub use legacy_ids::{first_sight_of, forget_seen};
pub(crate) use machine::is_due;
pub use machine::{Answer, Kind, Migration, Progress, Step};
pub use marker::{Marker, MigratedThread, VERSION};
pub use standalone::{acquire_lock, read_marker, release_lock, write_marker};
