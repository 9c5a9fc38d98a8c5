//! What a sweep over a project of a store of ours is to archive.

use std::collections::HashMap;

use super::rules::{Activity, Due, EdgeAge, due};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{ProjectId, SessionId, TenantId},
    model::{LogLine, RetentionPolicy, Session, SubSession},
    store::{Form, RecordStore, Records, Selection, rules},
    timestamp::Timestamp,
};

/// What a sweep finds.
#[derive(Debug)]
pub struct DueEdges {
    /// The edges to archive, the longest idle first, and since when each is idle.
    pub edges: Vec<(SubSession, Timestamp)>,
    /// How many others are not archived.
    pub kept: usize,
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
    let mut edges = store.read(|records| edges_of(records, &id, tenant))?.ok_or_else(missing)?;
    let ages = edges.values().map(|edge| EdgeAge {
        id: edge.id.to_string(),
        status: edge.status,
        updated_at: edge.updated_at,
    });
    let last = |id: &str| match edges.get(id) {
        Some(edge) => store.read(|records| activity(records, &edge.child_session_id, tenant)),
        None => Ok(Activity::Unknown),
    };
    let Due { ids, kept } = due(ages.collect(), policy, now, last)?;
    let found = ids.into_iter().filter_map(|(id, since)| Some((edges.remove(&id)?, since)));
    Ok(DueEdges { edges: found.collect(), kept })
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
) -> Result<Option<HashMap<String, SubSession>>> {
    let mut edges = HashMap::new();
    if rules::projects::get(records, project, tenant)?.is_none() {
        return Ok(None);
    }
    for id in records.session_ids(project)? {
        let children = records.edges_from(&id)?;
        if children.is_empty() {
            continue;
        }
        let parent = records.session_of(project, &id)?;
        if parent.is_some_and(|one| one.tenant_id == *tenant) {
            let own = children.into_iter().filter(|edge| edge.tenant_id == *tenant);
            edges.extend(own.map(|edge| (edge.id.to_string(), edge)));
        }
    }
    Ok(Some(edges))
}
