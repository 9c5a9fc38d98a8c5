//! What a store remembers of the files of its root, to read less of them. It may
//! forget any of it at any time.

use std::{collections::HashMap, sync::PoisonError};

use super::{log::LogMemory, recent::Recent};
use crate::{
    id::{ProjectId, SessionId},
    sync::{Mutex, MutexGuard},
    timestamp::Timestamp,
};

#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) logs: LogMemory,
    pub(super) ages: Ages,
    pub(super) recent: Recent,
}

impl Memory {
    /// Forgets everything: the root is another one.
    pub(super) fn clear(&self) {
        self.logs.clear();
        self.ages.lock().clear();
        self.recent.forget();
    }
}

/// When sessions were created, by which they are listed. A record says so for good
/// unless its own update says otherwise.
#[derive(Debug, Default)]
pub(super) struct Ages(Mutex<HashMap<ProjectId, HashMap<SessionId, Timestamp>>>);

impl Ages {
    pub(super) fn get(&self, project: &ProjectId, session: &SessionId) -> Option<Timestamp> {
        self.lock().get(project)?.get(session).copied()
    }

    pub(super) fn learn(&self, project: &ProjectId, session: &SessionId, created_at: Timestamp) {
        self.lock().entry(project.clone()).or_default().insert(session.clone(), created_at);
    }

    pub(super) fn forget(&self, project: &ProjectId, session: &SessionId) {
        if let Some(ages) = self.lock().get_mut(project) {
            ages.remove(session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, HashMap<SessionId, Timestamp>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
