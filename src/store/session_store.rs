//! The contract that capabilities are written over, and how native stores keep it.

use std::future::Future;

use super::{Form, Log, RecordStore, Records, RecordsMut, Selection, extended::load, rules};
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
/// A method does its part when it is called; the future that it answers owns all it
/// needs. Every method can also answer [`Error::StoreIo`](crate::Error::StoreIo) and
/// [`Error::CorruptRecord`](crate::Error::CorruptRecord) where records are files.
pub trait SessionStore: Send + Sync + 'static {
    /// Creates a project with the default limits.
    fn create_project(
        &self,
        new: NewProject,
        tenant: &TenantId,
    ) -> impl Answer<Project> + use<Self>;

    /// A project.
    fn get_project(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Project>> + use<Self>;

    /// Creates an idle session in a project, which must exist.
    fn create_session(
        &self,
        new: NewSession,
        tenant: &TenantId,
    ) -> impl Answer<Session> + use<Self>;

    /// A session.
    fn get_session(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Session>> + use<Self>;

    /// Replaces a session, which must exist, and stamps its `updated_at`. With
    /// `expected_owner_version`, only if that is the stored version; otherwise
    /// [`Error::StaleSession`](crate::Error::StaleSession).
    fn update_session(
        &self,
        session: Session,
        tenant: &TenantId,
        expected_owner_version: Option<u64>,
    ) -> impl Answer<()> + use<Self>;

    /// Deletes a session that no edge names, with its messages and summary.
    fn delete_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()> + use<Self>;

    /// Creates a pending edge between two sessions, which must exist.
    fn create_sub_session(
        &self,
        new: NewSubSession,
        tenant: &TenantId,
    ) -> impl Answer<SubSession> + use<Self>;

    /// An edge.
    fn get_sub_session(
        &self,
        id: &str,
        tenant: &TenantId,
    ) -> impl Answer<Option<SubSession>> + use<Self>;

    /// Replaces an edge, which must exist, and stamps its `updated_at`.
    fn update_sub_session(
        &self,
        edge: SubSession,
        tenant: &TenantId,
    ) -> impl Answer<()> + use<Self>;

    /// Deletes an edge, not the session it leads to.
    fn delete_sub_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()> + use<Self>;

    /// Adds a message at the end of a session's log.
    fn append_message(
        &self,
        session: &str,
        message: Message,
        tenant: &TenantId,
    ) -> impl Answer<MessageId> + use<Self>;

    /// A session's messages in the order of their appending.
    fn load_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<Log> + use<Self>;

    /// A session's messages in their envelopes, in the same order.
    fn load_session_messages(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Log> + use<Self>;

    /// The edges from a session, by the time they were spawned, then by id.
    fn get_children(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Vec<SubSession>> + use<Self>;

    /// The sessions from the root down to this one.
    fn get_ancestry(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Vec<String>> + use<Self>;

    /// A session, its children and its ancestry of one instant.
    fn drill(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Option<SessionView>> + use<Self>;

    /// Stores a session's summary once, and ends what the session was doing.
    fn record_summary(&self, summary: Summary, tenant: &TenantId) -> impl Answer<()> + use<Self>;

    /// A session's summary.
    fn get_summary(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Option<Summary>> + use<Self>;
}

/// A future of a store's answer.
pub trait Answer<T>: Future<Output = Result<T>> + Send + 'static {}
impl<T, F: Future<Output = Result<T>> + Send + 'static> Answer<T> for F {}

/// A method that changes: its rule runs alone, for the tenant.
pub(super) fn change<S: RecordStore, T: Send + 'static, R>(
    store: &S,
    tenant: &TenantId,
    rule: R,
) -> impl Answer<T> + use<S, T, R>
where
    R: FnOnce(&mut dyn RecordsMut, &TenantId) -> Result<T> + Send + 'static,
{
    let tenant = tenant.clone();
    store.write(move |records| rule(records, &tenant))
}

/// As [`change`], of what rests on the edges that there are.
fn change_linked<S: RecordStore, T: Send + 'static, R>(
    store: &S,
    tenant: &TenantId,
    rule: R,
) -> impl Answer<T> + use<S, T, R>
where
    R: FnOnce(&mut dyn RecordsMut, &TenantId) -> Result<T> + Send + 'static,
{
    let tenant = tenant.clone();
    store.write_linked(move |records| rule(records, &tenant))
}

/// A method that reads: its rule runs when the future is awaited, for the tenant.
/// Without an id, as a malformed one names nothing, the answer is `missing`.
pub(super) fn look<S: RecordStore, T: Send + 'static, I: Send + 'static, R>(
    store: &S,
    id: Option<I>,
    tenant: &TenantId,
    missing: T,
    rule: R,
) -> impl Answer<T> + use<S, T, I, R>
where
    R: Fn(&dyn Records, &I, &TenantId) -> Result<T> + Send + 'static,
{
    let (store, tenant) = (store.admit(), tenant.clone());
    async move {
        match id {
            Some(id) => store?.read(|records| rule(records, &id, &tenant)),
            None => store.map(|_| missing),
        }
    }
}

/// A deletion: of what a malformed id names there is nothing to delete.
fn delete<S: RecordStore, I: Send + 'static, R>(
    store: &S,
    id: Option<I>,
    tenant: &TenantId,
    rule: R,
) -> impl Answer<()> + use<S, I, R>
where
    R: FnOnce(&mut dyn RecordsMut, &I, &TenantId) -> Result<()> + Send + 'static,
{
    let open = store.admit().map(drop);
    let change = id.map(|id| change_linked(store, tenant, move |records, t| rule(records, &id, t)));
    async move {
        match change {
            Some(change) => change.await,
            None => open,
        }
    }
}

impl<S: RecordStore> SessionStore for S {
    fn create_project(&self, new: NewProject, tenant: &TenantId) -> impl Answer<Project> + use<S> {
        let now = self.now();
        change(self, tenant, move |records, t| rules::projects::create(records, new, t, now))
    }

    fn get_project(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Project>> + use<S> {
        look(self, ProjectId::parse(id).ok(), tenant, None, rules::projects::get)
    }

    fn create_session(&self, new: NewSession, tenant: &TenantId) -> impl Answer<Session> + use<S> {
        let now = self.now();
        change(self, tenant, move |records, t| rules::sessions::create(records, new, t, now))
    }

    fn get_session(&self, id: &str, tenant: &TenantId) -> impl Answer<Option<Session>> + use<S> {
        look(self, SessionId::parse(id).ok(), tenant, None, rules::sessions::get)
    }

    fn update_session(
        &self,
        session: Session,
        tenant: &TenantId,
        expected_owner_version: Option<u64>,
    ) -> impl Answer<()> + use<S> {
        let now = self.now();
        change(self, tenant, move |records, t| {
            rules::sessions::update(records, session, t, expected_owner_version, now)
        })
    }

    fn delete_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()> + use<S> {
        delete(self, SessionId::parse(id).ok(), tenant, rules::sessions::delete)
    }

    fn create_sub_session(
        &self,
        new: NewSubSession,
        tenant: &TenantId,
    ) -> impl Answer<SubSession> + use<S> {
        let now = self.now();
        change_linked(self, tenant, move |records, t| {
            rules::sub_sessions::create(records, new, t, now)
        })
    }

    fn get_sub_session(
        &self,
        id: &str,
        tenant: &TenantId,
    ) -> impl Answer<Option<SubSession>> + use<S> {
        look(self, SubSessionId::parse(id).ok(), tenant, None, |records, id, t| {
            rules::sub_sessions::get(records, id, t)
        })
    }

    fn update_sub_session(&self, edge: SubSession, tenant: &TenantId) -> impl Answer<()> + use<S> {
        let now = self.now();
        change_linked(self, tenant, move |records, t| {
            rules::sub_sessions::update(records, edge, t, now)
        })
    }

    fn delete_sub_session(&self, id: &str, tenant: &TenantId) -> impl Answer<()> + use<S> {
        delete(self, SubSessionId::parse(id).ok(), tenant, rules::sub_sessions::delete)
    }

    fn append_message(
        &self,
        session: &str,
        message: Message,
        tenant: &TenantId,
    ) -> impl Answer<MessageId> + use<S> {
        let now = self.now();
        let append = SessionId::parse(session).map(|session| {
            change(self, tenant, move |records, t| {
                rules::messages::append(records, &session, vec![message], None, t, now)
            })
        });
        async move {
            let ids = append?.await?;
            // One message always gets one id.
            Ok(ids.into_iter().next().unwrap_or_else(MessageId::generate))
        }
    }

    fn load_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<Log> + use<S> {
        load(self, session, Selection::default(), Form::Bare, tenant)
    }

    fn load_session_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<Log> + use<S> {
        load(self, session, Selection::default(), Form::Envelope, tenant)
    }

    fn get_children(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Vec<SubSession>> + use<S> {
        let id = SessionId::parse(session).ok();
        look(self, id, tenant, Vec::new(), rules::linkage::children)
    }

    fn get_ancestry(&self, session: &str, tenant: &TenantId) -> impl Answer<Vec<String>> + use<S> {
        let id = SessionId::parse(session).ok();
        look(self, id, tenant, Vec::new(), rules::linkage::ancestry)
    }

    fn drill(&self, session: &str, tenant: &TenantId) -> impl Answer<Option<SessionView>> + use<S> {
        let (store, id, tenant) = (self.admit(), SessionId::parse(session).ok(), tenant.clone());
        async move {
            let store = store?;
            let Some(id) = id else { return Ok(None) };
            store.read_consistently(|records| rules::linkage::drill(records, &id, &tenant))
        }
    }

    fn record_summary(&self, summary: Summary, tenant: &TenantId) -> impl Answer<()> + use<S> {
        let now = self.now();
        change(self, tenant, move |records, t| rules::summaries::record(records, &summary, t, now))
    }

    fn get_summary(
        &self,
        session: &str,
        tenant: &TenantId,
    ) -> impl Answer<Option<Summary>> + use<S> {
        look(self, SessionId::parse(session).ok(), tenant, None, rules::summaries::get)
    }
}
