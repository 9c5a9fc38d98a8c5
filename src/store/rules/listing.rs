//! `listProjects`, `listSessionsByProject`.

use super::{super::Records, damage, projects, ties};
use crate::{
    error::Result,
    id::{ProjectId, SessionId, TenantId},
    model::{Project, Session, SessionStatus},
    store::{Created, Damaged, Listed, Order, Page, PageRequest, Place},
    timestamp::Timestamp,
};

pub(crate) fn projects(
    records: &dyn Records,
    tenant: &TenantId,
    request: &PageRequest,
) -> Result<Page<Project>> {
    let Listed { found, damaged } = records.projects()?;
    let mut named = Vec::new();
    for (id, error) in damaged {
        if damage::owns_project(records, &id, tenant)? {
            named.push(Damaged::of(id.as_str(), error));
        }
    }
    let list = List {
        records,
        request,
        read: |id: &ProjectId| {
            Ok(records.project(id)?.filter(|project| project.tenant_id == *tenant))
        },
        is_own: |id: &ProjectId| damage::owns_project(records, id, tenant),
    };
    list.page(found, named)
}

pub(crate) fn sessions(
    records: &dyn Records,
    project: &ProjectId,
    status: Option<SessionStatus>,
    tenant: &TenantId,
    request: &PageRequest,
) -> Result<Page<Session>> {
    let mut named = Vec::new();
    match projects::get(records, project, tenant) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(Page::empty()),
        // Its sessions can be read all the same.
        Err(error)
            if Damaged::is_told_by(&error) && damage::owns_project(records, project, tenant)? =>
        {
            named.push(Damaged::of(project.as_str(), error));
        }
        Err(error) => return Err(error),
    }
    let wanted = |session: &Session| {
        session.tenant_id == *tenant && status.is_none_or(|status| session.status == status)
    };
    let is_own = |id: &SessionId| damage::owns_session_in(records, project, id, tenant);
    let Listed { found, damaged } = records.sessions_of(project)?;
    for (id, error) in damaged {
        if is_own(&id)? {
            named.push(Damaged::of(id.as_str(), error));
        }
    }
    let list = List {
        records,
        request,
        read: |id: &SessionId| Ok(records.session_of(project, id)?.filter(wanted)),
        is_own,
    };
    list.page(found, named)
}

/// What it takes to make a page of a list.
struct List<'l, R, O> {
    records: &'l dyn Records,
    request: &'l PageRequest,
    /// Reads what is to be listed; nothing where it is not.
    read: R,
    /// Whether the tenant may know of a damaged one.
    is_own: O,
}

impl<R, O> List<'_, R, O> {
    /// Goes through the records from the requested place on, until the page is full and one
    /// more says that there is a next one. `damaged` are those that the tenant may know of.
    fn page<I, T>(&self, mut found: Vec<(Timestamp, I)>, damaged: Vec<Damaged>) -> Result<Page<T>>
    where
        for<'i> Created<'i>: From<&'i I>,
        R: Fn(&I) -> Result<Option<T>>,
        O: Fn(&I) -> Result<bool>,
    {
        let after = self.request.after.as_ref();
        let sum = Damaged::sum(&damaged);
        let mut page = Page::empty();
        if after.is_none_or(|after| after.damaged != sum) {
            page.damaged = damaged;
        }
        if let Some(after) = after {
            found.retain(|(at, _)| *at >= after.created_at);
        }
        found.sort_unstable_by_key(|(at, _)| *at);
        // The cursor says where the list found the record, not what the record says by now: one
        // that another process moved in between would take the next page with it.
        let mut last = None;
        for tied in found.chunk_by_mut(|(a, _), (b, _)| a == b) {
            ties::sort_tied(self.records, tied, |(_, id)| Created::from(id))?;
            for found in self.after_place(tied, after)? {
                let id = &found.1;
                let record = match (self.read)(id) {
                    Ok(Some(record)) => record,
                    Ok(None) => continue,
                    Err(error) if Damaged::is_told_by(&error) => {
                        if (self.is_own)(id)? {
                            page.damaged.push(Damaged::of(Created::from(id).id(), error));
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if page.items.len() == self.request.limit {
                    page.next = last.map(|last| self.place(last, sum)).transpose()?;
                    return Ok(page);
                }
                last = Some(found);
                page.items.push(record);
            }
        }
        Ok(page)
    }

    /// Of the records of one millisecond, in their order, those that come after a place.
    fn after_place<'t, I>(
        &self,
        tied: &'t [(Timestamp, I)],
        after: Option<&Place>,
    ) -> Result<&'t [(Timestamp, I)]>
    where
        for<'i> Created<'i>: From<&'i I>,
    {
        let is_there = |place: &&Place| tied.first().is_some_and(|(at, _)| *at == place.created_at);
        let Some(place) = after.filter(is_there) else { return Ok(tied) };
        // Where it is by now, if it still is: its order may have been lost meanwhile.
        let mut start =
            tied.iter().position(|(_, id)| Created::from(id).id() == place.id).map(|at| at + 1);
        if start.is_none() {
            let key: (Order, &str) = (place.order, &place.id);
            for (at, (_, id)) in tied.iter().enumerate() {
                if (self.records.order(Created::from(id))?, Created::from(id).id()) <= key {
                    start = Some(at + 1);
                }
            }
        }
        Ok(tied.get(start.unwrap_or(0)..).unwrap_or_default())
    }

    fn place<I>(&self, (created_at, id): &(Timestamp, I), damaged: u32) -> Result<Place>
    where
        for<'i> Created<'i>: From<&'i I>,
    {
        let created = Created::from(id);
        let order = self.records.order(created)?;
        Ok(Place { created_at: *created_at, order, damaged, id: created.id().to_owned() })
    }
}
