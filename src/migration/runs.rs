//! Moves a thread's runs to its session.
//!
//! As a rule that is one rename. To another file system they are copied, under a name
//! that says that they are incomplete, compared, renamed, and removed where they were.
//! Where there are runs at both ends, as an interruption or an application that went on
//! with the earlier layout leaves them, what is only at the old one moves, what is the
//! same at both is removed from the old one, and what differs is left alone and told.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    layout::{incomplete_runs, session, session_runs, thread, thread_runs},
    legacy_thread::LegacyThread,
    tree::{Kind, Tree, remove_tree},
};

/// Moves runs; knows which folders are still to be synced.
#[derive(Debug)]
pub(super) struct Mover<'t> {
    pub(super) tree: &'t dyn Tree,
    /// Set when no more is to be done.
    pub(super) stop: &'t AtomicBool,
    pub(super) unsynced: BTreeSet<PathBuf>,
}

impl Mover<'_> {
    /// Moves the runs of a thread; nothing where there are none any more.
    pub(super) fn move_runs(&mut self, moved: &LegacyThread) -> io::Result<()> {
        let (from, to) = (thread_runs(&moved.id), session_runs(&moved.project));
        let incomplete = incomplete_runs(&moved.project);
        remove_tree(self.tree, &incomplete)?;
        if !moved.has_runs {
            return Ok(());
        }
        self.unsynced.extend([thread(&moved.id), session(&moved.project)]);
        match self.tree.kind(&to)? {
            None => self.relocate(&from, &to, &incomplete),
            Some(_) => self.merge(&from, &to, &incomplete),
        }
    }

    /// Moves something to where there is nothing.
    fn relocate(&mut self, from: &Path, to: &Path, incomplete: &Path) -> io::Result<()> {
        match self.tree.rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
            renamed => return renamed,
        }
        self.copy(from, incomplete)?;
        self.compare(from, incomplete)?;
        self.tree.rename(incomplete, to)?;
        let above = [incomplete, to].into_iter().filter_map(Path::parent).map(Path::to_owned);
        self.tree.sync(&above.collect())?;
        self.merge(from, to, incomplete)
    }

    /// Moves what is only at `from`, and removes there what is at `to` as well.
    fn merge(&mut self, from: &Path, to: &Path, incomplete: &Path) -> io::Result<()> {
        self.go_on()?;
        let (kind, other) = (self.tree.kind(from)?, self.tree.kind(to)?);
        match (kind, other) {
            (None, _) => Ok(()),
            (Some(_), None) => {
                self.unsynced.extend(to.parent().map(Path::to_owned));
                self.relocate(from, to, incomplete)
            }
            (Some(Kind::Folder), Some(Kind::Folder)) => {
                for name in self.tree.list(from)? {
                    self.merge(&from.join(&name), &to.join(&name), incomplete)?;
                }
                self.tree.remove_dir(from)
            }
            (Some(one), Some(other)) => {
                require_same(self.tree, from, to, one, other)?;
                self.tree.remove_file(from)
            }
        }
    }

    /// Copies a file, a link, or a folder with all it holds.
    fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.go_on()?;
        match self.tree.kind(from)? {
            Some(Kind::File) => self.tree.copy_file(from, to),
            Some(Kind::Link) => self.tree.copy_link(from, to),
            Some(Kind::Folder) => {
                self.tree.create_dirs(to)?;
                for name in self.tree.list(from)? {
                    self.copy(&from.join(&name), &to.join(&name))?;
                }
                self.tree.finish_folder(from, to)
            }
            Some(Kind::Other) => Err(cannot_copy(from)),
            None => Ok(()), // removed by its owner meanwhile
        }
    }

    /// Fails unless all that is at `from` is at `copy`.
    fn compare(&self, from: &Path, copy: &Path) -> io::Result<()> {
        self.go_on()?;
        match (self.tree.kind(from)?, self.tree.kind(copy)?) {
            (Some(Kind::Folder), Some(Kind::Folder)) => self
                .tree
                .list(from)?
                .iter()
                .try_for_each(|name| self.compare(&from.join(name), &copy.join(name))),
            (Some(one), Some(other)) => require_same(self.tree, from, copy, one, other),
            (Some(_), None) => Err(differs(from, copy)),
            (None, _) => Ok(()),
        }
    }

    fn go_on(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("the migration was told to stop"));
        }
        Ok(())
    }
}

/// Fails when moving what is at `from` to what is at `to` would meet something else.
pub(super) fn check_merge(tree: &dyn Tree, from: &Path, to: &Path) -> io::Result<()> {
    match (tree.kind(from)?, tree.kind(to)?) {
        (None, _) | (_, None) => Ok(()),
        (Some(Kind::Folder), Some(Kind::Folder)) => tree
            .list(from)?
            .iter()
            .try_for_each(|name| check_merge(tree, &from.join(name), &to.join(name))),
        (Some(one), Some(other)) => require_same(tree, from, to, one, other),
    }
}

fn require_same(tree: &dyn Tree, from: &Path, to: &Path, one: Kind, other: Kind) -> io::Result<()> {
    let comparable = one == other && matches!(one, Kind::File | Kind::Link);
    if comparable && tree.is_same(from, to, one)? { Ok(()) } else { Err(differs(from, to)) }
}

fn differs(from: &Path, to: &Path) -> io::Error {
    let text = format!(
        "`{}` and `{}` are both there and differ: keep one of them, then migrate again",
        from.display(),
        to.display()
    );
    io::Error::new(io::ErrorKind::AlreadyExists, text)
}

fn cannot_copy(from: &Path) -> io::Error {
    let text = format!("`{}` is no file, folder or link, and cannot be copied", from.display());
    io::Error::new(io::ErrorKind::Unsupported, text)
}
