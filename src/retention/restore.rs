//! Restores an edge, or an evicted session, of a store of ours from a disk archive of ours.

use super::{
    bundle::{BundleContent, DiskArchive},
    keys::KeptKeys,
    rules::restorable,
};
use crate::{
    engine::mutant,
    error::{Error, Outcome, Result},
    id::{SessionId, SubSessionId, TenantId, WorkspaceId, generate},
    model::{Eviction, Session, SubSession, SubSessionStatus},
    store::{RecordStore, Records, RecordsMut, rules},
    timestamp::Timestamp,
};

/// Makes an archived edge idle again, with everything of its child where it was. Where the
/// edge or its child name `gone_workspace`, they name none afterwards.
///
/// # Errors
/// [`Error::NotArchived`], [`Error::ArchiveNotFound`] when the bundle cannot be
/// believed, [`Error::SessionEvicted`] when the child's messages are in another bundle, or
/// what the store and the file system refuse; the edge stays archived.
pub async fn restore<S: RecordStore>(
    store: &S,
    archive: &DiskArchive,
    sub_session_id: &str,
    tenant: &TenantId,
    gone_workspace: Option<&str>,
) -> Result<()> {
    let store = &store.lasting();
    let gone = gone_workspace.and_then(WorkspaceId::new);
    let Found { edge, archive_ref, child, eviction } = look(store, sub_session_id, tenant)?;
    let whose = (sub_session_id, edge.child_session_id.as_str());
    let bundle = open(store, archive, &archive_ref, whose, tenant).await?;
    let restored = match (child, eviction) {
        (Some(child), Some(eviction)) if eviction.archive_ref == archive_ref => {
            Some(put_back_bundle(store, &bundle, &child, eviction).await?)
        }
        (_, Some(eviction)) => return Err(rules::eviction::evicted(eviction)),
        (_, None) => None,
    };
    let (sub_session_id, tenant, updated_at) =
        (sub_session_id.to_owned(), tenant.clone(), store.now());
    store
        .write(move |records| {
            let now = rules::sub_sessions::get(&*records, &edge.id, &tenant)?;
            let (now, current_ref) = restorable(&sub_session_id, now)?;
            if current_ref != archive_ref || now.child_session_id != edge.child_session_id {
                return Err(Error::NotArchived { sub_session_id, reason: "not_archived" });
            }
            match &restored {
                None => rules::eviction::refuse(&*records, &now.child_session_id)?,
                Some((eviction, summary)) => {
                    check_claim(&*records, eviction)?;
                    records.end_eviction(&eviction.session_id, summary.as_deref())?;
                }
            }
            let is_gone = |id: &Option<WorkspaceId>| gone.is_some() && *id == gone;
            forget_workspace(records, &now.child_session_id, &tenant, gone.as_ref(), updated_at)?;
            records.put_edge(&SubSession {
                status: SubSessionStatus::Idle,
                archive_ref: None,
                archived_at: None,
                workspace_id: now.workspace_id.clone().filter(|_| !is_gone(&now.workspace_id)),
                updated_at,
                ..now
            })
        })
        .await
}

/// Lets a child name no workspace that is gone.
pub(super) fn forget_workspace(
    records: &mut dyn RecordsMut,
    child: &SessionId,
    tenant: &TenantId,
    gone: Option<&WorkspaceId>,
    updated_at: Timestamp,
) -> Result<()> {
    let child = records.session(child)?.filter(|child| child.tenant_id == *tenant);
    match child.filter(|child| gone.is_some() && child.workspace_id.as_ref() == gone) {
        Some(child) => records.put_session(&Session { workspace_id: None, updated_at, ..child }),
        None => Ok(()),
    }
}

/// Puts the messages and the summary of an evicted session back from the bundle that its
/// eviction names, whatever became of its edge, which stays as it is. Nothing where it is not
/// evicted.
///
/// # Errors
/// [`Error::NotFound`], [`Error::ArchiveNotFound`] when the bundle cannot be believed, or what
/// the store and the file system refuse; the session stays evicted.
pub async fn restore_session<S: RecordStore>(
    store: &S,
    archive: &DiskArchive,
    session: &str,
    tenant: &TenantId,
) -> Result<()> {
    let store = &store.lasting();
    let Some((child, eviction)) = evicted(store, session, tenant)? else { return Ok(()) };
    let whose = (eviction.sub_session_id.as_str(), session);
    let bundle = open(store, archive, &eviction.archive_ref, whose, tenant).await?;
    let (eviction, summary) = put_back_bundle(store, &bundle, &child, eviction).await?;
    store
        .write(move |records| {
            check_claim(&*records, &eviction)?;
            records.end_eviction(&eviction.session_id, summary.as_deref())
        })
        .await
}

/// A session of the tenant's and where its messages are, if they were evicted.
///
/// # Errors
/// [`Error::NotFound`], or what the store refuses.
pub fn evicted<S: RecordStore>(
    store: &S,
    session: &str,
    tenant: &TenantId,
) -> Result<Option<(Session, Eviction)>> {
    let missing = || Error::NotFound { kind: "Session", id: session.to_owned() };
    let Ok(id) = SessionId::parse(session) else { return Err(missing()) };
    store.read(|records| {
        let child = rules::sessions::get(records, &id, tenant)?.ok_or_else(missing)?;
        Ok(records.eviction(&id)?.map(|eviction| (child, eviction)))
    })
}

/// Verifies a bundle, which must be of this edge, its child and the tenant. An edge's reference
/// is what its owner wrote there, so it may name any bundle: of another tenant's nothing is told.
///
/// One that seems unfinished may have been sealed by a transaction that is committed, so that its
/// edge reads as archived, and that its process is about to apply: a transaction of ours comes
/// after that.
async fn open(
    store: &impl RecordStore,
    archive: &DiskArchive,
    archive_ref: &str,
    (sub_session, session): (&str, &str),
    tenant: &TenantId,
) -> Result<BundleContent> {
    if archive.is_of_another(archive_ref, tenant)? {
        let archive_ref = archive_ref.to_owned();
        return Err(Error::ArchiveNotFound { archive_ref, reason: "missing" });
    }
    let bundle = match archive.open(archive_ref) {
        Err(Error::ArchiveNotFound { reason: "incomplete", .. })
            if !mutant!(UnappliedSealUnfinished) =>
        {
            store.write(|_| Ok(())).await?;
            archive.open(archive_ref)?
        }
        opened => opened?,
    };
    let identity = &bundle.identity;
    if (&*identity.sub_session_id, &*identity.session_id) != (sub_session, session) {
        return Err(bundle.corrupt());
    }
    bundle.check_messages()?;
    Ok(bundle)
}

/// Puts an evicted log back; answers the claim under which, and the summary's record.
async fn put_back_bundle<S: RecordStore>(
    store: &S,
    bundle: &BundleContent,
    child: &Session,
    eviction: Eviction,
) -> Result<(Eviction, Option<String>)> {
    let eviction = Eviction { restoration: Some(generate("").into()), ..eviction };
    put_back(store, child, &eviction, |offset| bundle.log_piece(offset)).await?;
    let summary = bundle.summary_record()?;
    Ok((eviction, summary))
}

struct Found {
    edge: SubSession,
    archive_ref: Box<str>,
    child: Option<Session>,
    eviction: Option<Eviction>,
}

fn look(store: &impl RecordStore, sub_session_id: &str, tenant: &TenantId) -> Result<Found> {
    let id = SubSessionId::parse(sub_session_id).ok();
    store.read_consistently(|records| {
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
    let keys = KeptKeys::of(eviction.keys.as_ref());
    let (mut read, mut offset) = (0, 0);
    loop {
        let piece = piece_at(read)?;
        if piece.is_empty() {
            return Ok(());
        }
        read += piece.len() as u64;
        let piece = keys.give_back(piece);
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

/// Another restoration is at it, and the edge is archived no more when it is done.
pub(super) fn taken(claim: &Eviction) -> Error {
    let sub_session_id = claim.sub_session_id.to_string();
    Error::NotArchived { sub_session_id, reason: "not_archived" }
}
