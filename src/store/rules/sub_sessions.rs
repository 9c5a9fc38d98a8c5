//! `createSubSession`, `getSubSession`, `updateSubSession`, `deleteSubSession`.

use super::{
    super::{Created, Records, RecordsMut},
    eviction, tenancy,
};
use crate::{
    error::{Error, Result},
    id::{SubSessionId, TenantId},
    model::{NewSubSession, SubSession},
    timestamp::Timestamp,
};

pub(crate) fn create(
    records: &mut dyn RecordsMut,
    new: NewSubSession,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<SubSession> {
    tenancy::check_session(records, &new.parent_session_id, tenant)?;
    tenancy::check_session(records, &new.child_session_id, tenant)?;
    let edge = SubSession::new(SubSessionId::generate(), tenant.clone(), new, now);
    records.put_edge(&edge)?;
    records.created(Created::Edge(&edge.id), tenant)?;
    Ok(edge)
}

pub(crate) fn get(
    records: &(impl Records + ?Sized),
    id: &SubSessionId,
    tenant: &TenantId,
) -> Result<Option<SubSession>> {
    let edge = records.edge(id)?;
    if let Some(edge) = &edge {
        tenancy::check(&edge.tenant_id, tenant, || format!("sub-session({id})"))?;
    }
    Ok(edge)
}

pub(crate) fn update(
    records: &mut dyn RecordsMut,
    payload: SubSession,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<()> {
    let current = get(records, &payload.id, tenant)?
        .ok_or_else(|| Error::NotFound { kind: "Sub-session", id: payload.id.to_string() })?;
    eviction::keep_way_back(&*records, &current, Some(&payload))?;
    put(records, current, payload, now)
}

/// Stores what `current` is to become.
pub(crate) fn put(
    records: &mut dyn RecordsMut,
    current: SubSession,
    payload: SubSession,
    now: Timestamp,
) -> Result<()> {
    records.put_edge(&SubSession { updated_at: now, unknown: current.unknown, ..payload })
}

pub(crate) fn delete(
    records: &mut dyn RecordsMut,
    id: &SubSessionId,
    tenant: &TenantId,
) -> Result<()> {
    let Some(current) = get(records, id, tenant)? else { return Ok(()) };
    eviction::keep_way_back(&*records, &current, None)?;
    records.remove_edge(id)
}
