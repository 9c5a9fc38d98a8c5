//! N-API bindings: conversion and nothing else.
//!
//! Arguments and answers are JSON text and plain strings. No future borrows from a
//! JavaScript object: it owns an `Arc` of the store, since ending a worker thread
//! frees the object under whatever still runs. Every entry catches panics.

mod bridge;
mod calls;
mod disk_store;
mod extended_calls;
mod handoff;
mod host;
mod memory_store;
mod message_stream;
mod migration;
mod retention;
mod summary;
mod verify;
mod workspace;

pub use disk_store::NativeDiskStore;
pub use handoff::*;
pub use host::JsHost;
pub use memory_store::NativeMemoryStore;
pub use message_stream::{NativeDiskStream, NativeMemoryStream};
pub use migration::*;
pub use retention::*;
pub use summary::*;
pub use verify::verify;
pub use workspace::*;

use napi_derive::napi;

/// The version of the package that this core belongs to.
#[napi]
pub fn core_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// A new id: `prefix` and 12 characters of `0-9a-z`.
#[napi(catch_unwind)]
pub fn generate_id(prefix: String) -> String {
    crate::id::generate(&prefix)
}
