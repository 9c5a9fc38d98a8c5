//! `createProject`, `getProject`, `updateProject`.

use super::{
    super::{Created, Records, RecordsMut},
    damage, tenancy,
};
use crate::{
    error::{Error, Result},
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
    records.created(Created::Project(&project.id), &project.tenant_id)?;
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
    let told = |error| damage::told(records, Created::Project(id), tenant, error, || resource(id));
    let project = records.project(id).map_err(told)?;
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

/// Refuses a project that does not exist, or that another tenant owns.
pub(super) fn check_existing(
    records: &(impl Records + ?Sized),
    id: &ProjectId,
    tenant: &TenantId,
) -> Result<()> {
    let told = |error| damage::told(records, Created::Project(id), tenant, error, || resource(id));
    let owner = records
        .project_owner(id)
        .map_err(told)?
        .ok_or_else(|| Error::NotFound { kind: "Project", id: id.to_string() })?;
    check_owner(id, &owner, tenant)
}

/// Refuses a project of another tenant.
fn check(project: &Project, tenant: &TenantId) -> Result<()> {
    check_owner(&project.id, &project.tenant_id, tenant)
}

/// Refuses a project that `owner` owns to any other tenant.
fn check_owner(id: &ProjectId, owner: &TenantId, tenant: &TenantId) -> Result<()> {
    tenancy::check(owner, tenant, || resource(id))
}

fn resource(id: &ProjectId) -> String {
    format!("project({id})")
}
