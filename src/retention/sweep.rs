//! What a sweep over a project of a store of ours is to archive.

use std::{cell::RefCell, collections::HashMap};

use super::rules::{Activity, Due, EdgeAge, due};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{ProjectId, SessionId, TenantId},
    model::{LogLine, RetentionPolicy, Session, SubSession},
    store::{Damaged, Form, RecordStore, Records, Selection, rules},
    timestamp::Timestamp,
};

/// What a sweep finds.
#[derive(Debug)]
pub struct DueEdges {
    /// The edges to archive, the longest idle first, and since when each is idle.
    pub edges: Vec<(SubSession, Timestamp)>,
    /// How many others are not archived.
    pub kept: usize,
    /// What cannot be read: of a parent no edge is due, of a child none that leads to it.
    pub damaged: Vec<Damaged>,
}

/// The tenant's edges below a project, and the sessions that keep others from being read.
struct Found {
    edges: HashMap<String, SubSession>,
    damaged: Vec<Damaged>,
}

/// The edges of a project that its policy wants archived. Records are read, and the last
/// message of those children alone whose edges are old enough by their own records.
///
/// # Errors
/// [`Error::NotFound`],
/// [`Error::TenantIsolation`] for the project of another
/// tenant, or what the store refuses.
pub fn due_edges(
    store: &impl RecordStore,
    project: &str,
    tenant: &TenantId,
    policy: &RetentionPolicy,
    now: Timestamp,
) -> Result<DueEdges> {
    let missing = || Error::NotFound { kind: "Project", id: project.to_owned() };
    let Ok(id) = ProjectId::parse(project) else { return Err(missing()) };
    let found = store.read(|records| edges_of(records, &id, tenant))?.ok_or_else(missing)?;
    let Found { mut edges, damaged } = found;
    let damaged = RefCell::new(damaged);
    let ages = edges.values().map(|edge| EdgeAge {
        id: edge.id.to_string(),
        status: edge.status,
        updated_at: edge.updated_at,
    });
    let last = |id: &str| match edges.get(id) {
        Some(edge) => {
            let child = &edge.child_session_id;
            match store.read(|records| activity(records, child, tenant)) {
                Err(error) if Damaged::is_told_by(&error) => {
                    damaged.borrow_mut().push(Damaged::of(child.as_str(), error));
                    Ok(Activity::InUse) // it is kept, as it cannot be archived
                }
                activity => activity,
            }
        }
        None => Ok(Activity::Unknown),
    };
    let Due { ids, kept } = due(ages.collect(), policy, now, last)?;
    let found = ids.into_iter().filter_map(|(id, since)| Some((edges.remove(&id)?, since)));
    let edges = found.collect();
    let mut damaged = damaged.into_inner();
    damaged.sort_by(|a, b| a.id.cmp(&b.id));
    damaged.dedup_by(|a, b| a.id == b.id);
    Ok(DueEdges { edges, kept, damaged })
}

/// Whether a session is in use, and when its record or its log was last changed.
///
/// # Errors
/// What the store refuses; a log that cannot be read says nothing.
pub fn activity(records: &dyn Records, session: &SessionId, tenant: &TenantId) -> Result<Activity> {
    let child = records.session(session)?.filter(|child| child.tenant_id == *tenant);
    let Some(child) = child else { return Ok(Activity::Unknown) };
    if child.status.is_in_use() {
        return Ok(Activity::InUse);
    }
    let last = last_message(records, &child).ok().flatten();
    Ok(Activity::At(last.map_or(child.updated_at, |last| last.max(child.updated_at))))
}

/// Refuses an edge that is to be archived because it was idle since a time, where that is no
/// longer so: itself, its child or its child's messages were changed later, or the child is in use.
///
/// # Errors
/// [`Error::NotArchivable`], or what the store refuses.
pub(super) fn still_idle(
    records: &dyn Records,
    edge: &SubSession,
    tenant: &TenantId,
    since: Timestamp,
) -> Result<()> {
    let is_idle = edge.updated_at <= since
        && match activity(records, &edge.child_session_id, tenant)? {
            Activity::InUse => false,
            Activity::At(last) => last <= since,
            Activity::Unknown => true,
        };
    match is_idle || mutant!(SweepNotLookedAtAgain) {
        true => Ok(()),
        false => {
            Err(Error::NotArchivable { sub_session_id: edge.id.to_string(), reason: "not_idle" })
        }
    }
}

fn last_message(records: &dyn Records, session: &Session) -> Result<Option<Timestamp>> {
    if records.log_bytes(session)? == 0 {
        return Ok(None);
    }
    let last = Selection { limit: Some(1), ..Selection::default() };
    let mut span = records.span(session, &last)?;
    let text = records.next_chunk(&mut span, Form::Line, 1)?;
    let parsed = text.as_deref().map(|text| LogLine::parse(text.trim_end().as_bytes()));
    Ok(match parsed {
        Some(Ok(line)) => line.messages().last().map(|message| message.time),
        _ => None,
    })
}

/// The edges whose parents are in a project; `None` where there is no such project.
fn edges_of(
    records: &dyn Records,
    project: &ProjectId,
    tenant: &TenantId,
) -> Result<Option<Found>> {
    let (mut edges, mut damaged) = (HashMap::new(), Vec::new());
    if rules::projects::get(records, project, tenant)?.is_none() {
        return Ok(None);
    }
    for id in records.session_ids(project)? {
        match edges_below(records, project, &id, tenant) {
            Ok(own) => edges.extend(own.into_iter().map(|edge| (edge.id.to_string(), edge))),
            Err(error) if Damaged::is_told_by(&error) => {
                if rules::damage::owns_session_in(records, project, &id, tenant)? {
                    damaged.push(Damaged::of(id.as_str(), error));
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(Found { edges, damaged }))
}

fn edges_below(
    records: &dyn Records,
    project: &ProjectId,
    parent: &SessionId,
    tenant: &TenantId,
) -> Result<Vec<SubSession>> {
    let mut children = records.edges_from(parent)?;
    if children.is_empty() {
        return Ok(children);
    }
    let parent = records.session_of(project, parent)?;
    let is_own = parent.is_some_and(|one| one.tenant_id == *tenant);
    children.retain(|edge| is_own && edge.tenant_id == *tenant);
    Ok(children)
}
