//! What a session refuses while its messages are in an archive only.

use super::super::Records;
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::SessionId,
    model::{Eviction, SubSession, SubSessionStatus},
};

/// Refuses a session whose messages were evicted: a second log beside the archived
/// one would leave neither whole.
pub(crate) fn refuse(records: &(impl Records + ?Sized), session: &SessionId) -> Result<()> {
    match records.eviction(session)? {
        None => Ok(()),
        Some(eviction) => Err(evicted(eviction)),
    }
}

/// What a session says that has no messages but in an archive.
pub(crate) fn evicted(eviction: Eviction) -> Error {
    Error::SessionEvicted {
        session_id: eviction.session_id,
        archive_ref: eviction.archive_ref.into(),
    }
}

/// Refuses to remove or change the edge that leads an evicted session's owner back to its
/// messages; `next` is what it is to become.
pub(crate) fn keep_way_back(
    records: &(impl Records + ?Sized),
    current: &SubSession,
    next: Option<&SubSession>,
) -> Result<()> {
    // An edge that is not archived leads to no bundle, and needs no look at its child.
    let is_archived = current.status == SubSessionStatus::Archived;
    if !is_archived || current.archive_ref.is_none() || mutant!(WayBackLost) {
        return Ok(());
    }
    let Some(eviction) = records.eviction(&current.child_session_id)? else { return Ok(()) };
    let leads_back = |edge: &SubSession| {
        edge.id == eviction.sub_session_id
            && edge.child_session_id == eviction.session_id
            && edge.status == SubSessionStatus::Archived
            && edge.archive_ref.as_ref() == Some(&eviction.archive_ref)
    };
    if !leads_back(current) || next.is_some_and(leads_back) {
        return Ok(());
    }
    Err(evicted(eviction))
}
