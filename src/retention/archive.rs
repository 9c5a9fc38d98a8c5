//! Archives an edge of a store of ours into a disk archive of ours, without its
//! messages ever being in memory as a whole.

use std::cell::RefCell;

use super::{
    bundle::{DiskArchive, Identity, MESSAGES, ORIGINAL_MESSAGES, ORIGINAL_SUMMARY, Writer},
    rules::archivable,
};
use crate::{
    error::{Error, Result},
    id::{SubSessionId, TenantId},
    json::{Json, ObjectWriter},
    model::{Entity, Eviction, Record as _, Session, SubSession, SubSessionStatus, Summary},
    store::{Form, RecordStore, Records, RecordsMut, Selection, Span, rules},
    timestamp::Timestamp,
};

/// How much of a log is copied in one step, in bytes.
const STEP: usize = 1 << 20;
/// How often an eviction starts over because messages were appended meanwhile.
const ATTEMPTS: usize = 16;

/// What is to be archived, and how.
#[derive(Debug, Clone)]
pub struct ArchiveRequest {
    /// The edge.
    pub sub_session_id: String,
    /// Who asks.
    pub tenant_id: TenantId,
    /// The edge's workspace, as the API has it.
    pub workspace: Option<Json>,
    /// Whether the child's messages and summary are to be in the archive only.
    pub evict: bool,
}

/// What an archived edge leaves behind.
#[derive(Debug, Clone)]
pub struct Tombstone {
    /// The edge.
    pub sub_session_id: SubSessionId,
    /// Its child.
    pub session_id: String,
    /// Who owns them.
    pub tenant_id: TenantId,
    /// The edge's own reference to a summary.
    pub summary_ref: Option<String>,
    /// The bundle.
    pub archive_ref: String,
    /// When it was made.
    pub archived_at: Timestamp,
}

impl Entity for Tombstone {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("subSessionId", self.sub_session_id.as_str());
        json.string("sessionId", &self.session_id);
        json.string("tenantId", self.tenant_id.as_str());
        json.optional_string("summaryRef", self.summary_ref.as_deref());
        json.string("archiveRef", &self.archive_ref);
        json.string("archivedAt", &self.archived_at.to_string());
        json.finish()
    }
}

/// What there is to archive, as it was read.
struct Snapshot {
    edge: SubSession,
    child: Option<Session>,
    summary: Option<Summary>,
    raw_summary: Option<Vec<u8>>,
    log_bytes: u64,
    span: Option<Span>,
}

/// Archives an edge: its bundle is complete and the edge marked, or nothing happened.
///
/// # Errors
/// [`Error::NotArchivable`], [`Error::SessionEvicted`] when the child's messages are in
/// another bundle already, or what the store and the file system refuse.
pub async fn archive<S: RecordStore>(
    store: &S,
    archive: &DiskArchive,
    request: &ArchiveRequest,
) -> Result<Tombstone> {
    let beside = store.root().is_some_and(|root| archive.is_beside(root));
    for _ in 0..ATTEMPTS {
        let snapshot = snapshot(store, request)?;
        let writer = write(store, archive, request, &snapshot)?;
        if let Some(tombstone) = commit(store, writer, request, snapshot, beside).await? {
            return Ok(tombstone);
        }
    }
    // Whoever keeps appending is not done.
    let sub_session_id = request.sub_session_id.clone();
    Err(Error::NotArchivable { sub_session_id, reason: "not_idle" })
}

fn snapshot(store: &impl RecordStore, request: &ArchiveRequest) -> Result<Snapshot> {
    let id = SubSessionId::parse(&request.sub_session_id).ok();
    store.read(|records| {
        let edge = match &id {
            Some(id) => rules::sub_sessions::get(records, id, &request.tenant_id)?,
            None => None, // what cannot exist is missing
        };
        let edge = archivable(&request.sub_session_id, edge)?;
        let child = rules::sessions::get(records, &edge.child_session_id, &request.tenant_id)?;
        let Some(child) = child else {
            return Ok(Snapshot {
                edge,
                child,
                summary: None,
                raw_summary: None,
                log_bytes: 0,
                span: None,
            });
        };
        rules::eviction::refuse(records, &child.id)?;
        Ok(Snapshot {
            summary: rules::summaries::get(records, &child.id, &request.tenant_id)?,
            raw_summary: records.raw_summary(&child.id)?,
            // Before the span: what is appended between them shows in the commit.
            log_bytes: records.log_bytes(&child)?,
            span: Some(records.span(&child, &Selection::default())?),
            child: Some(child),
            edge,
        })
    })
}

fn write(
    store: &impl RecordStore,
    archive: &DiskArchive,
    request: &ArchiveRequest,
    snapshot: &Snapshot,
) -> Result<Writer> {
    let mut writer = Writer::new(archive)?;
    let span = RefCell::new(snapshot.span.clone());
    writer.messages(|| {
        let (Some(child), Some(span)) = (&snapshot.child, &mut *span.borrow_mut()) else {
            return Ok(None);
        };
        let span = RefCell::new(span);
        let lines = store
            .read(|records| records.next_chunk(child, &mut span.borrow_mut(), Form::Line, STEP))?;
        Ok(lines.map(String::into_bytes))
    })?;
    if request.evict
        && let Some(child) = &snapshot.child
    {
        write_originals(store, &mut writer, child, snapshot)?;
    }
    writer.identity(&Identity {
        sub_session_id: request.sub_session_id.clone(),
        session_id: snapshot.edge.child_session_id.to_string(),
        tenant_id: request.tenant_id.as_str().to_owned(),
        summary: snapshot.summary.as_ref().and_then(|summary| Json::parse(&summary.to_json()).ok()),
        workspace: request.workspace.clone(),
    })?;
    Ok(writer)
}

/// Copies the log and the summary to the byte, where the bundle does not have them so.
fn write_originals(
    store: &impl RecordStore,
    writer: &mut Writer,
    child: &Session,
    snapshot: &Snapshot,
) -> Result<()> {
    let piece = |offset: u64| {
        let left = usize::try_from(snapshot.log_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        store.read(|records| records.raw_log(child, offset, left.min(STEP)))
    };
    let pieces = || {
        let mut offset = 0;
        move || {
            let bytes = if offset < snapshot.log_bytes { piece(offset)? } else { Vec::new() };
            offset += bytes.len() as u64;
            Ok::<_, Error>((!bytes.is_empty()).then_some(bytes))
        }
    };
    if !writer.is_same(MESSAGES, pieces())? {
        writer.stream(ORIGINAL_MESSAGES, pieces())?;
    }
    if let (Some(raw), Some(summary)) = (&snapshot.raw_summary, &snapshot.summary) {
        let rewritten =
            Summary::from_payload(&summary.to_json()).map(|summary| summary.to_record());
        if rewritten.map_or(true, |text| text.as_bytes() != raw.as_slice()) {
            writer.file(ORIGINAL_SUMMARY, raw)?;
        }
    }
    Ok(())
}

/// Marks the edge, in one step with the bundle's marker where both are in one root;
/// `None` when what was written is no longer what there is.
async fn commit<S: RecordStore>(
    store: &S,
    writer: Writer,
    request: &ArchiveRequest,
    snapshot: Snapshot,
    beside: bool,
) -> Result<Option<Tombstone>> {
    let archived_at = store.now();
    let marker = writer.marker(archived_at)?;
    if !beside {
        writer.seal(&marker)?;
    }
    let archive_ref = writer.archive_ref().clone();
    let change = {
        let request = request.clone();
        let archive_ref = archive_ref.clone();
        move |records: &mut dyn RecordsMut| {
            let edge = rules::sub_sessions::get(&*records, &snapshot.edge.id, &request.tenant_id)?;
            let edge = archivable(&request.sub_session_id, edge)?;
            // A sweep may have taken the bundle for one that nobody finishes.
            if beside && !records.bundle_waits(&archive_ref)? {
                return Ok(None);
            }
            if edge.child_session_id != snapshot.edge.child_session_id {
                return Ok(None);
            }
            let tombstone = Tombstone {
                sub_session_id: edge.id.clone(),
                session_id: edge.child_session_id.to_string(),
                tenant_id: request.tenant_id.clone(),
                summary_ref: edge.summary_ref.as_ref().map(|id| id.as_str().to_owned()),
                archive_ref: archive_ref.to_string(),
                archived_at,
            };
            if let Some(child) = &snapshot.child {
                rules::eviction::refuse(&*records, &child.id)?;
                if request.evict && !is_still(&*records, child, &snapshot)? {
                    return Ok(None);
                }
            }
            if beside {
                records.seal_bundle(&archive_ref, &marker)?;
            }
            let eviction = Eviction {
                session_id: edge.child_session_id.clone(),
                sub_session_id: edge.id.clone(),
                archive_ref: archive_ref.as_str().into(),
                evicted_at: archived_at,
                restoration: None,
            };
            records.put_edge(&SubSession {
                status: SubSessionStatus::Archived,
                archive_ref: Some(archive_ref.as_str().into()),
                archived_at: Some(archived_at),
                updated_at: archived_at,
                ..edge
            })?;
            if request.evict && snapshot.child.is_some() {
                records.evict(&eviction)?;
            }
            Ok(Some(tombstone))
        }
    };
    match store.write(change).await {
        Ok(Some(tombstone)) => {
            writer.keep();
            Ok(Some(tombstone))
        }
        Ok(None) => Ok(None),
        Err(error) => {
            // Where the change may have been made all the same, its bundle stays.
            if matches!(&error, Error::StoreIo { outcome, .. } if *outcome != crate::error::Outcome::NotDone)
            {
                writer.keep();
            }
            Err(error)
        }
    }
}

/// Whether the child's messages and summary are still those that were written.
fn is_still(
    records: &(impl Records + ?Sized),
    child: &Session,
    snapshot: &Snapshot,
) -> Result<bool> {
    Ok(records.log_bytes(child)? == snapshot.log_bytes
        && records.raw_summary(&child.id)? == snapshot.raw_summary)
}

/// Removes the bundles of an archive that were never finished; answers how many.
/// Only those beside a store's records: there it is certain that nobody will.
///
/// # Errors
/// What the store and the file system refuse.
pub async fn remove_unsealed<S: RecordStore>(store: &S, archive: &DiskArchive) -> Result<usize> {
    if !store.root().is_some_and(|root| archive.is_beside(root)) {
        return Ok(0);
    }
    if store.read(|records| records.unsealed_bundles())?.is_empty() {
        return Ok(0);
    }
    store
        .write(|records| {
            let unsealed = records.unsealed_bundles()?;
            for archive_ref in &unsealed {
                records.remove_bundle(archive_ref)?;
            }
            Ok(unsealed.len())
        })
        .await
}
