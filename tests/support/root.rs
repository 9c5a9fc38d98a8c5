//! A root directory, looked at from outside: its files as bytes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use namzu_native::store::DiskStore;
use tempfile::TempDir;

use super::world::World;

/// A root in a temporary directory of its own.
pub struct Root {
    parent: TempDir,
}

impl Root {
    /// An absent root: its parent exists, it does not.
    pub fn absent() -> Self {
        Self { parent: TempDir::new().unwrap() }
    }

    /// A copy of a tree of files.
    pub fn copy_of(source: &Path) -> Self {
        let root = Self::absent();
        copy_tree(source, &root.path());
        root
    }

    /// Where the root is.
    pub fn path(&self) -> PathBuf {
        self.parent.path().join("root")
    }

    /// A store over the root.
    pub fn store(&self) -> DiskStore {
        DiskStore::new(self.path())
    }

    /// Lets a store of its own fill the root, and closes it: what is edited after
    /// that is what the next store finds.
    pub fn fill<T>(&self, fill: impl FnOnce(&World<'_, DiskStore>) -> T) -> T {
        let store = self.store();
        fill(&World::new(&store))
    }

    /// The path of a file below the root.
    pub fn at(&self, relative: &str) -> PathBuf {
        self.path().join(relative)
    }

    /// The text of a file.
    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.at(relative)).unwrap()
    }

    /// Writes a file, as another program would, with its directories.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.at(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Replaces a text that a file must have.
    pub fn edit(&self, relative: &str, from: &str, to: &str) {
        let text = self.read(relative);
        assert!(text.contains(from), "{relative} has no {from}: {text}");
        self.write(relative, text.replace(from, to));
    }

    /// Every file with its bytes, and every directory, by path below the root.
    pub fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(&self.path(), "", &mut tree);
        tree
    }

    /// As [`Root::tree`], of the records alone.
    pub fn records(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = self.tree();
        tree.retain(|path, _| !path.starts_with(".store/"));
        tree
    }
}

/// The folder of a session, below the root.
pub fn session_dir(project: &str, session: &str) -> String {
    format!("projects/{project}/sessions/{session}")
}

/// The record of an edge that was created under a session.
pub fn edge_file(project: &str, parent: &str, edge: &str) -> String {
    format!("{}/subsessions/{edge}/subsession.json", session_dir(project, parent))
}

fn walk(directory: &Path, prefix: &str, tree: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            walk(&path, &format!("{name}/"), tree);
            tree.insert(format!("{name}/"), Vec::new());
        } else {
            tree.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn copy_tree(source: &Path, target: &Path) {
    fs::create_dir_all(target).unwrap();
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let target = target.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_tree(&path, &target);
        } else {
            // Written anew: the copy must not inherit that a fixture is read-only.
            fs::write(target, fs::read(path).unwrap()).unwrap();
        }
    }
}
