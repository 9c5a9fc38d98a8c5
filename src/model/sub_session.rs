//! A sub-session: the edge from a session to one that was spawned from it.

use super::{
    ActorRef, Dates, DeliverableRef, Entity, Record, UnknownKeys, actor, in_words, session,
};
use crate::{
    id::{SessionId, SubSessionId, SummaryId, TenantId, WorkspaceId},
    json::{
        Fields, Invalid, Json, NON_EMPTY, ObjectWriter, Word, date, indented, non_empty_string,
        string, string_literal, words,
    },
    timestamp::Timestamp,
};

words! {
    /// What became of a sub-session.
    SubSessionStatus {
        Pending = "pending",
        Active = "active",
        Idle = "idle",
        Failed = "failed",
        AwaitingMerge = "awaiting_merge",
        PendingMerge = "pending_merge",
        Merging = "merging",
        Merged = "merged",
        MergeConflict = "merge_conflict",
        MergeRejected = "merge_rejected",
        Archived = "archived",
    }
}

words! {
    /// Why a sub-session was spawned.
    SubSessionKind {
        AgentSpawn = "agent_spawn",
        UserHandoff = "user_handoff",
        Intervention = "intervention",
    }
}

words! {
    /// What a child's failure means for its parent.
    FailureMode {
        FailFast = "fail_fast",
        Delegate = "delegate",
    }
}

words! {
    /// How a child's result reaches its parent.
    CompletionMode {
        SummaryRef = "summary_ref",
        MergeBack = "merge_back",
    }
}

/// An edge between two sessions.
#[derive(Debug, Clone)]
pub struct SubSession {
    /// The edge's id.
    pub id: SubSessionId,
    /// The session that spawned.
    pub parent_session_id: SessionId,
    /// The session that was spawned.
    pub child_session_id: SessionId,
    /// Who owns the edge; in its record, not in the API's value.
    pub tenant_id: TenantId,
    /// Why it was spawned.
    pub kind: SubSessionKind,
    /// What became of it.
    pub status: SubSessionStatus,
    /// Who spawned it.
    pub spawned_by: ActorRef,
    /// When it was spawned.
    pub spawned_at: Timestamp,
    /// What its failure means for its parent.
    pub failure_mode: FailureMode,
    /// How its result reaches its parent.
    pub completion_mode: CompletionMode,
    /// The workspace it works in, if any.
    pub workspace_id: Option<WorkspaceId>,
    /// The deliverable that it continues from.
    pub prev_artifact_ref: Option<DeliverableRef>,
    /// The broadcast it is part of, a string literal kept verbatim.
    pub broadcast_group_id: Option<Json>,
    /// The child's summary.
    pub summary_ref: Option<SummaryId>,
    /// The bundle it is archived in, an opaque string.
    pub archive_ref: Option<Box<str>>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Keys of its record that are not ours.
    pub unknown: UnknownKeys,
}

/// What a new edge needs.
#[derive(Debug, Clone)]
pub struct NewSubSession {
    /// The session that spawns.
    pub parent_session_id: SessionId,
    /// The session that is spawned.
    pub child_session_id: SessionId,
    /// Why.
    pub kind: SubSessionKind,
    /// Who spawns.
    pub spawned_by: ActorRef,
    /// Default `delegate`.
    pub failure_mode: FailureMode,
    /// Default `summary_ref`.
    pub completion_mode: CompletionMode,
}

impl NewSubSession {
    /// Reads the parameters of `createSubSession`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        Ok(Self {
            parent_session_id: fields.path_id("parentSessionId", SessionId::parse)?,
            child_session_id: fields.path_id("childSessionId", SessionId::parse)?,
            kind: fields.word("kind")?,
            spawned_by: actor::required(&fields, "spawnedBy")?,
            failure_mode: optional_word(&fields, "failureMode", FailureMode::Delegate)?,
            completion_mode: optional_word(&fields, "completionMode", CompletionMode::SummaryRef)?,
        })
    }
}

fn optional_word<W: Word>(fields: &Fields<'_>, key: &str, default: W) -> Result<W, Invalid> {
    match fields.get(key) {
        Some(raw) if raw.get() != "null" => fields.word(key),
        _ => Ok(default),
    }
}

const KEYS: &[&str] = &[
    "id",
    "parentSessionId",
    "childSessionId",
    "tenantId",
    "kind",
    "status",
    "spawnedBy",
    "spawnedAt",
    "failureMode",
    "completionMode",
    "workspaceId",
    "prevArtifactRef",
    "broadcastGroupId",
    "summaryRef",
    "archiveRef",
    "archivedAt",
    "updatedAt",
];

impl SubSession {
    /// A new edge: pending, without a workspace.
    #[must_use]
    pub fn new(id: SubSessionId, tenant_id: TenantId, new: NewSubSession, now: Timestamp) -> Self {
        Self {
            id,
            parent_session_id: new.parent_session_id,
            child_session_id: new.child_session_id,
            tenant_id,
            kind: new.kind,
            status: SubSessionStatus::Pending,
            spawned_by: new.spawned_by,
            spawned_at: now,
            failure_mode: new.failure_mode,
            completion_mode: new.completion_mode,
            workspace_id: None,
            prev_artifact_ref: None,
            broadcast_group_id: None,
            summary_ref: None,
            archive_ref: None,
            archived_at: None,
            updated_at: now,
            unknown: UnknownKeys::default(),
        }
    }

    /// Reads a whole edge as an application passes it to an update; the value has no
    /// tenant of its own, so `tenant` is taken.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str, tenant: TenantId) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        // A record of another program may hold an empty one, and stays readable.
        fields.optional("broadcastGroupId", NON_EMPTY, |raw| {
            string_literal(raw).filter(|group| group.as_str() != r#""""#)
        })?;
        Self::decode(&fields, tenant)
    }

    /// The order of siblings, and of several edges that name one child: when they
    /// were spawned, then the id.
    #[must_use]
    pub fn sibling_key(&self) -> (Timestamp, &str) {
        (self.spawned_at, self.id.as_str())
    }

    fn decode(fields: &Fields<'_>, tenant_id: TenantId) -> Result<Self, Invalid> {
        let prev_artifact_ref = match fields.get("prevArtifactRef") {
            Some(raw) if raw.get() != "null" => Some(
                DeliverableRef::parse(raw).map_err(|invalid| invalid.below("prevArtifactRef"))?,
            ),
            _ => None,
        };
        Ok(Self {
            id: fields.path_id("id", SubSessionId::parse)?,
            parent_session_id: fields.path_id("parentSessionId", SessionId::parse)?,
            child_session_id: fields.path_id("childSessionId", SessionId::parse)?,
            tenant_id,
            kind: fields.word("kind")?,
            status: fields.word("status")?,
            spawned_by: actor::required(fields, "spawnedBy")?,
            spawned_at: fields.date("spawnedAt")?,
            failure_mode: fields.word("failureMode")?,
            completion_mode: fields.word("completionMode")?,
            workspace_id: session::workspace_id(fields)?,
            prev_artifact_ref,
            broadcast_group_id: fields.optional("broadcastGroupId", "a string", string_literal)?,
            summary_ref: fields
                .optional("summaryRef", NON_EMPTY, |raw| SummaryId::new(&string(raw)?))?,
            archive_ref: fields
                .optional("archiveRef", NON_EMPTY, |raw| non_empty_string(raw).map(Into::into))?,
            archived_at: fields.optional("archivedAt", Timestamp::EXPECTED, date)?,
            updated_at: fields.date("updatedAt")?,
            unknown: UnknownKeys::default(),
        })
    }

    fn write(&self, with_tenant: bool, dates: Dates) -> ObjectWriter {
        let mut json = ObjectWriter::with_capacity(512);
        json.string("id", self.id.as_str());
        json.string("parentSessionId", self.parent_session_id.as_str());
        json.string("childSessionId", self.child_session_id.as_str());
        json.optional_string("tenantId", with_tenant.then_some(self.tenant_id.as_str()));
        json.string("kind", self.kind.word());
        json.string("status", self.status.word());
        json.raw("spawnedBy", self.spawned_by.json().as_str());
        dates.write(&mut json, "spawnedAt", self.spawned_at);
        json.string("failureMode", self.failure_mode.word());
        json.string("completionMode", self.completion_mode.word());
        json.string_or_null("workspaceId", self.workspace_id.as_ref().map(WorkspaceId::as_str));
        if let Some(artifact) = &self.prev_artifact_ref {
            json.raw("prevArtifactRef", artifact.json().as_str());
        }
        if let Some(group) = &self.broadcast_group_id {
            json.raw("broadcastGroupId", group.as_str());
        }
        json.optional_string("summaryRef", self.summary_ref.as_ref().map(SummaryId::as_str));
        json.optional_string("archiveRef", self.archive_ref.as_deref());
        if let Some(archived_at) = self.archived_at {
            dates.write(&mut json, "archivedAt", archived_at);
        }
        dates.write(&mut json, "updatedAt", self.updated_at);
        json
    }
}

impl Record for SubSession {
    fn from_record(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text)?;
        let unknown = UnknownKeys::of(&fields, KEYS)?;
        let tenant = fields.opaque_id("tenantId", TenantId::new).map_err(|e| in_words(&e))?;
        let edge = Self::decode(&fields, tenant).map_err(|invalid| in_words(&invalid))?;
        Ok(Self { unknown, ..edge })
    }

    fn to_record(&self) -> String {
        let mut json = self.write(true, Dates::Texts);
        self.unknown.write(&mut json);
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.id.as_str()
    }
}

impl Entity for SubSession {
    fn to_json(&self) -> String {
        self.write(false, Dates::Texts).finish()
    }

    fn to_answer(&self) -> String {
        self.write(false, Dates::Numbers).finish()
    }
}
