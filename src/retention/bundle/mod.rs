//! A bundle: the files of one archived edge, in a folder of their own.
//!
//! ```text
//! archive/<archiveRef>/
//!   subsession.json  messages.jsonl  [summary.json]  [workspace.json]
//!   [original-messages.jsonl]  [original-summary.json]     ours, see below
//!   writing                                                ours, only until it is sealed
//!   archive.json                                           last: makes it complete
//! ```
//!
//! The `original-…` files are there when an evicted session's own files are not
//! what its messages and its summary would be written as; they are what restoring
//! puts back then, to the byte.

mod files;
mod manifest;
mod read;
mod write;
mod writing;

#[cfg(test)]
pub(super) use files::fail_after;
pub(crate) use files::{Digest, Digester};
pub(crate) use manifest::Manifest;
#[cfg(any(test, fuzzing))]
pub(crate) use manifest::fuzz;
pub use read::{BundleContent, BundleState};
pub use write::Identity;
pub(super) use write::Writer;
pub(super) use writing::Writing;

use std::path::{Path, PathBuf};

use crate::id::ArchiveRef;

/// The folder that bundles are in.
pub(super) const ARCHIVE: &str = "archive";
pub(super) const IDENTITY: &str = "subsession.json";
pub(super) const MESSAGES: &str = "messages.jsonl";
pub(super) const SUMMARY: &str = "summary.json";
pub(super) const WORKSPACE: &str = "workspace.json";
pub(super) const ORIGINAL_MESSAGES: &str = "original-messages.jsonl";
pub(super) const ORIGINAL_SUMMARY: &str = "original-summary.json";
pub(super) const MARKER: &str = "archive.json";
pub(super) const WRITING: &str = "writing";

/// Bundles under the folder `archive` of a root directory.
#[derive(Debug, Clone)]
pub struct DiskArchive {
    root: PathBuf,
    durable: bool,
}

impl DiskArchive {
    /// The bundles of a root. With `durable`, a bundle is on the disk, not only handed
    /// to the operating system, before it is complete.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, durable: bool) -> Self {
        Self { root: root.into(), durable }
    }

    /// Whether a store that keeps its records under `root` has these bundles beside
    /// them.
    pub(super) fn is_beside(&self, root: &Path) -> bool {
        match (self.root.canonicalize(), root.canonicalize()) {
            (Ok(own), Ok(other)) => own == other,
            _ => self.root == *root,
        }
    }

    /// The same bundles, on the disk before they are complete: what an eviction relies on
    /// is, whatever the archive promises otherwise.
    pub(super) fn for_eviction(&self, evict: bool) -> Self {
        Self { durable: self.durable || evict, ..self.clone() }
    }

    fn all(&self) -> PathBuf {
        self.root.join(ARCHIVE)
    }

    fn folder(&self, archive_ref: &ArchiveRef) -> PathBuf {
        self.all().join(archive_ref.as_str())
    }
}

/// The path of a bundle's file as errors name it.
fn named(archive_ref: &ArchiveRef, file: &str) -> String {
    format!("{ARCHIVE}/{archive_ref}/{file}")
}
