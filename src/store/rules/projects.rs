//! `createProject`, `getProject`, `updateProject`.

use super::{
    super::{Records, RecordsMut},
    tenancy,
};
use crate::{
    error::Result,
    id::{ProjectId, TenantId},
    model::{NewProject, Project, ProjectConfig, ProjectConfigPart, UnknownKeys},
    timestamp::Timestamp,
};

pub(crate) fn create(
    records: &mut dyn RecordsMut,
    new: NewProject,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<Project> {
    tenancy::check(&new.tenant_id, tenant, || format!("project(name={})", readable(&new)))?;
    let project = Project {
        id: ProjectId::generate(),
        tenant_id: new.tenant_id,
        name: new.name,
        config: ProjectConfig::default().with(&new.config),
        created_at: now,
        updated_at: now,
        unknown: UnknownKeys::default(),
    };
    records.put_project(&project)?;
    Ok(project)
}

/// The name as text; as its literal where it is no Unicode.
fn readable(new: &NewProject) -> String {
    serde_json::from_str(new.name.as_str()).unwrap_or_else(|_| new.name.as_str().to_owned())
}

pub(crate) fn get(
    records: &dyn Records,
    id: &ProjectId,
    tenant: &TenantId,
) -> Result<Option<Project>> {
    let project = records.project(id)?;
    if let Some(project) = &project {
        check(project, tenant)?;
    }
    Ok(project)
}

pub(crate) fn update(
    records: &mut dyn RecordsMut,
    id: &ProjectId,
    part: &ProjectConfigPart,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<Option<Project>> {
    let Some(current) = get(&*records, id, tenant)? else { return Ok(None) };
    let config = current.config.with(part);
    let next = Project { config, updated_at: now, ..current };
    records.put_project(&next)?;
    Ok(Some(next))
}

/// Refuses a project of another tenant.
pub(super) fn check(project: &Project, tenant: &TenantId) -> Result<()> {
    check_owner(&project.id, &project.tenant_id, tenant)
}

/// Refuses a project that `owner` owns to any other tenant.
pub(super) fn check_owner(id: &ProjectId, owner: &TenantId, tenant: &TenantId) -> Result<()> {
    tenancy::check(owner, tenant, || format!("project({id})"))
}
