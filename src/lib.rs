//! namzu-native: a durable, tenant-isolated session store for agent applications.
//!
//! Where to start reading:
//!
//! - [`model`]: the plain data that a store keeps, and how it reads and writes JSON;
//!   [`id`], [`timestamp`], [`json`] and [`error`] are what it is made of.
//! - [`store`]: the [`SessionStore`](store::SessionStore) contract, its rules
//!   (`store/rules`, written once over the [`Records`](store::Records) of any store),
//!   and the two stores, [`MemoryStore`](store::MemoryStore) and
//!   [`DiskStore`](store::DiskStore).
//! - [`migration`]: brings roots of the layout before 0.2.0 into the present one.
//! - [`handoff`]: how a session passes from one actor to others, and recovery.
//! - [`workspace`]: git worktrees for agents to work in.
//! - [`summary`] and [`intervention`]: what remains of a session, and what goes on from
//!   it, over an application's own objects.
//! - [`retention`]: archives edges into bundles and restores them, over any store.
//! - [`verify`]: says what is wrong in a data directory, and changes nothing.
//! - [`engine`]: transactions over a directory; knows files, not sessions.
//! - [`host`]: how the core reaches the objects that an application brings along.
//! - [`node`]: the N-API bindings, the only folder that names napi. The TypeScript
//!   facade over it is in `lib/`.

pub mod engine;
pub mod error;
mod fs;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
#[allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it is of tests alone"
)]
pub mod fuzz;
pub mod handoff;
pub mod host;
pub mod id;
pub mod intervention;
pub mod json;
mod layout;
pub mod migration;
pub mod model;
#[cfg(feature = "node")]
#[doc(hidden)]
#[expect(unsafe_code, reason = "values cross to JavaScript through Node-API")]
pub mod node;
pub mod process;
pub mod retention;
pub mod store;
pub mod summary;
mod sync;
pub mod timestamp;
pub mod verify;
pub mod workspace;

pub use error::{Error, Result};
