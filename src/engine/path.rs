//! Paths below a root that cannot leave it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::id::PathComponent;

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

    /// A file below this one named after an id, a number and a fixed ending.
    #[must_use]
    pub fn numbered(&self, id: &impl PathComponent, number: u64, ending: &'static str) -> Self {
        self.below(&format!("{}.{number}.{ending}", id.component()))
    }

    fn below(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// The path's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where it is under `root`.
    #[must_use]
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
