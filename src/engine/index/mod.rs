//! The index: where things are, for questions that the tree of files answers only by a walk.
//!
//! A map from a key to the values under it, each key of one [`Kind`], and a few bytes with
//! each value. What they mean is the user's own affair. It only says where to look: the
//! reader reads the file and believes that. `.store/index` holds it (`file`); a process keeps
//! it in memory (`table`), reads the file once and then what was added to it (`lookup`).

mod entry;
pub(super) mod file;
mod look;
mod lookup;
mod table;

pub use entry::{Entry, Kind};
pub use look::Found;
pub(super) use lookup::Located;
pub use table::Table;
