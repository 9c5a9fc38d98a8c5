//! The locks and counters of the engine and of the disk store: those of std, or, in
//! `harness/interleavings`, those of a scheduler that tries one order after the other.

#[cfg(interleavings)]
pub(crate) use shuttle::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};
#[cfg(not(interleavings))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};

/// Lets another thread go on.
#[cfg(not(interleavings))]
pub(crate) use std::thread::yield_now;

#[cfg(interleavings)]
pub(crate) use shuttle::thread::yield_now;
