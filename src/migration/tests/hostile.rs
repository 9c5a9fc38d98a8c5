//! File operations that stop, or fail, at any of them.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::super::{
    layout::THREADS,
    real_tree::RealTree,
    records::{Pair, Records, Taken},
    tree::{Kind, Tree},
};
use crate::{
    error::{Error, Result},
    id::ProjectId,
    store::DiskStore,
};

/// What goes wrong.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fault {
    /// The number of the operation, counted from 1; 0 for none.
    pub(super) at: u64,
    /// Whether it and all after it do nothing, rather than it alone.
    pub(super) stops: bool,
    /// What it answers.
    pub(super) error: Option<io::ErrorKind>,
    /// Whether threads and projects are on different file systems.
    pub(super) crosses: bool,
}

/// Operations on a root, counted.
#[derive(Debug, Clone)]
pub(super) struct Hostile {
    root: PathBuf,
    fault: Fault,
    calls: Arc<AtomicU64>,
}

/// Whether an operation goes wrong, and whether a part of it is done before.
enum Now {
    Fine,
    Fails(io::Error),
}

impl Hostile {
    pub(super) fn new(root: &Path, fault: Fault) -> Self {
        Self { root: root.to_owned(), fault, calls: Arc::default() }
    }

    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn count(&self) -> Now {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let Fault { at, stops, error, .. } = self.fault;
        if at != 0 && (call == at || stops && call > at) {
            return Now::Fails(error.unwrap_or(io::ErrorKind::ConnectionAborted).into());
        }
        Now::Fine
    }

    fn call(&self) -> io::Result<RealTree> {
        match self.count() {
            Now::Fine => Ok(RealTree::new(&self.root)),
            Now::Fails(error) => Err(error),
        }
    }

    /// Whether this is the operation that goes wrong, not one after it.
    fn is_first(&self) -> bool {
        self.calls() == self.fault.at
    }
}

impl Tree for Hostile {
    fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        self.call()?.kind(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.call()?.list(folder)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.call()?.read(file)
    }

    fn may_change(&self, folder: &Path) -> io::Result<()> {
        self.call()?.may_change(folder)
    }

    fn create_dirs(&self, folder: &Path) -> io::Result<()> {
        self.call()?.create_dirs(folder)
    }

    fn write_new(&self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        match self.call() {
            Ok(tree) => tree.write_new(file, bytes),
            Err(error) => {
                if self.is_first() {
                    RealTree::new(&self.root).write_new(file, &bytes[..bytes.len() / 2]).unwrap();
                }
                Err(error)
            }
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let tree = self.call()?;
        if self.fault.crosses && from.starts_with(THREADS) != to.starts_with(THREADS) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        tree.rename(from, to)
    }

    fn copy_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.call() {
            Ok(tree) => tree.copy_file(from, to),
            Err(error) => {
                if self.is_first() {
                    let bytes = fs::read(self.root.join(from)).unwrap();
                    fs::write(self.root.join(to), &bytes[..bytes.len() / 2]).unwrap();
                }
                Err(error)
            }
        }
    }

    fn copy_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call()?.copy_link(from, to)
    }

    fn finish_folder(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call()?.finish_folder(from, to)
    }

    fn is_same(&self, a: &Path, b: &Path, kind: Kind) -> io::Result<bool> {
        self.call()?.is_same(a, b, kind)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call()?.remove_file(path)
    }

    fn remove_dir(&self, folder: &Path) -> io::Result<()> {
        self.call()?.remove_dir(folder)
    }

    fn sync(&self, folders: &BTreeSet<PathBuf>) -> io::Result<()> {
        self.call()?.sync(folders)
    }

    fn sync_all(&self) -> io::Result<()> {
        self.call()?.sync_all()
    }
}

impl Records for Hostile {
    /// Each pair is one transaction, which the engine's own tests stop within.
    fn adopt(&self, pairs: Vec<Pair>) -> Vec<Result<()>> {
        let store = DiskStore::new(&self.root);
        let adopt = |(project, session): Pair| {
            let path = format!("projects/{}/project.json", project.id);
            match self.count() {
                Now::Fine => Records::adopt(&store, vec![(project, session)]).remove(0),
                Now::Fails(error) => Err(Error::io("write", &path, &error)),
            }
        };
        pairs.into_iter().map(adopt).collect()
    }

    fn taken(&self, project: &ProjectId) -> Result<Option<Taken>> {
        match self.count() {
            Now::Fine => DiskStore::new(&self.root).taken(project),
            Now::Fails(error) => Err(Error::io("read", "projects", &error)),
        }
    }

    fn sync(&self) -> Result<()> {
        match self.count() {
            Now::Fine => Records::sync(&DiskStore::new(&self.root)),
            Now::Fails(error) => Err(Error::io("sync", ".", &error)),
        }
    }
}
