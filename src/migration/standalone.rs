//! The marker and the lock by themselves, for an application that migrates by its own
//! means.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
};

use super::{lock::Lock, marker::Marker, real_tree::RealTree, tree::Tree as _};
use crate::{process::Process, timestamp::Timestamp};

/// The locks that this process has taken by themselves.
static HELD: LazyLock<Mutex<HashMap<PathBuf, Lock>>> = LazyLock::new(Mutex::default);

/// Reads a marker's file, by its absolute path; `None` where there is none, or none that
/// could be read as a marker.
///
/// # Errors
/// Whatever else keeps it from being read.
pub fn read_marker(file: &Path) -> io::Result<Option<Marker>> {
    let (tree, file) = RealTree::of(file);
    Marker::read(&tree, &file)
}

/// Makes a file, by its absolute path, hold a marker: in one step, with the folders it
/// needs, and so that it survives a power cut.
///
/// # Errors
/// When it cannot be written; what was there stays.
pub fn write_marker(file: &Path, marker: &Marker) -> io::Result<()> {
    let (tree, file) = RealTree::of(file);
    marker.prepare(&tree, &file)?.publish(&tree)
}

/// Takes a lock by the absolute path of its file, making the folders it needs; this
/// process then has it until it gives it back or ends.
///
/// # Errors
/// One of the kind `AlreadyExists` when another process has it.
pub fn acquire_lock(file: &Path, now: Timestamp) -> io::Result<()> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let (tree, below) = RealTree::of(file);
    tree.create_dirs(below.parent().unwrap_or(Path::new("")))?;
    let lock = Lock::acquire(file, Process::this(), now)?;
    if let Some(lost) = held.insert(file.to_owned(), lock) {
        drop(lost); // its file was removed by hand
    }
    Ok(())
}

/// Removes a lock's file, by its absolute path; fine where there is none.
///
/// # Errors
/// When it cannot be removed.
pub fn release_lock(file: &Path) -> io::Result<()> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let (tree, below) = RealTree::of(file);
    let removed = match tree.remove_file(&below) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    if removed.is_ok() {
        held.remove(file);
    }
    removed
}
