//! Restores an edge of a store of ours from a disk archive of ours.

use super::{
    bundle::{BundleContent, DiskArchive},
    rules::restorable,
};
use crate::{
    engine::mutant,
    error::{Error, Outcome, Result},
    id::{SubSessionId, TenantId, generate},
    model::{Eviction, Session, SubSession, SubSessionStatus},
    store::{RecordStore, Records, rules},
};

/// Makes an archived edge idle again, with everything of its child where it was.
///
/// # Errors
/// [`Error::NotArchived`], [`Error::ArchiveNotFound`] when the bundle cannot be
/// believed, or what the store and the file system refuse; the edge stays archived.
pub async fn restore<S: RecordStore>(
    store: &S,
    archive: &DiskArchive,
    sub_session_id: &str,
    tenant: &TenantId,
) -> Result<()> {
    let Found { edge, archive_ref, child, eviction } = look(store, sub_session_id, tenant)?;
    if archive.is_of_another(&archive_ref, tenant)? {
        return Err(Error::ArchiveNotFound { archive_ref: archive_ref.into(), reason: "missing" });
    }
    let bundle = open(store, archive, &archive_ref).await?;
    bundle.check_messages()?;
    let evicted = eviction.filter(|eviction| eviction.archive_ref == archive_ref);
    let mut restoration = None;
    if let (Some(child), Some(eviction)) = (&child, evicted) {
        if bundle.identity.session_id != child.id.as_str() {
            return Err(bundle.corrupt());
        }
        let eviction = Eviction { restoration: Some(generate("").into()), ..eviction };
        put_back(store, child, &eviction, |offset| bundle.log_piece(offset)).await?;
        restoration = Some(eviction);
    }
    let summary = if restoration.is_some() { bundle.summary_record()? } else { None };
    let (sub_session_id, tenant, updated_at) =
        (sub_session_id.to_owned(), tenant.clone(), store.now());
    store
        .write(move |records| {
            let now = rules::sub_sessions::get(&*records, &edge.id, &tenant)?;
            let (now, current_ref) = restorable(&sub_session_id, now)?;
            if current_ref != archive_ref {
                return Err(Error::NotArchived { sub_session_id, reason: "not_archived" });
            }
            if let Some(eviction) = &restoration {
                check_claim(&*records, eviction)?;
                records.end_eviction(&eviction.session_id, summary.as_deref())?;
            }
            records.put_edge(&SubSession {
                status: SubSessionStatus::Idle,
                archive_ref: None,
                archived_at: None,
                updated_at,
                ..now
            })
        })
        .await
}

/// Opens the bundle that an edge names. One that seems unfinished may have been sealed
/// by a transaction that is committed, so that its edge reads as archived, and that its
/// process is about to apply: a transaction of ours comes after that.
async fn open(
    store: &impl RecordStore,
    archive: &DiskArchive,
    archive_ref: &str,
) -> Result<BundleContent> {
    match archive.open(archive_ref) {
        Err(Error::ArchiveNotFound { reason: "incomplete", .. })
            if !mutant!(UnappliedSealUnfinished) =>
        {
            store.write(|_| Ok(())).await?;
            archive.open(archive_ref)
        }
        opened => opened,
    }
}

struct Found {
    edge: SubSession,
    archive_ref: Box<str>,
    child: Option<Session>,
    eviction: Option<Eviction>,
}

fn look(store: &impl RecordStore, sub_session_id: &str, tenant: &TenantId) -> Result<Found> {
    let id = SubSessionId::parse(sub_session_id).ok();
    store.read(|records| {
        let edge = match &id {
            Some(id) => rules::sub_sessions::get(records, id, tenant)?,
            None => None, // what cannot exist is missing
        };
        let (edge, archive_ref) = restorable(sub_session_id, edge)?;
        let child = rules::sessions::get(records, &edge.child_session_id, tenant)?;
        let eviction = records.eviction(&edge.child_session_id)?;
        Ok(Found { edge, archive_ref, child, eviction })
    })
}

/// Puts a log back piece by piece. The session counts as evicted meanwhile, and one
/// restoration at a time writes: the last that claimed it.
pub(super) async fn put_back<S: RecordStore>(
    store: &S,
    child: &Session,
    eviction: &Eviction,
    mut piece_at: impl FnMut(u64) -> Result<Vec<u8>>,
) -> Result<()> {
    let claim = eviction.clone();
    let claimed = store.write(move |records| {
        let current = records.eviction(&claim.session_id)?;
        if current.is_none_or(|current| current.archive_ref != claim.archive_ref) {
            return Err(taken(&claim));
        }
        records.put_eviction(&claim)
    });
    claimed.await.map_err(of_a_step)?;
    let mut offset = 0;
    loop {
        let piece = piece_at(offset)?;
        if piece.is_empty() {
            return Ok(());
        }
        let next = offset + piece.len() as u64;
        let (claim, child) = (eviction.clone(), child.clone());
        store
            .write(move |records| {
                check_claim(&*records, &claim)?;
                records.put_back(&child, offset, &piece)
            })
            .await
            .map_err(of_a_step)?;
        offset = next;
    }
}

/// What a step before the last says to the caller, who asked for the whole: whether that
/// step took effect or not, the session is as evicted as it was, and restoring starts over.
fn of_a_step(error: Error) -> Error {
    error.with_outcome(Outcome::NotDone)
}

/// Refuses to go on when another restoration took over.
pub(super) fn check_claim(records: &(impl Records + ?Sized), claim: &Eviction) -> Result<()> {
    let current = records.eviction(&claim.session_id)?;
    if current.is_some_and(|current| current.restoration == claim.restoration) {
        return Ok(());
    }
    Err(taken(claim))
}

/// Another restoration is at it, and nobody's edge is archived when it is done.
fn taken(claim: &Eviction) -> Error {
    let sub_session_id = claim.sub_session_id.to_string();
    Error::NotArchived { sub_session_id, reason: "not_archived" }
}
