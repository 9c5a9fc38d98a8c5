//! Archives edges of a store of ours into a disk archive of ours, without the messages
//! of a long log ever being in memory as a whole.

use std::future::Future;

use super::{
    bundle::{DiskArchive, Writer},
    request::ArchiveRequest,
    rules::archivable,
    snapshot::{Snapshot, evictable},
    sweep::still_idle,
};
use crate::{
    error::{Error, Outcome, Result},
    id::{SubSessionId, TenantId},
    json::ObjectWriter,
    model::{Entity, Eviction, SubSession, SubSessionStatus},
    store::{RecordStore, RecordsMut, rules},
    timestamp::Timestamp,
};

/// Logs of about this many bytes are archived with one commit.
const BATCH_BYTES: u64 = 8 << 20;
/// How often an archiving starts over because the log was changed meanwhile.
const ATTEMPTS: usize = 16;

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
    let (store, archive) = (&store.lasting(), &archive.for_eviction(request.evict));
    let mut taken = None;
    for _ in 0..ATTEMPTS {
        let mut snapshot = Snapshot::of(store, request)?;
        let writer = match snapshot.write(store, archive, request) {
            Err(error) if is_taken(&error) => {
                taken = Some(error);
                continue;
            }
            written => written?,
        };
        taken = None;
        archive.sync([&writer])?;
        if let Some(tombstone) = commit(store, writer, request, snapshot, beside).await? {
            return Ok(tombstone);
        }
    }
    // A writer that keeps appending is not done.
    let sub_session_id = request.sub_session_id.clone();
    Err(taken.unwrap_or(Error::NotArchivable { sub_session_id, reason: "not_idle" }))
}

/// What became of each edge of [`archive_batch`].
pub type Archived = Vec<Result<Tombstone>>;

/// Archives several edges with one commit, each for itself: those at the start of
/// `requests` whose logs are about [`BATCH_BYTES`] together, at least one where there
/// is any. With `resolves`, it ends before one that has a workspace, whose request
/// would have to name it. Answers one result for each edge that had its turn.
///
/// # Errors
/// What the store refuses before anything was done.
pub async fn archive_batch<S: RecordStore>(
    store: &S,
    archive: &DiskArchive,
    requests: &[ArchiveRequest],
    resolves: bool,
) -> Result<Archived> {
    let beside = store.root().is_some_and(|root| archive.is_beside(root));
    let evict = requests.iter().any(|request| request.evict);
    let (store, archive) = (&store.admit()?.lasting(), &archive.for_eviction(evict));
    let written: Vec<_> = requests
        .iter()
        .zip(snapshots(store, requests, resolves))
        .map(|(request, snapshot)| {
            let write = |mut snapshot: Snapshot| {
                let writer = snapshot.write(store, archive, request)?;
                Ok((request, snapshot, writer))
            };
            snapshot.and_then(write).map_err(|error| (request, error))
        })
        .collect();
    archive.sync(written.iter().flatten().map(|(_, _, writer)| writer))?;
    let changes: Vec<_> = written
        .into_iter()
        .map(|written| {
            written.map(|(request, snapshot, writer)| {
                (request, commit(store, writer, request, snapshot, beside))
            })
        })
        .collect();
    let mut archived = Vec::with_capacity(changes.len());
    for change in changes {
        archived.push(match change {
            Err((request, error)) if is_taken(&error) => {
                self::archive(store, archive, request).await
            }
            Err((_, error)) => Err(error),
            Ok((request, change)) => match change.await {
                Ok(Some(tombstone)) => Ok(tombstone),
                // Something was appended meanwhile.
                Ok(None) => self::archive(store, archive, request).await,
                Err(error) => Err(error),
            },
        });
    }
    Ok(archived)
}

/// Whether a bundle could not be written because a sweep, of another process perhaps,
/// took its folder away as one that its writer left.
fn is_taken(error: &Error) -> bool {
    matches!(error, Error::StoreIo { op: "archive", code, .. } if code == "ENOENT")
}

fn snapshots(
    store: &impl RecordStore,
    requests: &[ArchiveRequest],
    resolves: bool,
) -> Vec<Result<Snapshot>> {
    let mut bytes = 0;
    let mut snapshots = Vec::new();
    for request in requests {
        let snapshot = Snapshot::of(store, request);
        if let Ok(Snapshot { edge, log_bytes, .. }) = &snapshot {
            if resolves && edge.workspace_id.is_some() {
                break;
            }
            bytes += log_bytes;
        }
        snapshots.push(snapshot);
        if bytes >= BATCH_BYTES {
            break;
        }
    }
    snapshots
}

/// Marks the edge, in one step with the bundle's marker where both are in one root;
/// `None` when what was written is no longer what there is. The change is asked for at
/// the call: several that are shared one commit.
pub(super) fn commit<S: RecordStore>(
    store: &S,
    writer: Writer,
    request: &ArchiveRequest,
    mut snapshot: Snapshot,
    beside: bool,
) -> impl Future<Output = Result<Option<Tombstone>>> + Send + use<S> {
    let archived_at = store.now();
    let marker = writer.marker(archived_at);
    let sealed = if beside { Ok(()) } else { writer.seal(&marker) };
    let archive_ref = writer.archive_ref().clone();
    let request = request.clone();
    let keys = std::mem::take(&mut snapshot.keys);
    let change = move |records: &mut dyn RecordsMut| {
        let edge = rules::sub_sessions::get(&*records, &snapshot.edge.id, &request.tenant_id)?;
        let edge = archivable(&request.sub_session_id, edge)?;
        // A sweep may have taken the bundle for one that its writer left.
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
            if request.evict {
                evictable(&*records, &child.id, &request)?;
            }
            if let Some(since) = request.idle_since {
                still_idle(&*records, &edge, &request.tenant_id, since)?;
            }
            if !snapshot.holds(&*records, child, request.evict)? {
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
            same_root: beside,
            restoration: None,
            keys: keys.to_json(),
            messages: None, // its marker says what belongs to the bundle
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
    };
    let changed = sealed.map(|()| store.write(change));
    async move {
        match changed?.await {
            Ok(Some(tombstone)) => {
                writer.keep();
                Ok(Some(tombstone))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                // Where the change may have been made all the same, its bundle stays.
                if matches!(&error, Error::StoreIo { outcome, .. } if *outcome != Outcome::NotDone)
                {
                    writer.keep();
                }
                Err(error)
            }
        }
    }
}

/// Removes the bundles of an archive that their writers did not finish and no longer hold;
/// answers how many. Only those beside a store's records, where no other store's sweep is
/// responsible for them.
///
/// # Errors
/// What the store and the file system refuse.
pub async fn remove_unsealed<S: RecordStore>(store: &S, archive: &DiskArchive) -> Result<usize> {
    if !store.root().is_some_and(|root| archive.is_beside(root)) {
        return Ok(0);
    }
    let mut claims = Vec::new();
    for archive_ref in store.read(|records| records.unsealed_bundles())? {
        let claim = archive
            .claim(&archive_ref)
            .map_err(|error| Error::io("remove", &format!("archive/{archive_ref}"), &error))?;
        claims.extend(claim.map(|claim| (archive_ref, claim)));
    }
    if claims.is_empty() {
        return Ok(0);
    }
    let removed = store.lasting().write(move |records| {
        let unsealed = records.unsealed_bundles()?;
        claims.retain(|(archive_ref, _)| unsealed.contains(archive_ref));
        for (archive_ref, _) in &claims {
            records.remove_bundle(archive_ref)?;
        }
        Ok(claims) // held until the folders are gone
    });
    Ok(removed.await?.len())
}
