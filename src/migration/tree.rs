//! Every file operation of a migration, as one trait, so that tests can fail or stop at
//! each of them. No operation follows a link.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fmt::Debug,
    io,
    path::{Path, PathBuf},
};

/// What a name in a folder names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    Link,
    /// A socket, a device and the like.
    Other,
}

/// A root directory; paths are relative to it.
pub(super) trait Tree: Debug + Send {
    /// What a path names; `None` where there is nothing.
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>>;

    /// Names of what a folder holds, in no order.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>>;

    /// A whole file.
    fn read(&self, file: &Path) -> io::Result<Vec<u8>>;

    /// Fails when this process may not change what a folder holds.
    fn may_change(&self, folder: &Path) -> io::Result<()>;

    /// Makes a folder with those above it, private; those that are there stay.
    fn create_dirs(&self, folder: &Path) -> io::Result<()>;

    /// Makes a new private file that holds `bytes`, and syncs it.
    fn write_new(&self, file: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Gives something another name, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes `to` a copy of a file, with its mode and times, and syncs it.
    fn copy_file(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes `to` a link that says what `from` says.
    fn copy_link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a folder that was copied the mode of the other, and syncs its entries.
    fn finish_folder(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Whether two files hold, or two links say, the same.
    fn is_same(&self, a: &Path, b: &Path, kind: Kind) -> io::Result<bool>;

    /// Removes what is no folder.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty folder.
    fn remove_dir(&self, folder: &Path) -> io::Result<()>;

    /// Makes the entries of folders survive a power cut.
    fn sync(&self, folders: &BTreeSet<PathBuf>) -> io::Result<()>;

    /// Makes everything in the root survive a power cut, by all programs, where the
    /// system has a way to.
    fn sync_all(&self) -> io::Result<()>;
}

/// Removes whatever a path names, a folder with all it holds.
pub(super) fn remove_tree(tree: &dyn Tree, path: &Path) -> io::Result<()> {
    match tree.kind(path)? {
        None => Ok(()),
        Some(Kind::Folder) => {
            for name in tree.list(path)? {
                remove_tree(tree, &path.join(name))?;
            }
            tree.remove_dir(path)
        }
        Some(_) => tree.remove_file(path),
    }
}
