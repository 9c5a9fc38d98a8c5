//! What our stores do beyond the contract that applications implement themselves.

use super::{
    Answer, Form, Log, Page, PageRequest, RecordStore, RecordsMut, Selection, SessionStore,
    records::LogWriter, rules,
};
use crate::{
    error::Result,
    id::{MessageId, ProjectId, SessionId, TenantId},
    model::{Message, Project, ProjectConfigPart, Session, SessionStatus},
};

/// A [`SessionStore`] that lists, pages, streams and replaces.
pub trait ExtendedSessionStore: SessionStore {
    /// Changes part of a project's configuration; `None` where there is no such project.
    fn update_project(
        &self,
        id: &str,
        part: ProjectConfigPart,
        tenant: &TenantId,
    ) -> impl Answer<Option<Project>>;

    /// The tenant's projects, oldest first, ties by id.
    fn list_projects(&self, tenant: &TenantId, page: &PageRequest) -> impl Answer<Page<Project>>;

    /// A project's sessions, of one status where it is given, oldest first, ties by id.
    fn list_sessions_by_project(
        &self,
        project: &str,
        status: Option<SessionStatus>,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> impl Answer<Page<Session>>;

    /// Adds messages at the end of a session's log, all or none and next to each other.
    /// With a key that was used before, adds nothing: the same messages get the ids of
    /// then, others
    /// [`Error::IdempotencyConflict`](crate::Error::IdempotencyConflict).
    fn append_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        key: Option<String>,
        tenant: &TenantId,
    ) -> impl Answer<Vec<MessageId>>;

    /// The selected messages of a session.
    fn load_selected(
        &self,
        session: &str,
        selection: &Selection,
        form: Form,
        tenant: &TenantId,
    ) -> impl Answer<Log>;

    /// Makes later readers see `messages` instead of a session's earlier ones.
    fn replace_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        tenant: &TenantId,
    ) -> impl Answer<()>;

    /// How many messages a session has.
    fn count_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<u64>;
}

impl<S: RecordStore> ExtendedSessionStore for S {
    async fn update_project(
        &self,
        id: &str,
        part: ProjectConfigPart,
        tenant: &TenantId,
    ) -> Result<Option<Project>> {
        let id = ProjectId::parse(id)?;
        let tenant = tenant.clone();
        self.write(move |records| rules::projects::update(records, &id, &part, &tenant)).await
    }

    async fn list_projects(&self, tenant: &TenantId, page: &PageRequest) -> Result<Page<Project>> {
        self.read(|records| rules::listing::projects(records, tenant, page))
    }

    async fn list_sessions_by_project(
        &self,
        project: &str,
        status: Option<SessionStatus>,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> Result<Page<Session>> {
        let Ok(id) = ProjectId::parse(project) else { return Ok(Page::empty()) };
        self.read(|records| rules::listing::sessions(records, &id, status, tenant, page))
    }

    async fn append_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        key: Option<String>,
        tenant: &TenantId,
    ) -> Result<Vec<MessageId>> {
        let session = SessionId::parse(session)?;
        // Looked up first where nobody waits for it: what is found or read here, the
        // transaction does not look for again.
        if key.is_some() {
            let earlier = self.read(|records| {
                let key = key.as_deref();
                rules::messages::sent_before(records, &session, &messages, key, tenant)
            })?;
            if let Some(ids) = earlier {
                return Ok(ids);
            }
        }
        let tenant = tenant.clone();
        let append = move |records: &mut dyn RecordsMut| {
            rules::messages::append(records, &session, messages, key.as_deref(), &tenant)
        };
        self.write(append).await
    }

    async fn load_selected(
        &self,
        session: &str,
        selection: &Selection,
        form: Form,
        tenant: &TenantId,
    ) -> Result<Log> {
        self.load(session, selection, form, tenant)
    }

    async fn replace_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        tenant: &TenantId,
    ) -> Result<()> {
        let session = SessionId::parse(session)?;
        let tenant = tenant.clone();
        self.write(move |records| rules::messages::replace(records, &session, messages, &tenant))
            .await
    }

    async fn count_messages(&self, session: &str, tenant: &TenantId) -> Result<u64> {
        let Ok(id) = SessionId::parse(session) else { return Ok(0) };
        self.read(|records| rules::messages::count(records, &id, tenant))
    }
}

/// Reads a list of messages; both contracts do.
pub(super) trait Load: RecordStore {
    fn load(
        &self,
        session: &str,
        selection: &Selection,
        form: Form,
        tenant: &TenantId,
    ) -> Result<Log> {
        let Ok(id) = SessionId::parse(session) else { return Ok(LogWriter::default().finish()) };
        let max_bytes = self.max_list_bytes();
        self.read(|records| rules::messages::load(records, &id, selection, form, max_bytes, tenant))
    }
}

impl<S: RecordStore> Load for S {}
