//! `listProjects`, `listSessionsByProject`.

use super::{super::Records, projects};
use crate::{
    error::Result,
    id::{ProjectId, TenantId},
    model::{Project, Session, SessionStatus},
    store::{Page, PageRequest, Place},
    timestamp::Timestamp,
};

pub(crate) fn projects(
    records: &dyn Records,
    tenant: &TenantId,
    request: &PageRequest,
) -> Result<Page<Project>> {
    page(
        records.projects()?,
        request,
        ProjectId::as_str,
        |id| Ok(records.project(id)?.filter(|project| project.tenant_id == *tenant)),
        |project| project.created_at,
    )
}

pub(crate) fn sessions(
    records: &dyn Records,
    project: &ProjectId,
    status: Option<SessionStatus>,
    tenant: &TenantId,
    request: &PageRequest,
) -> Result<Page<Session>> {
    if projects::get(records, project, tenant)?.is_none() {
        return Ok(Page::empty());
    }
    let wanted = |session: &Session| {
        session.tenant_id == *tenant && status.is_none_or(|status| session.status == status)
    };
    page(
        records.sessions_of(project)?,
        request,
        crate::id::SessionId::as_str,
        |id| Ok(records.session_of(project, id)?.filter(wanted)),
        |session| session.created_at,
    )
}

/// Goes through `ids` from the requested place on, until the page is full and one
/// more record says that there is a next one.
fn page<I, T>(
    ids: Vec<(Timestamp, I)>,
    request: &PageRequest,
    text: impl Fn(&I) -> &str,
    read: impl Fn(&I) -> Result<Option<T>>,
    created_at: impl Fn(&T) -> Timestamp,
) -> Result<Page<T>> {
    let place = |created_at, id: &I| Place { created_at, id: text(id).to_owned() };
    let mut places: Vec<(Place, I)> = Vec::new();
    for (at, id) in ids {
        let place = place(at, &id);
        if request.after.as_ref().is_none_or(|after| place > *after) {
            places.push((place, id));
        }
    }
    places.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut page = Page::empty();
    let mut last = None;
    for (_, id) in &places {
        let Some(record) = read(id)? else { continue };
        if page.items.len() == request.limit {
            page.next = last;
            break;
        }
        last = Some(place(created_at(&record), id));
        page.items.push(record);
    }
    Ok(page)
}
