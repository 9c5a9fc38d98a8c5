//! Takes in records that were made for a root's earlier layout.

use std::future::Future;

use serde::de::IgnoredAny;

use super::{DiskStore, Root, linkage::located_session, outbox::Waits};
use crate::{
    engine::{Op, Plan, RelPath, View},
    error::{Error, Result},
    id::TenantId,
    layout::{self, Home},
    model::{Project, Record, Session},
};

impl DiskStore {
    /// Makes a project and a session of it be there, in one step: a record that is there
    /// stays, half of one is replaced.
    ///
    /// The session is found by its project alone: others may have a session of its id.
    pub(crate) fn adopt(
        &self,
        project: Project,
        session: Session,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        let adopted = self.root.outbox.put(&|| self.check_open(), true, Waits::No, move |view| {
            let home = Home { project: project.id.clone(), session: session.id.clone() };
            let mut ops = Vec::new();
            let (p, s) = (layout::project_file(&project.id), home.session_file());
            ops.extend(missing(view, p, &project, |found| &found.tenant_id)?);
            ops.extend(missing(view, s, &session, |found| &found.tenant_id)?);
            ops.push(Op::Locate(located_session(&home)));
            Ok(Plan { ops, answer: () })
        });
        let root = std::sync::Arc::clone(&self.root);
        async move {
            if !root.outbox.is_empty() {
                root.send(root.engine());
            }
            adopted?.await
        }
    }

    /// Syncs into the record tree whatever the journal holds.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when something cannot be synced; it stays in the journal.
    pub(crate) fn checkpoint(&self) -> Result<()> {
        Ok(self.engine()?.checkpoint()?)
    }
}

/// What puts a record that is not there. Only what is no JSON is half of a record: what
/// is whole and cannot be read may be that of a later release.
fn missing<R: Record>(
    view: &View<'_>,
    path: RelPath,
    record: &R,
    tenant: impl Fn(&R) -> &TenantId,
) -> Result<Option<Op>> {
    let found = view.read(&path)?;
    if let Some(found) = found.filter(|bytes| serde_json::from_slice::<IgnoredAny>(bytes).is_ok()) {
        let read = std::str::from_utf8(&found).map_err(|error| error.to_string());
        return match read.and_then(R::from_record) {
            Ok(found) if found.record_id() == record.record_id() => {
                if tenant(&found) == tenant(record) {
                    return Ok(None);
                }
                let resource = path.as_str().to_owned();
                Err(Error::TenantIsolation { requested: tenant(record).clone(), resource })
            }
            Ok(found) => Err(corrupt(path, format!("id: found {}", found.record_id()))),
            Err(reason) => Err(corrupt(path, reason)),
        };
    }
    Ok(Some(Op::Put { path, bytes: record.to_record().into_bytes() }))
}

fn corrupt(path: RelPath, reason: String) -> Error {
    Error::corrupt(path.as_str(), None, reason)
}

impl Root {
    /// Says where an error happened, and of a record that is missing, when the root may have
    /// it in an earlier layout.
    pub(super) fn explain(&self, error: Error) -> Error {
        match error.at(&self.path) {
            missing @ Error::NotFound { .. } if crate::migration::is_due(&self.path) => {
                Error::Unmigrated { missing: Box::new(missing) }
            }
            error => error,
        }
    }
}
