//! Which edges may be archived, restored, or are due.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    error::{Error, Result},
    model::{RetentionPolicy, SubSession, SubSessionStatus},
    timestamp::Timestamp,
};

/// Refuses an edge of this status to be archived; `None` is an edge that is missing.
///
/// # Errors
/// [`Error::NotArchivable`].
pub fn check_archivable(id: &str, status: Option<SubSessionStatus>) -> Result<()> {
    let reason = match status {
        None => "missing",
        Some(SubSessionStatus::Archived) => "already_archived",
        Some(status) if is_finished(status) => return Ok(()),
        Some(_) => "not_idle",
    };
    Err(Error::NotArchivable { sub_session_id: id.to_owned(), reason })
}

/// Refuses an edge of this status to be restored; `None` is an edge that is missing.
/// Answers the bundle that it is in.
///
/// # Errors
/// [`Error::NotArchived`].
pub fn check_restorable(
    id: &str,
    status: Option<SubSessionStatus>,
    archive_ref: Option<&str>,
) -> Result<Box<str>> {
    let reason = match (status, archive_ref) {
        (None, _) => "missing",
        (Some(SubSessionStatus::Archived), Some(archive_ref)) => return Ok(archive_ref.into()),
        (Some(SubSessionStatus::Archived), None) => "missing_archive_ref",
        (Some(_), _) => "not_archived",
    };
    Err(Error::NotArchived { sub_session_id: id.to_owned(), reason })
}

/// The edge, unless it cannot be archived as it stands.
pub(super) fn archivable(id: &str, edge: Option<SubSession>) -> Result<SubSession> {
    check_archivable(id, edge.as_ref().map(|edge| edge.status))?;
    edge.ok_or_else(|| Error::NotArchivable { sub_session_id: id.to_owned(), reason: "missing" })
}

/// The edge and its bundle, unless it is not archived.
pub(super) fn restorable(id: &str, edge: Option<SubSession>) -> Result<(SubSession, Box<str>)> {
    let archive_ref = edge.as_ref().and_then(|edge| edge.archive_ref.as_deref());
    let archive_ref = check_restorable(id, edge.as_ref().map(|edge| edge.status), archive_ref)?;
    let missing = || Error::NotArchived { sub_session_id: id.to_owned(), reason: "missing" };
    Ok((edge.ok_or_else(missing)?, archive_ref))
}

fn is_finished(status: SubSessionStatus) -> bool {
    matches!(
        status,
        SubSessionStatus::Idle
            | SubSessionStatus::Merged
            | SubSessionStatus::MergeRejected
            | SubSessionStatus::Failed
    )
}

/// What a sweep must know of an edge.
#[derive(Debug, Clone)]
pub struct EdgeAge {
    /// The edge's id.
    pub id: String,
    /// What became of it.
    pub status: SubSessionStatus,
    /// When it was last changed, by its own record.
    pub updated_at: Timestamp,
}

/// What a sweep finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The edges to archive, the longest idle first, and since when each is idle.
    pub ids: Vec<(String, Timestamp)>,
    /// How many others are not archived.
    pub kept: usize,
}

/// What a session was last seen to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Something is at work on it.
    InUse,
    /// Its record or its log was changed then.
    At(Timestamp),
    /// Nothing that counts.
    Unknown,
}

/// The edges of a project that its policy wants archived: those idle for longer than
/// the policy's time, then the longest idle above its number. A child that is in use is none
/// of them, and one that was changed later than its edge is as old as that change. `last` says
/// so of an edge's child, and is asked only of those whose edges are old enough by themselves.
///
/// # Errors
/// What `last` answers.
pub fn due<E>(
    edges: Vec<EdgeAge>,
    policy: &RetentionPolicy,
    now: Timestamp,
    last: impl Fn(&str) -> Result<Activity, E>,
) -> Result<Due, E> {
    let hot = edges.into_iter().filter(|edge| edge.status != SubSessionStatus::Archived);
    let (finished, others): (Vec<_>, Vec<_>) = hot.partition(|edge| is_finished(edge.status));
    let all = finished.len() + others.len();
    #[expect(clippy::cast_precision_loss, reason = "no edge is 2^53 milliseconds old")]
    let expired = |at: Timestamp| {
        let age = now.as_millis().saturating_sub(at.as_millis()) as f64;
        policy.idle_ttl_millis.is_some_and(|ttl| age > ttl)
    };
    let above = |taken: usize| {
        let most = policy.max_edges.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        most.is_some_and(|most| all - taken > most)
    };
    let mut ids = Vec::new();
    // The oldest first, so those that expired come before those that are too many. Each comes
    // by its edge's own age at first, and again by its child's where that is younger.
    let mut oldest: BinaryHeap<_> =
        finished.into_iter().map(|edge| Reverse((edge.updated_at, edge.id, false))).collect();
    while let Some(Reverse((at, id, is_known))) = oldest.pop() {
        if !expired(at) && !above(ids.len()) {
            break;
        }
        if is_known {
            ids.push((id, at));
            continue;
        }
        match last(&id)? {
            Activity::InUse => {}
            Activity::At(last) => oldest.push(Reverse((at.max(last), id, true))),
            Activity::Unknown => oldest.push(Reverse((at, id, true))),
        }
    }
    let kept = all - ids.len();
    Ok(Due { ids, kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(id: &str, status: SubSessionStatus, at: i64) -> EdgeAge {
        let updated_at = Timestamp::from_millis(at).unwrap();
        EdgeAge { id: id.to_owned(), status, updated_at }
    }

    /// The edges that are due, with the times since when they are idle; and how many are kept.
    fn said(Due { ids, kept }: Due) -> (String, usize) {
        let ids = ids.iter().map(|(id, at)| format!("{id}{}", at.as_millis()));
        (ids.collect::<Vec<_>>().join(" "), kept)
    }

    #[test]
    fn what_expired_and_then_what_is_too_many() {
        use SubSessionStatus::{Active, Archived, Failed, Idle, MergeRejected, Merged};
        let edges = vec![
            edge("e", Idle, 95),
            edge("a", Active, 1),
            edge("b", Merged, 10),
            edge("c", Archived, 0),
            edge("d", Failed, 50),
            edge("f", MergeRejected, 90),
            edge("g", Idle, 90),
        ];
        let now = Timestamp::from_millis(100).unwrap();
        let swept = |idle_ttl_millis, max_edges| {
            let policy = RetentionPolicy { idle_ttl_millis, max_edges };
            let last = |id: &str| {
                Ok::<_, ()>(match id {
                    "b" => Activity::At(Timestamp::from_millis(11).unwrap()),
                    _ => Activity::Unknown,
                })
            };
            said(due(edges.clone(), &policy, now, last).unwrap())
        };
        assert_eq!(swept(None, None), (String::new(), 6));
        assert_eq!(swept(Some(50.0), None), ("b11".to_owned(), 5));
        assert_eq!(swept(Some(49.0), None), ("b11 d50".to_owned(), 4));
        assert_eq!(swept(Some(49.0), Some(3)), ("b11 d50 f90".to_owned(), 3));
        assert_eq!(swept(None, Some(4)), ("b11 d50".to_owned(), 4));
        assert_eq!(swept(None, Some(0)), ("b11 d50 f90 g90 e95".to_owned(), 1));
    }

    #[test]
    fn a_child_in_use_is_kept_and_one_that_was_changed_is_as_old_as_its_change() {
        use SubSessionStatus::Idle;
        let edges = vec![edge("a", Idle, 1), edge("b", Idle, 2), edge("c", Idle, 3)];
        let now = Timestamp::from_millis(100).unwrap();
        let asked = std::cell::RefCell::new(String::new());
        let swept = |idle_ttl_millis, max_edges| {
            let policy = RetentionPolicy { idle_ttl_millis, max_edges };
            let last = |id: &str| {
                asked.borrow_mut().push_str(id);
                Ok::<_, ()>(match id {
                    "a" => Activity::InUse,
                    "b" => Activity::At(Timestamp::from_millis(95).unwrap()),
                    _ => Activity::At(Timestamp::from_millis(0).unwrap()),
                })
            };
            said(due(edges.clone(), &policy, now, last).unwrap())
        };
        assert_eq!(swept(Some(10.0), None), ("c3".to_owned(), 2));
        assert_eq!(swept(None, Some(2)), ("c3".to_owned(), 2));
        assert_eq!(swept(None, Some(0)), ("c3 b95".to_owned(), 1));
        assert_eq!(asked.take(), "abcabcabc");
        assert_eq!(swept(Some(98.0), None), (String::new(), 3));
        assert_eq!(asked.take(), "a");
    }
}
