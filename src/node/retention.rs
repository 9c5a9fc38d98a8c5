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
    json::{Fields, Invalid, Json, ObjectWriter, Word as _, string},
    model::{Entity as _, RetentionPolicy, SubSessionStatus},
    retention::{
        self, ArchiveRequest, DiskArchive, EdgeAge, Identity, check_archivable, check_restorable,
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
}

/// How the edges of a batch are archived.
#[napi(object)]
pub struct HowToArchiveBatch {
    /// Whether the children's messages are to be in the archive only.
    pub evict: bool,
    /// Whether the batch ends before an edge that has a workspace.
    pub resolves: bool,
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
    let request = ArchiveRequest { sub_session_id, tenant_id, workspace, evict };
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
    let request = |sub_session_id| ArchiveRequest {
        sub_session_id,
        tenant_id: tenant_id.clone(),
        workspace: None,
        evict: how.evict,
    };
    let requests: Vec<_> = ids.into_iter().map(request).collect();
    let archived = retention::archive_batch(&store, &bundles, &requests, how.resolves).await?;
    let texts = archived.iter().map(|one| match one {
        Ok(tombstone) => tombstone.to_json(),
        Err(error) => marked(error),
    });
    Ok(Text(format!("[{}]", texts.collect::<Vec<_>>().join(","))))
}

fn marked(error: &Error) -> String {
    let mut json = ObjectWriter::new();
    json.string("namzuError", error.name()).string("message", &error.to_string());
    json.optional_string("details", error.details().as_deref());
    json.finish()
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
    let edges = due.edges.iter().map(|edge| {
        let mut json = ObjectWriter::new();
        json.string("id", edge.id.as_str());
        json.string("childSessionId", edge.child_session_id.as_str());
        json.optional_string("summaryRef", edge.summary_ref.as_ref().map(|id| id.as_str()));
        json.finish()
    });
    let edges = format!("[{}]", edges.collect::<Vec<_>>().join(","));
    let mut json = ObjectWriter::new();
    json.raw("edges", &edges).number("kept", due.kept as u64);
    Ok(Text(json.finish()))
}

async fn restore(
    store: impl RecordStore,
    bundles: DiskArchive,
    sub_session_id: String,
    tenant_id: String,
) -> Result<()> {
    retention::restore(&store, &bundles, &sub_session_id, &tenant(&tenant_id)?).await
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
            pub fn restore<'env>(
                &self,
                env: &'env Env,
                bundles: NativeArchive,
                sub_session_id: String,
                tenant_id: String,
                now: f64,
            ) -> Promise<'env, ()> {
                let store = self.shared().at(clock(now));
                run(env, restore(store, bundles.into(), sub_session_id, tenant_id))
            }

            #[napi(catch_unwind)]
            pub fn log_mark<'env>(
                &self,
                env: &'env Env,
                session_id: String,
                tenant_id: String,
            ) -> Promise<'env, f64> {
                let store = self.shared();
                run(env, async move {
                    let mark = retention::log_mark(&store, &session_id, &tenant(&tenant_id)?)?;
                    #[expect(clippy::cast_precision_loss, reason = "no log has 2^53 bytes")]
                    Ok(mark as f64)
                })
            }

            #[napi(catch_unwind)]
            pub fn evict<'env>(
                &self,
                env: &'env Env,
                sub_session_id: String,
                archive_ref: String,
                mark: f64,
                tenant_id: String,
            ) -> Promise<'env, bool> {
                let store = self.shared();
                run(env, async move {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "it is what log_mark answered"
                    )]
                    let mark = mark as u64;
                    let tenant = tenant(&tenant_id)?;
                    retention::evict(&store, &sub_session_id, &archive_ref, mark, &tenant).await
                })
            }

            #[napi(catch_unwind)]
            pub fn readmit<'env>(
                &self,
                env: &'env Env,
                sub_session_id: String,
                archive_ref: String,
                lines: Vec<String>,
                summary: Option<String>,
                tenant_id: String,
            ) -> Promise<'env, bool> {
                let store = self.shared();
                run(env, async move {
                    let (summary, tenant) = (summary.as_deref(), tenant(&tenant_id)?);
                    let id = &sub_session_id;
                    retention::readmit(&store, id, &archive_ref, lines, summary, &tenant).await
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
    // A status that nobody knows is none in which an edge is finished.
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
    let due = retention::due(edges, &policy, now);
    let mut json = ObjectWriter::new();
    json.strings("ids", &due.ids).number("kept", due.kept as u64);
    Ok(Text(json.finish()))
}
