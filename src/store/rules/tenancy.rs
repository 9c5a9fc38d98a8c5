//! Who may see and change a record: its own tenant, by the record's own field.

use super::{
    super::{Created, Records},
    damage,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId},
    model::Session,
};

/// Refuses a record of another tenant; `resource` names it in the error.
pub(super) fn check(
    owner: &TenantId,
    tenant: &TenantId,
    resource: impl FnOnce() -> String,
) -> Result<()> {
    if owner == tenant {
        return Ok(());
    }
    Err(Error::TenantIsolation { requested: tenant.clone(), resource: resource() })
}

pub(super) fn session_resource(id: &SessionId) -> String {
    format!("session({id})")
}

/// The tenant's session, or `None` where there is none of that id.
pub(super) fn session(
    records: &(impl Records + ?Sized),
    id: &SessionId,
    tenant: &TenantId,
) -> Result<Option<Session>> {
    let told =
        |error| damage::told(records, Created::Session(id), tenant, error, || session_resource(id));
    let session = records.session(id).map_err(told)?;
    if let Some(session) = &session {
        check(&session.tenant_id, tenant, || session_resource(id))?;
    }
    Ok(session)
}

/// Checks that the tenant's session exists, where nothing more of it is needed.
pub(super) fn check_session(
    records: &(impl Records + ?Sized),
    id: &SessionId,
    tenant: &TenantId,
) -> Result<()> {
    let told =
        |error| damage::told(records, Created::Session(id), tenant, error, || session_resource(id));
    let owner = records.owner(id).map_err(told)?.ok_or_else(|| not_found(id))?;
    check(&owner, tenant, || session_resource(id))
}

pub(super) fn not_found(id: &SessionId) -> Error {
    Error::NotFound { kind: "Session", id: id.to_string() }
}

/// The tenant's session, which must exist.
pub(super) fn existing_session(
    records: &(impl Records + ?Sized),
    id: &SessionId,
    tenant: &TenantId,
) -> Result<Session> {
    session(records, id, tenant)?.ok_or_else(|| not_found(id))
}
