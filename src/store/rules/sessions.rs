//! `createSession`, `getSession`, `updateSession`, `deleteSession`.

use super::{
    super::{Created, Damaged, Records, RecordsMut},
    damage, projects, tenancy, ties,
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
    projects::check_existing(records, &new.project_id, tenant)?;
    let session = Session::new(SessionId::generate(), tenant.clone(), new, now);
    records.put_session(&session)?;
    records.created(Created::Session(&session.id), tenant)?;
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
    let resource = || tenancy::session_resource(&payload.id);
    let told =
        |error| damage::told(records, Created::Session(&payload.id), tenant, error, resource);
    let current = records.session(&payload.id).map_err(told)?;
    let current = current.ok_or_else(|| tenancy::not_found(&payload.id))?;
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
    if payload.project_id != current.project_id {
        projects::check_existing(records, &payload.project_id, tenant)?;
    }
    let next = Session { updated_at: now, unknown: current.unknown, ..payload };
    records.put_session(&next)
}

pub(crate) fn delete(
    records: &mut dyn RecordsMut,
    id: &SessionId,
    tenant: &TenantId,
) -> Result<()> {
    match tenancy::session(records, id, tenant) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(()),
        Err(error)
            if Damaged::is_told_by(&error)
                && records.is_owned(Created::Session(id), tenant)? == Some(true) => {}
        Err(error) => return Err(error),
    }
    let mut attached = [records.edges_from(id)?, records.edges_to(id)?].concat();
    attached.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
    attached.dedup_by(|a, b| a.id == b.id);
    ties::sort(records, &mut attached, |edge| edge.spawned_at, |edge| Created::Edge(&edge.id))?;
    if !attached.is_empty() {
        let edges = attached.into_iter().map(|edge| edge.id).collect();
        return Err(Error::AttachedSubSessions { session_id: id.clone(), edges });
    }
    forget_handoff(records, id, tenant)?;
    records.remove_session(id)
}

/// What an unfinished handoff said goes with its source. The workspaces that it made, or
/// may still make, stay on record until it is undone: nothing else knows of them.
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
