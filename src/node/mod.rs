//! N-API bindings: conversion and nothing else.
//!
//! Arguments and answers are JSON text and plain strings. No future borrows from a
//! JavaScript object: it owns an `Arc` of the store, since ending a worker thread
//! frees the object under whatever still runs. Every entry catches panics.

mod bridge;
mod calls;
mod disk_store;
mod memory_store;
mod migration;

pub use disk_store::NativeDiskStore;
pub use memory_store::NativeMemoryStore;
pub use migration::*;

use napi_derive::napi;

/// A new id: `prefix` and 12 characters of `0-9a-z`.
#[napi(catch_unwind)]
pub fn generate_id(prefix: String) -> String {
    crate::id::generate(&prefix)
}
