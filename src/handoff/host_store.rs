//! A store that is the application's own, reached through its public methods.

use super::{Fate, Handoff, HandoffStore, Limits, Source, Undone, Workspace};
use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    json::{Fields, Invalid, NON_EMPTY, ObjectWriter, non_empty_string, string},
    model::HandoffMode,
};

/// Hands over in a store that the host has.
///
/// The host keeps the session that it answered: updates are told as the fields that
/// change, so that all others stay as they are, known to us or not. Limits and actors stay
/// with the host too, which puts its own in their place: they may be anything.
pub struct HostHandoffStore<'h> {
    host: &'h dyn Host,
    handoff: &'h Handoff,
    sessions: Vec<String>,
    edges: Vec<String>,
    is_unlocked: bool,
}

impl<'h> HostHandoffStore<'h> {
    /// The host's store, for one handoff.
    #[must_use]
    pub fn new(host: &'h dyn Host, handoff: &'h Handoff) -> Self {
        Self { host, handoff, sessions: Vec::new(), edges: Vec::new(), is_unlocked: false }
    }

    async fn call(&self, method: &'static str, arguments: Arguments) -> Result<Option<String>> {
        let answer = self.host.call("store", method, arguments).await?;
        Ok(answer.filter(|answer| answer != "null"))
    }

    fn tenant(&self, arguments: Arguments) -> Arguments {
        arguments.string(self.handoff.tenant.as_str())
    }

    async fn update(&self, changes: ObjectWriter, expected: Option<u64>) -> Result<()> {
        let mut arguments = self.tenant(Arguments::none().json(&changes.finish()));
        if let Some(expected) = expected {
            arguments = arguments.number(expected);
        }
        self.call("updateSession", arguments).await.map(drop)
    }

    /// The id of what the store says it created.
    async fn create(&self, method: &'static str, params: ObjectWriter) -> Result<String> {
        let created =
            self.call(method, self.tenant(Arguments::none().json(&params.finish()))).await?;
        let id = |text: &str| {
            let fields = Fields::of_payload(text)?;
            fields.decoded("id", NON_EMPTY, non_empty_string).map(String::from)
        };
        id(created.as_deref().unwrap_or("undefined"))
            .map_err(|invalid| Error::argument(method, invalid))
    }

    async fn unlock(&self) -> bool {
        let mut changes = ObjectWriter::new();
        changes.string("status", "idle");
        self.update(changes, None).await.is_ok()
    }

    async fn delete(&self) -> bool {
        let mut all = true;
        for edge in &self.edges {
            let id = self.tenant(Arguments::none().string(edge));
            all &= self.call("deleteSubSession", id).await.is_ok();
        }
        for session in &self.sessions {
            let id = self.tenant(Arguments::none().string(session));
            all &= self.call("deleteSession", id).await.is_ok();
        }
        all
    }
}

impl HandoffStore for HostHandoffStore<'_> {
    async fn source(&mut self) -> Result<Option<Source>> {
        let id = self.tenant(Arguments::none().string(self.handoff.source()));
        let Some(session) = self.call("getSession", id).await? else { return Ok(None) };
        let source = decode_source(&session).map_err(|e| Error::argument("getSession", e))?;
        Ok(Some(source))
    }

    async fn limits(&mut self) -> Result<Option<Limits>> {
        let id = self.tenant(Arguments::none().string(&self.handoff.first().project_id));
        let Some(project) = self.call("getProject", id).await? else { return Ok(None) };
        let decode = || {
            let config = Fields::of_payload(&project)?.decoded("config", "an object", Some)?;
            Limits::of(config).map_err(|invalid| invalid.below("config"))
        };
        decode().map(Some).map_err(|invalid: Invalid| Error::argument("getProject", invalid))
    }

    async fn lock(&mut self, source: &Source) -> Result<()> {
        let mut changes = ObjectWriter::new();
        changes.string("status", "locked");
        self.update(changes, Some(source.owner_version)).await
    }

    /// Each record is written when its row comes.
    fn takes_all(&self) -> bool {
        false
    }

    async fn provisioned(&mut self, _: &Workspace) -> Result<()> {
        Ok(())
    }

    async fn add_session(&mut self, row: usize, _: &Workspace) -> Result<String> {
        let mut params = ObjectWriter::new();
        params.string("projectId", &self.handoff.first().project_id);
        if let Some(assignment) = self.handoff.rows().nth(row) {
            params.raw("currentActor", assignment.recipient.as_str());
        }
        let id = self.create("createSession", params).await?;
        self.sessions.push(id.clone());
        Ok(id)
    }

    async fn add_edge(&mut self, row: usize) -> Result<()> {
        let mut params = ObjectWriter::new();
        params.string("parentSessionId", self.handoff.source());
        params.optional_string("childSessionId", self.sessions.last().map(String::as_str));
        params.string("kind", "user_handoff");
        if let Some(assignment) = self.handoff.rows().nth(row) {
            params.raw("spawnedBy", assignment.source_actor.as_str());
        }
        let id = self.create("createSubSession", params).await?;
        self.edges.push(id);
        Ok(())
    }

    async fn commit(&mut self, source: &Source) -> Result<()> {
        let mut changes = ObjectWriter::new();
        changes.string("status", self.handoff.committed_status());
        if self.handoff.mode == HandoffMode::Single {
            changes.raw("currentActor", self.handoff.first().recipient.as_str());
        }
        changes.number("ownerVersion", source.owner_version + 1);
        self.update(changes, None).await
    }

    async fn fate(&mut self, _: &Error) -> Fate {
        Fate::Failed
    }

    async fn undo_first(&mut self, _: &Source) {
        if self.handoff.mode == HandoffMode::Single {
            self.is_unlocked = self.unlock().await;
        }
    }

    async fn undo_last(&mut self, _: &Source) -> Undone {
        let all = self.delete().await;
        if self.handoff.mode == HandoffMode::Broadcast {
            self.is_unlocked = self.unlock().await;
        }
        Undone { whole: all && self.is_unlocked, unlocked: self.is_unlocked }
    }
}

fn decode_source(text: &str) -> Result<Source, Invalid> {
    let fields = Fields::of_payload(text)?;
    let text = |key| fields.decoded(key, "a string", |raw| string(raw).map(String::from));
    Ok(Source {
        project_id: text("projectId")?,
        tenant_id: text("tenantId")?,
        status: text("status")?,
        owner_version: fields.whole_number("ownerVersion")?,
    })
}
