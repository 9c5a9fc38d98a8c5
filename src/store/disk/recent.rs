//! What earlier changes found out about logs and sessions, so that the next append
//! need not read it again: each is believed only while the file's own identity, length
//! and time are what they were.

use std::{collections::HashMap, hash::Hash, sync::PoisonError};

use crate::{
    engine::{RelPath, Stat},
    id::TenantId,
    sync::Mutex,
};

/// With more entries than this, all are forgotten.
const MOST: usize = 4096;

/// Shared by all changes of one store.
#[derive(Debug, Default)]
pub(super) struct Recent {
    owners: Mutex<HashMap<RelPath, (Stat, TenantId)>>,
    ends: Mutex<HashMap<RelPath, u64>>,
}

impl Recent {
    /// The root may be another one.
    pub(super) fn forget(&self) {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Who owned the session of this file when it was last read.
    pub(super) fn owner(&self, path: &RelPath, stat: Stat) -> Option<TenantId> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(path).filter(|(read, _)| *read == stat).map(|(_, owner)| owner.clone())
    }

    pub(super) fn owned(&self, path: RelPath, stat: Stat, owner: TenantId) {
        remember(&self.owners, path, (stat, owner));
    }

    /// Whether a log of this length was seen to end in a line break.
    pub(super) fn is_whole(&self, path: &RelPath, len: u64) -> bool {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(path) == Some(&len)
    }

    /// A log of this length ends in a line break, or will if it ever has this length.
    pub(super) fn whole(&self, path: RelPath, len: u64) {
        remember(&self.ends, path, len);
    }
}

fn remember<K: Eq + Hash, V>(map: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    if map.len() >= MOST && !map.contains_key(&key) {
        map.clear();
    }
    map.insert(key, value);
}
