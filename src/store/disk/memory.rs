//! What a store remembers of the files of its root, to read less of them. It may
//! forget any of it at any time.

use std::{collections::HashMap, sync::PoisonError};

use super::{log::LogMemory, recent::Recent};
use crate::{
    engine::{Stat, mutant},
    id::{ProjectId, SessionId},
    sync::{Mutex, MutexGuard, atomic::AtomicBool},
    timestamp::Timestamp,
};

#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) logs: LogMemory,
    pub(super) ages: Ages,
    pub(super) recent: Recent,
    /// No other program writes to the root.
    pub(super) trusts_index: AtomicBool,
}

impl Memory {
    /// Forgets everything: the root is another one.
    pub(super) fn clear(&self) {
        self.logs.clear();
        self.ages.lock().clear();
        self.recent.forget();
    }
}

/// When sessions were created, by which they are listed. Each is believed only while the
/// record's file is the one that was read.
#[derive(Debug, Default)]
pub(super) struct Ages(Mutex<Known>);

pub(super) type Known = HashMap<ProjectId, HashMap<SessionId, (Stat, Timestamp)>>;

impl Ages {
    /// When a session was created whose file is as `stat` says.
    pub(super) fn get(
        &self,
        project: &ProjectId,
        session: &SessionId,
        stat: Stat,
    ) -> Option<Timestamp> {
        let known = self.lock();
        let (read, created_at) = known.get(project)?.get(session)?;
        (*read == stat || mutant!(AgesUnchecked)).then_some(*created_at)
    }

    pub(super) fn learn(
        &self,
        project: &ProjectId,
        session: &SessionId,
        stat: Stat,
        created_at: Timestamp,
    ) {
        let mut known = self.lock();
        known.entry(project.clone()).or_default().insert(session.clone(), (stat, created_at));
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
