//! Retention as JavaScript sees it.

use std::path::PathBuf;

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Out, Promise, Text, run},
    calls::{clock, payload, tenant, text},
    disk_store::NativeDiskStore,
    memory_store::NativeMemoryStore,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId},
    json::{Fields, Invalid, Json, ObjectWriter, Word as _, string},
    model::{Entity, RetentionPolicy, SubSession, SubSessionStatus},
    retention::{
        self, Activity, ArchiveRequest, DiskArchive, EdgeAge, Identity, Mark, Restoration,
        Returned, check_archivable, check_restorable,
    },
    store::RecordStore,
    timestamp::Timestamp,
};

/// Where the bundles of a disk archive are.
#[napi(object)]
pub struct NativeArchive {
    /// The root directory.
    pub root_dir: String,
    /// Whether a bundle must be on the disk before it is complete.
    pub durable: bool,
}

/// How an edge is archived.
#[napi(object)]
pub struct HowToArchive {
    /// The edge's workspace, as JSON.
    pub workspace: Option<String>,
    /// Whether the child's messages are to be in the archive only.
    pub evict: bool,
    /// Since when all must be unchanged, in milliseconds.
    pub idle_since: Option<f64>,
}

/// How the edges of a batch are archived.
#[napi(object)]
pub struct HowToArchiveBatch {
    /// Whether the children's messages are to be in the archive only.
    pub evict: bool,
    /// Whether the batch ends before an edge that has a workspace.
    pub resolves: bool,
    /// Since when each of them must be unchanged, in milliseconds.
    pub idle_since: Vec<f64>,
}

/// How an edge is marked as archived.
#[napi(object)]
pub struct HowToMark {
    /// How it and its child stood.
    pub mark: String,
    /// Whether the child's messages are to be in the archive only.
    pub evict: bool,
    /// Since when all must be unchanged, in milliseconds.
    pub idle_since: Option<f64>,
}

/// How an edge is marked as restored.
#[napi(object)]
pub struct HowToRestore {
    /// The bundle that it must be archived in.
    pub archive_ref: String,
    /// Its record as it was read.
    pub kept: String,
    /// What ends its child's eviction, where it was evicted.
    pub claim: Option<String>,
    /// A workspace that is gone: the child names it no more.
    pub gone_workspace: Option<String>,
}

impl From<NativeArchive> for DiskArchive {
    fn from(archive: NativeArchive) -> Self {
        Self::new(archive.root_dir, archive.durable)
    }
}

/// What `work` answers; its error names the place of the bundles.
fn with_bundles<T>(
    bundles: NativeArchive,
    work: impl FnOnce(DiskArchive) -> Result<T>,
) -> Result<T> {
    let root = PathBuf::from(&bundles.root_dir);
    work(bundles.into()).map_err(|error| error.at(&root))
}

async fn archive(
    store: impl RecordStore,
    bundles: DiskArchive,
    sub_session_id: String,
    tenant_id: String,
    how: HowToArchive,
) -> Result<Text> {
    let evict = how.evict;
    let workspace = how.workspace.as_deref().map(Json::parse).transpose();
    let workspace = workspace
        .map_err(|reason| Error::argument("workspace", Invalid::field("", "an object", &reason)))?;
    let tenant_id = tenant(&tenant_id)?;
    let idle_since = how.idle_since.map(clock);
    let request = ArchiveRequest { sub_session_id, tenant_id, workspace, evict, idle_since };
    Ok(text(&retention::archive(&store, &bundles, &request).await?))
}

/// Answers the text of an array: of each edge that had its turn its tombstone, or its
/// error as the facade takes it.
async fn archive_batch(
    store: impl RecordStore,
    bundles: DiskArchive,
    ids: Vec<String>,
    tenant_id: String,
    how: HowToArchiveBatch,
) -> Result<Text> {
    let tenant_id = tenant(&tenant_id)?;
    let request = |(sub_session_id, since)| ArchiveRequest {
        sub_session_id,
        tenant_id: tenant_id.clone(),
        workspace: None,
        evict: how.evict,
        idle_since: Some(clock(since)),
    };
    let requests: Vec<_> = ids.into_iter().zip(how.idle_since).map(request).collect();
    let archived = retention::archive_batch(&store, &bundles, &requests, how.resolves).await?;
    let texts = archived.iter().map(|one| match one {
        Ok(tombstone) => tombstone.to_json(),
        Err(error) => error.marked(),
    });
    Ok(Text(format!("[{}]", texts.collect::<Vec<_>>().join(","))))
}

fn due_of(
    store: &impl RecordStore,
    project_id: &str,
    tenant_id: &str,
    policy: &str,
    now: f64,
) -> Result<Text> {
    let policy = payload("policy", RetentionPolicy::from_payload(policy))?;
    let due = retention::due_edges(store, project_id, &tenant(tenant_id)?, &policy, clock(now))?;
    let edges = due.edges.iter().map(|(edge, since)| {
        let mut json = ObjectWriter::new();
        json.string("id", edge.id.as_str());
        json.string("childSessionId", edge.child_session_id.as_str());
        json.optional_string("summaryRef", edge.summary_ref.as_ref().map(|id| id.as_str()));
        json.raw("idleSince", &since.as_millis().to_string());
        json.finish()
    });
    let edges = format!("[{}]", edges.collect::<Vec<_>>().join(","));
    let mut json = ObjectWriter::new();
    json.raw("edges", &edges).number("kept", due.kept as u64);
    let damaged: Vec<_> = due.damaged.iter().map(Entity::to_json).collect();
    json.raw("damaged", &format!("[{}]", damaged.join(",")));
    Ok(Text(json.finish()))
}

/// When a session was last changed, in milliseconds; -1 while it is in use, `None` where that
/// does not count.
fn activity_of(store: &impl RecordStore, id: &str, tenant: &TenantId) -> Result<Option<f64>> {
    let Ok(id) = SessionId::parse(id) else { return Ok(None) };
    Ok(match store.read(|records| retention::activity(records, &id, tenant))? {
        Activity::InUse => Some(-1.0),
        #[expect(clippy::cast_precision_loss, reason = "a Date is exact")]
        Activity::At(at) => Some(at.as_millis() as f64),
        Activity::Unknown => None,
    })
}

async fn restore(
    store: impl RecordStore,
    bundles: DiskArchive,
    sub_session_id: String,
    tenant_id: String,
    gone_workspace: Option<String>,
) -> Result<()> {
    let (tenant, gone) = (tenant(&tenant_id)?, gone_workspace.as_deref());
    retention::restore(&store, &bundles, &sub_session_id, &tenant, gone).await
}

macro_rules! retention_methods {
    ($($store:ident),+) => {$(
        #[napi]
        #[expect(missing_docs, reason = "each is the function of that name")]
        impl $store {
            #[napi(catch_unwind)]
            pub fn archive<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
                sub_session_id: String,
                tenant_id: String,
                how: HowToArchive,
                now: f64,
            ) -> Promise<'env, Text> {
                let store = self.shared().at(clock(now));
                run(env, archive(store, bundles.into(), sub_session_id, tenant_id, how))
            }

            #[napi(catch_unwind)]
            pub fn archive_batch<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
                sub_session_ids: Vec<String>,
                tenant_id: String,
                how: HowToArchiveBatch,
                now: f64,
            ) -> Promise<'env, Text> {
                let store = self.shared().at(clock(now));
                let bundles = bundles.into();
                run(env, archive_batch(store, bundles, sub_session_ids, tenant_id, how))
            }

            #[napi(catch_unwind)]
            pub fn due_of<'env>(
                &self,
                env: &'env Env,
                project_id: String,
                tenant_id: String,
                policy: String,
                now: f64,
            ) -> Promise<'env, Text> {
                let store = self.shared();
                run(env, async move { due_of(&store, &project_id, &tenant_id, &policy, now) })
            }

            #[napi(catch_unwind)]
            pub fn activity_of<'env>(
                &self,
                env: &'env Env,
                session_id: String,
                tenant_id: String,
            ) -> Promise<'env, Option<f64>> {
                let store = self.shared();
                run(env, async move { activity_of(&store, &session_id, &tenant(&tenant_id)?) })
            }

            #[napi(catch_unwind)]
            pub fn restore<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
                sub_session_id: String,
                tenant_id: String,
                gone_workspace: Option<String>,
                now: f64,
            ) -> Promise<'env, ()> {
                let store = self.shared().at(clock(now));
                let bundles = bundles.into();
                run(env, restore(store, bundles, sub_session_id, tenant_id, gone_workspace))
            }

            #[napi(catch_unwind)]
            pub fn restore_session<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
                session_id: String,
                tenant_id: String,
                now: f64,
            ) -> Promise<'env, ()> {
                let store = self.shared().at(clock(now));
                run(env, async move {
                    let tenant = tenant(&tenant_id)?;
                    retention::restore_session(&store, &bundles.into(), &session_id, &tenant).await
                })
            }

            #[napi(catch_unwind)]
            pub fn archival_mark<'env>(
                &self,
                env: &'env Env,
                sub_session_id: String,
                tenant_id: String,
            ) -> Promise<'env, Option<Text>> {
                let store = self.shared();
                run(env, async move {
                    let mark = retention::mark(&store, &sub_session_id, &tenant(&tenant_id)?)?;
                    Ok(mark.map(|mark| Text(mark.to_string())))
                })
            }

            #[napi(catch_unwind)]
            pub fn archival_mark_holds<'env>(
                &self,
                env: &'env Env,
                sub_session_id: String,
                mark: String,
                evict: bool,
                tenant_id: String,
            ) -> Promise<'env, bool> {
                let store = self.shared();
                run(env, async move {
                    let (mark, tenant) = (self::mark(&mark)?, tenant(&tenant_id)?);
                    retention::holds(&store, &sub_session_id, &mark, evict, &tenant)
                })
            }

            #[napi(catch_unwind)]
            pub fn mark_archived<'env>(
                &self,
                env: &'env Env,
                sub: String,
                how: HowToMark,
                tenant_id: String,
                now: f64,
            ) -> Promise<'env, bool> {
                let store = self.shared().at(clock(now));
                run(env, async move {
                    let tenant = tenant(&tenant_id)?;
                    let edge = edge(&sub, &tenant)?;
                    let (mark, since) = (self::mark(&how.mark)?, how.idle_since.map(clock));
                    retention::mark_archived(&store, edge, mark, how.evict, since, &tenant).await
                })
            }

            #[napi(catch_unwind)]
            pub fn evicted_into<'env>(
                &self,
                env: &'env Env,
                session_id: String,
                tenant_id: String,
            ) -> Promise<'env, Option<Text>> {
                let store = self.shared();
                run(env, async move {
                    let found = retention::evicted(&store, &session_id, &tenant(&tenant_id)?)?;
                    Ok(found.map(|(_, eviction)| {
                        let mut json = ObjectWriter::new();
                        json.string("archiveRef", &eviction.archive_ref);
                        json.string("subSessionId", eviction.sub_session_id.as_str());
                        Text(json.finish())
                    }))
                })
            }

            #[napi(catch_unwind)]
            pub fn put_back<'env>(
                &self,
                env: &'env Env,
                session_id: String,
                archive_ref: String,
                lines: Vec<String>,
                summary: Option<String>,
                tenant_id: String,
            ) -> Promise<'env, Option<Text>> {
                let store = self.shared();
                run(env, async move {
                    let (tenant, id) = (tenant(&tenant_id)?, &session_id);
                    let returned = Returned { archive_ref, lines, summary };
                    let put = retention::put_back_returned(&store, id, returned, &tenant).await?;
                    Ok(put.map(|restoration| Text(restoration.to_text())))
                })
            }

            #[napi(catch_unwind)]
            pub fn mark_restored<'env>(
                &self,
                env: &'env Env,
                sub: String,
                how: HowToRestore,
                tenant_id: String,
                now: f64,
            ) -> Promise<'env, bool> {
                let store = self.shared().at(clock(now));
                run(env, async move {
                    let tenant = tenant(&tenant_id)?;
                    let edge = edge(&sub, &tenant)?;
                    let HowToRestore { archive_ref, kept, claim, gone_workspace: gone } = how;
                    let claim = claim.as_deref().map(restoration).transpose()?;
                    let store = &store;
                    retention::mark_restored(store, edge, archive_ref, kept, claim, gone, &tenant)
                        .await
                })
            }

            #[napi(catch_unwind)]
            pub fn end_eviction<'env>(
                &self,
                env: &'env Env,
                restoration: String,
            ) -> Promise<'env, ()> {
                let store = self.shared();
                run(env, async move {
                    retention::end_eviction(&store, self::restoration(&restoration)?).await
                })
            }

            #[napi(catch_unwind)]
            pub fn remove_unsealed<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
            ) -> Promise<'env, f64> {
                let store = self.shared();
                run(env, async move {
                    let removed = retention::remove_unsealed(&store, &bundles.into()).await?;
                    #[expect(clippy::cast_precision_loss, reason = "no folder has 2^53 entries")]
                    Ok(removed as f64)
                })
            }
        }
    )+};
}
retention_methods!(NativeDiskStore, NativeMemoryStore);

fn edge(text: &str, tenant: &TenantId) -> Result<SubSession> {
    payload("sub", SubSession::from_payload(text, tenant.clone()))
}

fn mark(text: &str) -> Result<Mark> {
    Mark::from_text(text).ok_or_else(|| unreadable("mark"))
}

fn restoration(text: &str) -> Result<Restoration> {
    Restoration::from_text(text).ok_or_else(|| unreadable("restoration"))
}

/// Something that the core wrote and the facade only carried.
fn unreadable(argument: &str) -> Error {
    Error::argument(argument, Invalid::field("", "what the core answered", "another text"))
}

/// Writes a bundle; answers `{ archiveRef, archivedAt }`.
#[napi(catch_unwind)]
pub fn store_bundle(
    env: &Env,
    bundles: NativeArchive,
    identity: String,
    lines: Vec<String>,
    now: f64,
) -> Promise<'_, Text> {
    run(env, async move {
        let identity = payload("input", Identity::from_payload(&identity))?;
        let at = clock(now);
        let archive_ref = with_bundles(bundles, |bundles| bundles.store(&identity, lines, at))?;
        let mut json = ObjectWriter::new();
        json.string("archiveRef", archive_ref.as_str()).string("archivedAt", &at.to_string());
        Ok(Text(json.finish()))
    })
}

/// Reads a bundle: an `ArchiveInput` without its messages, then texts of arrays of them.
#[napi(catch_unwind)]
pub fn read_bundle(
    env: &Env,
    bundles: NativeArchive,
    archive_ref: String,
) -> Promise<'_, Vec<Text>> {
    run(env, async move {
        with_bundles(bundles, |bundles| {
            let bundle = bundles.open(&archive_ref)?;
            let mut texts = vec![Text(bundle.identity.to_payload())];
            texts.extend(bundle.messages()?.into_iter().map(Text));
            Ok(texts)
        })
    })
}

/// How every bundle stands: `[{ archiveRef, state }]`.
#[napi(catch_unwind)]
pub fn verify_bundles(env: &Env, bundles: NativeArchive) -> Promise<'_, Text> {
    run(env, async move {
        let states = with_bundles(bundles, |bundles| bundles.verify())?.into_iter().map(|bundle| {
            let mut json = ObjectWriter::new();
            json.string("archiveRef", bundle.archive_ref.as_str()).string("state", bundle.state);
            json.finish()
        });
        Ok(Text(format!("[{}]", states.collect::<Vec<_>>().join(","))))
    })
}

/// Removes a bundle.
#[napi(catch_unwind)]
pub fn remove_bundle(env: &Env, bundles: NativeArchive, archive_ref: String) -> Promise<'_, ()> {
    run(env, async move { with_bundles(bundles, |bundles| bundles.remove(&archive_ref)) })
}

fn status(word: Option<String>) -> Option<SubSessionStatus> {
    // An unknown status is none in which an edge is finished.
    word.map(|word| SubSessionStatus::from_word(&word).unwrap_or(SubSessionStatus::Active))
}

/// Throws for an edge of this status that cannot be archived; `null` is a missing one.
#[napi(catch_unwind)]
pub fn assert_archivable(id: String, status_word: Option<String>) -> Out<()> {
    Out(check_archivable(&id, status(status_word)))
}

/// Throws for an edge of this status that cannot be restored; answers its bundle.
#[napi(catch_unwind)]
pub fn assert_restorable(
    id: String,
    status_word: Option<String>,
    archive_ref: Option<String>,
) -> Out<Text> {
    let archive_ref = archive_ref.as_deref().filter(|text| !text.is_empty());
    Out(check_restorable(&id, status(status_word), archive_ref).map(|text| Text(text.into())))
}

/// What a policy wants archived: `edges` is `[{ id, status, updatedAt }]`; answers
/// `{ ids, kept }`.
#[napi(catch_unwind)]
pub fn due_edges(edges: String, policy: String, now: f64) -> Out<Text> {
    Out(due(&edges, &policy, now))
}

fn due(edges: &str, policy: &str, now: f64) -> Result<Text> {
    let policy = payload("policy", RetentionPolicy::from_payload(policy))?;
    let list = format!("{{\"edges\":{edges}}}");
    let edge = |raw: &serde_json::value::RawValue| {
        let fields = Fields::of_payload(raw.get())?;
        Ok(EdgeAge {
            id: fields.decoded("id", "a string", string)?.into_owned(),
            status: status(Some(fields.decoded("status", "a string", string)?.into_owned()))
                .unwrap_or(SubSessionStatus::Active),
            updated_at: fields.date("updatedAt")?,
        })
    };
    let edges = Fields::of_payload(&list).and_then(|fields| fields.list("edges", edge));
    let edges = payload("edges", edges)?;
    #[expect(clippy::cast_possible_truncation, reason = "the time of a Date is a whole number")]
    let now = Timestamp::from_millis(now as i64).unwrap_or_else(Timestamp::now);
    // What the children do is the facade's to ask.
    let last = |_: &str| Ok::<_, Error>(Activity::Unknown);
    let due = retention::due(edges, &policy, now, last)?;
    let mut json = ObjectWriter::new();
    let ids: Vec<_> = due.ids.into_iter().map(|(id, _)| id).collect();
    json.strings("ids", &ids).number("kept", due.kept as u64);
    Ok(Text(json.finish()))
}
