//! What a sweep over a project of a store of ours is to archive.

use std::collections::HashMap;

use super::rules::{Due, EdgeAge, due};
use crate::{
    error::Result,
    id::{ProjectId, TenantId},
    model::{RetentionPolicy, SubSession},
    store::{RecordStore, Records, rules},
    timestamp::Timestamp,
};

/// What a sweep finds.
#[derive(Debug)]
pub struct DueEdges {
    /// The edges to archive, the longest idle first.
    pub edges: Vec<SubSession>,
    /// How many others are not archived.
    pub kept: usize,
}

/// The edges of a project that its policy wants archived. Records are read, and no
/// message log.
///
/// # Errors
/// [`Error::TenantIsolation`](crate::Error::TenantIsolation) for the project of another
/// tenant, or what the store refuses.
pub fn due_edges(
    store: &impl RecordStore,
    project: &str,
    tenant: &TenantId,
    policy: &RetentionPolicy,
    now: Timestamp,
) -> Result<DueEdges> {
    let Ok(project) = ProjectId::parse(project) else {
        return Ok(DueEdges { edges: Vec::new(), kept: 0 });
    };
    let mut edges = store.read(|records| edges_of(records, &project, tenant))?;
    let ages = edges.values().map(|edge| EdgeAge {
        id: edge.id.to_string(),
        status: edge.status,
        updated_at: edge.updated_at,
    });
    let Due { ids, kept } = due(ages.collect(), policy, now);
    Ok(DueEdges { edges: ids.iter().filter_map(|id| edges.remove(id)).collect(), kept })
}

/// The edges whose parents are in a project.
fn edges_of(
    records: &dyn Records,
    project: &ProjectId,
    tenant: &TenantId,
) -> Result<HashMap<String, SubSession>> {
    let mut edges = HashMap::new();
    if rules::projects::get(records, project, tenant)?.is_none() {
        return Ok(edges);
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
    Ok(edges)
}
