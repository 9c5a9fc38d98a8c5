//! Whose a record is that cannot be read: by what the store knows of it otherwise.

use super::super::{Created, Damaged, Records};
use crate::{
    error::{Error, Result},
    id::{ProjectId, SessionId, TenantId},
};

/// Whether a tenant owns a project that cannot be read: the store knows it, or the tenant has
/// sessions there.
pub(super) fn owns_project(
    records: &(impl Records + ?Sized),
    id: &ProjectId,
    tenant: &TenantId,
) -> Result<bool> {
    if let Some(owned) = records.is_owned(Created::Project(id), tenant)? {
        return Ok(owned);
    }
    for (_, session) in records.sessions_of(id)?.found {
        if let Ok(Some(session)) = records.session_of(id, &session)
            && session.tenant_id == *tenant
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a tenant owns a session that cannot be read: the store knows it, or the project is
/// the tenant's.
pub(crate) fn owns_session_in(
    records: &(impl Records + ?Sized),
    project: &ProjectId,
    id: &SessionId,
    tenant: &TenantId,
) -> Result<bool> {
    if let Some(owned) = records.is_owned(Created::Session(id), tenant)? {
        return Ok(owned);
    }
    match records.project_owner(project) {
        Ok(owner) => Ok(owner.is_some_and(|owner| owner == *tenant)),
        Err(error) if Damaged::is_told_by(&error) => owns_project(records, project, tenant),
        Err(error) => Err(error),
    }
}

/// What a tenant is told of a record that cannot be read: of another's, no more than that it
/// is another's.
pub(super) fn told(
    records: &(impl Records + ?Sized),
    of: Created<'_>,
    tenant: &TenantId,
    error: Error,
    resource: impl FnOnce() -> String,
) -> Error {
    if Damaged::is_told_by(&error) && matches!(records.is_owned(of, tenant), Ok(Some(false))) {
        return Error::TenantIsolation { requested: tenant.clone(), resource: resource() };
    }
    error
}
