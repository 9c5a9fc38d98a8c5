//! Restoring while the bundle's marker is committed and not yet in its place.

use std::{fs, future::Future, path::PathBuf};

use super::{
    restore,
    tests::{World, now},
};
use crate::{
    error::Result,
    model::SubSessionStatus,
    store::{DiskStore, RecordStore, Records, RecordsMut, SessionStore as _},
    timestamp::Timestamp,
};

/// A store whose next transaction comes after another process has put a marker in its place.
#[derive(Clone)]
struct Applying {
    store: DiskStore,
    from: PathBuf,
    marker: PathBuf,
}

impl RecordStore for Applying {
    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.store.read(read)
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.store.read_consistently(read)
    }

    fn write<T, C>(&self, change: C) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        let _ = fs::rename(&self.from, &self.marker);
        self.store.write(change)
    }

    fn admit(&self) -> Result<Self> {
        Ok(Self { store: self.store.admit()?, ..self.clone() })
    }

    fn now(&self) -> Timestamp {
        RecordStore::now(&self.store)
    }
}

#[test]
fn a_restoration_comes_after_the_transaction_that_seals_its_bundle() {
    for evict in [false, true] {
        let world = World::new(|root| DiskStore::new(root), true);
        world.archive(evict).unwrap();
        let edge = now(world.store.get_sub_session(world.edge.id.as_str(), &world.tenant));
        let archive_ref = edge.unwrap().unwrap().archive_ref.unwrap();
        let folder = world.store.root().unwrap().join("archive").join(&*archive_ref);
        let (from, marker) = (folder.join("../waits"), folder.join("archive.json"));
        fs::rename(&marker, &from).unwrap();
        let store = Applying { store: world.store.clone(), from, marker };
        now(restore(&store, &world.bundles, world.edge.id.as_str(), &world.tenant, None)).unwrap();
        assert_eq!(world.status(), SubSessionStatus::Idle);
        assert_eq!(world.messages(), world.log);
    }
}
