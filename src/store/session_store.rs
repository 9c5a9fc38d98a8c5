//! The contract that capabilities are written over, and how native stores keep it.

use std::future::Future;

use super::{Form, Log, RecordStore, RecordsMut, Selection, extended::Load as _, rules};
use crate::{
    error::Result,
    id::{MessageId, ProjectId, SessionId, SubSessionId, TenantId},
    model::{
        Message, NewProject, NewSession, NewSubSession, Project, Session, SessionView, SubSession,
        Summary,
    },
};

/// A store of projects, sessions, sub-sessions, messages and summaries.
///
/// Ids to look something up by come as text: a malformed one names nothing, so a
/// read answers as for a missing record and a delete does nothing, while a write is
/// refused with [`Error::InvalidId`](crate::Error::InvalidId). A record of another
/// tenant is refused with [`Error::TenantIsolation`](crate::Error::TenantIsolation).
/// Every method can also answer [`Error::StoreIo`](crate::Error::StoreIo) and
/// [`Error::CorruptRecord`](crate::Error::CorruptRecord) where records are files.
pub trait SessionStore: Send + Sync {
    /// Creates a project with the default limits.
    fn create_project(&self, new: NewProject, tenant: &TenantId) -> impl Answer<Project>;

    /// A project.
    fn get_project(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Project>>;

    /// Creates an idle session in a project, which must exist.
    fn create_session(&self, new: NewSession, tenant: &TenantId) -> impl Answer<Session>;

    /// A session.
    fn get_session(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Session>>;

    /// Replaces a session, which must exist, and stamps its `updated_at`. With
    /// `expected_owner_version`, only if that is the stored version; otherwise
    /// [`Error::StaleSession`](crate::Error::StaleSession).
    fn update_session(
        &self,
        session: Session,
        tenant: &TenantId,
        expected_owner_version: Option<u64>,
    ) -> impl Answer<()>;

    /// Deletes a session that no edge names, with its messages and summary.
    fn delete_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()>;

    /// Creates a pending edge between two sessions, which must exist.
    fn create_sub_session(&self, new: NewSubSession, tenant: &TenantId) -> impl Answer<SubSession>;

    /// An edge.
    fn get_sub_session(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<SubSession>>;

    /// Replaces an edge, which must exist, and stamps its `updated_at`.
    fn update_sub_session(&self, edge: SubSession, tenant: &TenantId) -> impl Answer<()>;

    /// Deletes an edge, not the session it leads to.
    fn delete_sub_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()>;

    /// Adds a message at the end of a session's log.
    fn append_message(
        &self,
        session: &str,
        message: Message,
        tenant: &TenantId,
    ) -> impl Answer<MessageId>;

    /// A session's messages in the order of their appending.
    fn load_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<Log>;

    /// A session's messages in their envelopes, in the same order.
    fn load_session_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<Log>;

    /// The edges from a session, by the time they were spawned, then by id.
    fn get_children(&self, session: &str, tenant: &TenantId) -> impl Answer<Vec<SubSession>>;

    /// The sessions from the root down to this one.
    fn get_ancestry(&self, session: &str, tenant: &TenantId) -> impl Answer<Vec<String>>;

    /// A session, its children and its ancestry of one instant.
    fn drill(&self, session: &str, tenant: &TenantId) -> impl Answer<Option<SessionView>>;

    /// Stores a session's summary once, and ends what the session was doing.
    fn record_summary(&self, summary: Summary, tenant: &TenantId) -> impl Answer<()>;

    /// A session's summary.
    fn get_summary(&self, session: &str, tenant: &TenantId) -> impl Answer<Option<Summary>>;
}

/// A future of a store's answer.
pub trait Answer<T>: Future<Output = Result<T>> + Send {}
impl<T, F: Future<Output = Result<T>> + Send> Answer<T> for F {}

impl<S: RecordStore> SessionStore for S {
    fn create_project(&self, new: NewProject, tenant: &TenantId) -> impl Answer<Project> {
        let tenant = tenant.clone();
        self.write(move |records| rules::projects::create(records, new, &tenant))
    }

    async fn get_project(&self, id: &str, tenant: &TenantId) -> Result<Option<Project>> {
        let Ok(id) = ProjectId::parse(id) else { return Ok(None) };
        self.read(|records| rules::projects::get(records, &id, tenant))
    }

    fn create_session(&self, new: NewSession, tenant: &TenantId) -> impl Answer<Session> {
        let tenant = tenant.clone();
        self.write(move |records| rules::sessions::create(records, new, &tenant))
    }

    async fn get_session(&self, id: &str, tenant: &TenantId) -> Result<Option<Session>> {
        let Ok(id) = SessionId::parse(id) else { return Ok(None) };
        self.read(|records| rules::sessions::get(records, &id, tenant))
    }

    fn update_session(
        &self,
        session: Session,
        tenant: &TenantId,
        expected_owner_version: Option<u64>,
    ) -> impl Answer<()> {
        let tenant = tenant.clone();
        self.write(move |records| {
            rules::sessions::update(records, session, &tenant, expected_owner_version)
        })
    }

    async fn delete_session(&self, id: &str, tenant: &TenantId) -> Result<()> {
        let Ok(id) = SessionId::parse(id) else { return Ok(()) };
        let tenant = tenant.clone();
        self.write(move |records| rules::sessions::delete(records, &id, &tenant)).await
    }

    fn create_sub_session(&self, new: NewSubSession, tenant: &TenantId) -> impl Answer<SubSession> {
        let tenant = tenant.clone();
        self.write(move |records| rules::sub_sessions::create(records, new, &tenant))
    }

    async fn get_sub_session(&self, id: &str, tenant: &TenantId) -> Result<Option<SubSession>> {
        let Ok(id) = SubSessionId::parse(id) else { return Ok(None) };
        self.read(|records| rules::sub_sessions::get(records, &id, tenant))
    }

    fn update_sub_session(&self, edge: SubSession, tenant: &TenantId) -> impl Answer<()> {
        let tenant = tenant.clone();
        self.write(move |records| rules::sub_sessions::update(records, edge, &tenant))
    }

    async fn delete_sub_session(&self, id: &str, tenant: &TenantId) -> Result<()> {
        let Ok(id) = SubSessionId::parse(id) else { return Ok(()) };
        let tenant = tenant.clone();
        self.write(move |records| rules::sub_sessions::delete(records, &id, &tenant)).await
    }

    async fn append_message(
        &self,
        session: &str,
        message: Message,
        tenant: &TenantId,
    ) -> Result<MessageId> {
        let session = SessionId::parse(session)?;
        let tenant = tenant.clone();
        let append = move |records: &mut dyn RecordsMut| {
            let ids = rules::messages::append(records, &session, vec![message], None, &tenant)?;
            Ok(ids.into_iter().next())
        };
        let id = self.write(append).await?;
        Ok(id.unwrap_or_else(MessageId::generate)) // one message always gets one id
    }

    async fn load_messages(&self, session: &str, tenant: &TenantId) -> Result<Log> {
        self.load(session, &Selection::default(), Form::Bare, tenant)
    }

    async fn load_session_messages(&self, session: &str, tenant: &TenantId) -> Result<Log> {
        self.load(session, &Selection::default(), Form::Envelope, tenant)
    }

    async fn get_children(&self, session: &str, tenant: &TenantId) -> Result<Vec<SubSession>> {
        let Ok(id) = SessionId::parse(session) else { return Ok(Vec::new()) };
        self.read(|records| rules::linkage::children(records, &id, tenant))
    }

    async fn get_ancestry(&self, session: &str, tenant: &TenantId) -> Result<Vec<String>> {
        let Ok(id) = SessionId::parse(session) else { return Ok(Vec::new()) };
        self.read(|records| rules::linkage::ancestry(records, &id, tenant))
    }

    async fn drill(&self, session: &str, tenant: &TenantId) -> Result<Option<SessionView>> {
        let Ok(id) = SessionId::parse(session) else { return Ok(None) };
        self.read_consistently(|records| rules::linkage::drill(records, &id, tenant))
    }

    fn record_summary(&self, summary: Summary, tenant: &TenantId) -> impl Answer<()> {
        let tenant = tenant.clone();
        self.write(move |records| rules::summaries::record(records, &summary, &tenant))
    }

    async fn get_summary(&self, session: &str, tenant: &TenantId) -> Result<Option<Summary>> {
        let Ok(id) = SessionId::parse(session) else { return Ok(None) };
        self.read(|records| rules::summaries::get(records, &id, tenant))
    }
}
