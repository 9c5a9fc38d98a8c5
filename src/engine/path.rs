//! Paths below a root that cannot leave it.

use std::fmt;

use crate::id::{PathComponent, generate};

/// The engine's own folder and its files.
pub(super) const STORE: &str = ".store";
pub(super) const LOCK: &str = ".store/lock";
pub(super) const FRAMES: &str = ".store/frames";
/// Where releases before 0.2 have their redo log, locked while they have the root open.
pub(super) const OLD_JOURNAL: &str = ".store/journal";
pub(super) const PROGRESS: &str = ".store/progress";
pub(super) const INDEX: &str = ".store/index";
/// The index while it is being written anew.
pub(super) const INDEX_BESIDE: &str = ".store/index.tmp";
/// What the tree cannot show, for a person to look at.
pub(super) const SALVAGE: &str = ".store/salvage";
pub(super) const TRASH: &str = ".store/trash";

/// A path relative to a root, made of constants and checked ids alone, with `/`
/// between its components. No text from outside ever becomes part of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(String);

impl RelPath {
    /// The path of a file or folder directly under the root.
    #[must_use]
    pub fn of(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// A file or folder of a fixed name below this one.
    #[must_use]
    pub fn at(&self, name: &'static str) -> Self {
        self.below(name)
    }

    /// A folder named after an id below this one.
    #[must_use]
    pub fn id(&self, id: &impl PathComponent) -> Self {
        self.below(id.component())
    }

    /// A file below this one named after an id and a fixed ending.
    #[must_use]
    pub fn named(&self, id: &impl PathComponent, ending: &'static str) -> Self {
        self.below(&format!("{}.{ending}", id.component()))
    }

    /// A file below this one named after an id, a number, and something that no other
    /// file has.
    #[must_use]
    pub fn unique(&self, id: &impl PathComponent, number: u64, ending: &'static str) -> Self {
        self.below(&format!("{}.{number}.{}.{ending}", id.component(), generate("")))
    }

    /// A path read back from a journal; `None` for one that could leave its root.
    pub(super) fn from_journal(text: &str) -> Option<Self> {
        let plain =
            |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', '\0', ':']);
        text.split('/').all(plain).then(|| Self(text.to_owned()))
    }

    /// A removed tree waiting to be unlinked, named by the transaction that removed it.
    pub(super) fn trashed(seq: u64, number: usize) -> Self {
        Self(format!("{TRASH}/{seq}.{number}"))
    }

    fn below(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// The path's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders it is in, the innermost first, the root (as the empty path) last.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        let mut path = self.as_str();
        std::iter::from_fn(move || {
            if path.is_empty() {
                return None;
            }
            path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            Some(path)
        })
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
