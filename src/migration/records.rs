//! The records that a thread becomes, and the store that takes them.

use std::fmt::Debug;

use super::layout::SESSION;
use crate::{
    error::Result,
    id::{ProjectId, SessionId, TenantId},
    json::{Fields, Json},
    model::{NewSession, Project, ProjectConfig, Session, UnknownKeys},
    store::{Damaged, DiskStore, RecordStore as _},
    sync::wait,
    timestamp::Timestamp,
};

/// The tenant of what had none.
const UNKNOWN_TENANT: &str = "tnt_unknown_legacy";

/// A project and its session.
pub(super) type Pair = (Project, Session);

/// A record that is in a thread's way: it belongs to a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Project,
    Session,
}

/// Takes records into the root.
pub(super) trait Records: Debug + Send {
    /// Which record of a thread's project is there already and belongs to a tenant that has
    /// nothing to do with the thread, if any. One that cannot be read belongs to none.
    fn taken(&self, project: &ProjectId) -> Result<Option<Taken>>;

    /// Makes each pair be there, unless it is already.
    fn adopt(&self, pairs: Vec<Pair>) -> Vec<Result<()>>;

    /// Makes all of them survive a power cut, in the record tree itself.
    fn sync(&self) -> Result<()>;
}

impl Records for DiskStore {
    fn taken(&self, project: &ProjectId) -> Result<Option<Taken>> {
        let is_other = |tenant: &TenantId| tenant.as_str() != UNKNOWN_TENANT;
        self.read(|records| {
            match records.project_owner(project) {
                Ok(None) => return Ok(None),
                Ok(Some(owner)) if is_other(&owner) => return Ok(Some(Taken::Project)),
                Ok(Some(_)) => {}
                Err(error) if Damaged::is_told_by(&error) => {}
                Err(error) => return Err(error),
            }
            match records.session_of(project, &SessionId::parse(SESSION)?) {
                Ok(Some(session)) if is_other(&session.tenant_id) => Ok(Some(Taken::Session)),
                Ok(_) => Ok(None),
                Err(error) if Damaged::is_told_by(&error) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn adopt(&self, pairs: Vec<Pair>) -> Vec<Result<()>> {
        // All are asked for before the first is waited for, so that they share commits.
        let asked: Vec<_> =
            pairs.into_iter().map(|(project, session)| self.adopt(project, session)).collect();
        asked.into_iter().map(wait).collect()
    }

    fn sync(&self) -> Result<()> {
        self.checkpoint()
    }
}

/// What a thread becomes.
pub(super) fn pair(thread: &str, project: &ProjectId, now: Timestamp) -> Option<Pair> {
    let tenant = TenantId::new(UNKNOWN_TENANT)?;
    let name = serde_json::Value::from(format!("legacy {thread}")).to_string();
    let new = NewSession { project_id: project.clone(), current_actor: None };
    let session = Session::new(SessionId::parse(SESSION).ok()?, tenant.clone(), new, now);
    let project = Project {
        id: project.clone(),
        tenant_id: tenant,
        name: Json::parse(&name).ok()?,
        config: ProjectConfig::default(),
        created_at: now,
        updated_at: now,
        unknown: legacy()?,
    };
    Some((project, Session { unknown: legacy()?, ..session }))
}

/// The key that says where a record comes from.
fn legacy() -> Option<UnknownKeys> {
    UnknownKeys::of(&Fields::parse(r#"{"_legacy":true}"#).ok()?, &[]).ok()
}
