//! A session: one actor's conversation, and who owns it.

use super::{ActorRef, Dates, Entity, Record, SubSession, UnknownKeys, actor, in_words};
use crate::{
    id::{ProjectId, SessionId, TenantId, WorkspaceId},
    json::{Fields, Invalid, NON_EMPTY, ObjectWriter, Word, indented, string, words},
    timestamp::Timestamp,
};

words! {
    /// What a session is doing.
    SessionStatus {
        Active = "active",
        Idle = "idle",
        Locked = "locked",
        AwaitingHitl = "awaiting_hitl",
        AwaitingMerge = "awaiting_merge",
        Failed = "failed",
        Archived = "archived",
    }
}

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The project it belongs to.
    pub project_id: ProjectId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// What it is doing.
    pub status: SessionStatus,
    /// Who acts in it, if known.
    pub current_actor: Option<ActorRef>,
    /// Who acted in it before, oldest first.
    pub previous_actors: Vec<ActorRef>,
    /// The workspace it works in, if any.
    pub workspace_id: Option<WorkspaceId>,
    /// Counts the changes of ownership.
    pub owner_version: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Keys of its record that are not ours.
    pub unknown: UnknownKeys,
}

/// What a new session needs.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The project it is to belong to.
    pub project_id: ProjectId,
    /// Who is to act in it, if that is known yet.
    pub current_actor: Option<ActorRef>,
}

/// A session with its children and ancestors, of one instant.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The session itself.
    pub session: Session,
    /// Its children, by the time they were spawned.
    pub children: Vec<SubSession>,
    /// Its ancestors, root first, itself last.
    pub ancestry: Vec<String>,
}

impl NewSession {
    /// Reads `{ projectId, currentActor }`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        Ok(Self {
            project_id: fields.path_id("projectId", ProjectId::parse)?,
            current_actor: actor::nullable(&fields, "currentActor")?,
        })
    }
}

const KEYS: &[&str] = &[
    "id",
    "projectId",
    "tenantId",
    "status",
    "currentActor",
    "previousActors",
    "workspaceId",
    "ownerVersion",
    "createdAt",
    "updatedAt",
];

impl SessionStatus {
    /// Whether something is at work on the session, or is waited for.
    #[must_use]
    pub fn is_in_use(self) -> bool {
        matches!(self, Self::Active | Self::Locked | Self::AwaitingHitl | Self::AwaitingMerge)
    }
}

impl Session {
    /// A new session of a project: idle, at version 0, without previous actors.
    #[must_use]
    pub fn new(id: SessionId, tenant_id: TenantId, new: NewSession, now: Timestamp) -> Self {
        Self {
            id,
            project_id: new.project_id,
            tenant_id,
            status: SessionStatus::Idle,
            current_actor: new.current_actor,
            previous_actors: Vec::new(),
            workspace_id: None,
            owner_version: 0,
            created_at: now,
            updated_at: now,
            unknown: UnknownKeys::default(),
        }
    }

    /// Reads a whole session as an application passes it to an update.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        Self::decode(&Fields::of_payload(text)?)
    }

    fn decode(fields: &Fields<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            id: fields.path_id("id", SessionId::parse)?,
            project_id: fields.path_id("projectId", ProjectId::parse)?,
            tenant_id: fields.opaque_id("tenantId", TenantId::new)?,
            status: fields.word("status")?,
            current_actor: actor::nullable(fields, "currentActor")?,
            previous_actors: fields.list("previousActors", |raw| ActorRef::parse(raw.get()))?,
            workspace_id: workspace_id(fields)?,
            owner_version: fields.whole_number("ownerVersion")?,
            created_at: fields.date("createdAt")?,
            updated_at: fields.date("updatedAt")?,
            unknown: UnknownKeys::default(),
        })
    }

    fn write(&self, dates: Dates) -> ObjectWriter {
        let mut json = ObjectWriter::with_capacity(512);
        json.string("id", self.id.as_str());
        json.string("projectId", self.project_id.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.string("status", self.status.word());
        json.raw("currentActor", self.current_actor.as_ref().map_or("null", |a| a.json().as_str()));
        json.values("previousActors", self.previous_actors.iter().map(ActorRef::json));
        json.string_or_null("workspaceId", self.workspace_id.as_ref().map(WorkspaceId::as_str));
        json.number("ownerVersion", self.owner_version);
        dates.write(&mut json, "createdAt", self.created_at);
        dates.write(&mut json, "updatedAt", self.updated_at);
        json
    }
}

/// Reads `workspaceId`, which a record always has and which may be `null`.
pub(super) fn workspace_id(fields: &Fields<'_>) -> Result<Option<WorkspaceId>, Invalid> {
    fields.nullable("workspaceId", NON_EMPTY, |raw| WorkspaceId::new(&string(raw)?))
}

impl Record for Session {
    fn from_record(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text)?;
        let unknown = UnknownKeys::of(&fields, KEYS)?;
        let session = Self::decode(&fields).map_err(|invalid| in_words(&invalid))?;
        Ok(Self { unknown, ..session })
    }

    fn to_record(&self) -> String {
        let mut json = self.write(Dates::Texts);
        self.unknown.write(&mut json);
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.id.as_str()
    }
}

impl Entity for Session {
    fn to_json(&self) -> String {
        self.write(Dates::Texts).finish()
    }

    fn to_answer(&self) -> String {
        self.write(Dates::Numbers).finish()
    }
}

impl Entity for SessionView {
    fn to_json(&self) -> String {
        self.write(&self.session.to_json(), &self.children.to_json())
    }

    fn to_answer(&self) -> String {
        self.write(&self.session.to_answer(), &self.children.to_answer())
    }
}

impl SessionView {
    fn write(&self, session: &str, children: &str) -> String {
        let mut json = ObjectWriter::with_capacity(session.len() + children.len() + 128);
        json.raw("session", session);
        json.raw("children", children);
        json.strings("ancestry", &self.ancestry);
        json.finish()
    }
}

impl<E: Entity> Entity for Vec<E> {
    fn to_json(&self) -> String {
        list(self.iter().map(Entity::to_json))
    }

    fn to_answer(&self) -> String {
        list(self.iter().map(Entity::to_answer))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let mut text = String::from("[");
    for (n, item) in items.enumerate() {
        if n > 0 {
            text.push(',');
        }
        text.push_str(&item);
    }
    text.push(']');
    text
}
