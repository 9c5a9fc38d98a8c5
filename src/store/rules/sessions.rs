//! `createSession`, `getSession`, `updateSession`, `deleteSession`.

use super::{
    super::{Records, RecordsMut},
    projects, tenancy,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId},
    model::{NewSession, Session},
    timestamp::Timestamp,
};

pub(crate) fn create(
    records: &mut dyn RecordsMut,
    new: NewSession,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<Session> {
    let owner = records
        .project_owner(&new.project_id)?
        .ok_or_else(|| Error::NotFound { kind: "Project", id: new.project_id.to_string() })?;
    projects::check_owner(&new.project_id, &owner, tenant)?;
    let session = Session::new(SessionId::generate(), tenant.clone(), new, now);
    records.put_session(&session)?;
    Ok(session)
}

pub(crate) fn get(
    records: &dyn Records,
    id: &SessionId,
    tenant: &TenantId,
) -> Result<Option<Session>> {
    tenancy::session(records, id, tenant)
}

pub(crate) fn update(
    records: &mut dyn RecordsMut,
    payload: Session,
    tenant: &TenantId,
    expected_owner_version: Option<u64>,
    now: Timestamp,
) -> Result<()> {
    let current = records.session(&payload.id)?.ok_or_else(|| tenancy::not_found(&payload.id))?;
    tenancy::check(&payload.tenant_id, tenant, || {
        format!("{} payload", tenancy::session_resource(&payload.id))
    })?;
    tenancy::check(&current.tenant_id, tenant, || tenancy::session_resource(&payload.id))?;
    if let Some(expected_version) = expected_owner_version
        && expected_version != current.owner_version
    {
        return Err(Error::StaleSession {
            session_id: payload.id,
            expected_version,
            actual_version: current.owner_version,
        });
    }
    let next = Session { updated_at: now, unknown: current.unknown, ..payload };
    records.put_session(&next)
}

pub(crate) fn delete(
    records: &mut dyn RecordsMut,
    id: &SessionId,
    tenant: &TenantId,
) -> Result<()> {
    if tenancy::session(records, id, tenant)?.is_none() {
        return Ok(());
    }
    let mut attached = [records.edges_from(id)?, records.edges_to(id)?].concat();
    attached.sort_by(|a, b| (a.spawned_at, a.id.as_str()).cmp(&(b.spawned_at, b.id.as_str())));
    attached.dedup_by(|a, b| a.id == b.id);
    if !attached.is_empty() {
        let edges = attached.into_iter().map(|edge| edge.id).collect();
        return Err(Error::AttachedSubSessions { session_id: id.clone(), edges });
    }
    forget_handoff(records, id, tenant)?;
    records.remove_session(id)
}

/// What an unfinished handoff said goes with its source. The workspaces that it made, or
/// may still make, stay on record until it is undone: nobody else knows of them.
fn forget_handoff(
    records: &mut dyn RecordsMut,
    source: &SessionId,
    tenant: &TenantId,
) -> Result<()> {
    let intent = records.intent(source)?.filter(|intent| intent.tenant_id == *tenant);
    let Some(intent) = intent else { return Ok(()) };
    if intent.workspaces.is_empty() && !intent.process.may_run() {
        return records.remove_intent(source);
    }
    records.put_intent(&intent.of_deleted_source())
}
