//! `getChildren`, `getAncestry`, `drill`.

use std::collections::HashSet;

use super::{
    super::{Created, Records},
    tenancy, ties,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId},
    model::{SessionView, SubSession},
};

pub(crate) fn children(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Vec<SubSession>> {
    match tenancy::session(records, session, tenant)? {
        Some(_) => own_children(records, session, tenant),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn ancestry(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Vec<String>> {
    match tenancy::session(records, session, tenant)? {
        Some(_) => own_ancestry(records, session, tenant),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn drill(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Option<SessionView>> {
    let Some(found) = tenancy::session(records, session, tenant)? else {
        return Ok(None);
    };
    Ok(Some(SessionView {
        children: own_children(records, session, tenant)?,
        ancestry: own_ancestry(records, session, tenant)?,
        session: found,
    }))
}

fn own_children(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Vec<SubSession>> {
    let mut edges = records.known_edges_from(session)?;
    edges.retain(|edge| edge.tenant_id == *tenant);
    ties::sort(records, &mut edges, |edge| edge.spawned_at, |edge| Created::Edge(&edge.id))?;
    Ok(edges)
}

/// Follows parents upward; of several, the first by [`SubSession::sibling_key`].
fn own_ancestry(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Vec<String>> {
    let mut upward = vec![session.to_string()];
    let mut passed = HashSet::from([session.clone()]);
    let mut at = session.clone();
    loop {
        let mut edges = records.edges_to(&at)?;
        edges.retain(|edge| edge.tenant_id == *tenant);
        let first = edges.into_iter().min_by(|a, b| a.sibling_key().cmp(&b.sibling_key()));
        let Some(edge) = first else {
            upward.reverse();
            return Ok(upward);
        };
        at = edge.parent_session_id;
        upward.push(at.to_string());
        if !passed.insert(at.clone()) {
            return Err(Error::AncestryCycle {
                session_id: session.to_string(),
                cycle_path: upward,
            });
        }
    }
}
