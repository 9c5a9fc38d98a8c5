//! What our stores do beyond the contract that applications implement themselves.

use super::{
    Answer, Form, Log, Page, PageRequest, RecordStore, Selection, SessionStore, rules,
    session_store::{change, look},
};
use crate::{
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
    ) -> impl Answer<Option<Project>> + use<Self>;

    /// The tenant's projects, oldest first, ties by the order of creation, then by id.
    fn list_projects(
        &self,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> impl Answer<Page<Project>> + use<Self>;

    /// A project's sessions, of one status where it is given, in the same order.
    fn list_sessions_by_project(
        &self,
        project: &str,
        status: Option<SessionStatus>,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> impl Answer<Page<Session>> + use<Self>;

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
    ) -> impl Answer<Vec<MessageId>> + use<Self>;

    /// The selected messages of a session.
    fn load_selected(
        &self,
        session: &str,
        selection: &Selection,
        form: Form,
        tenant: &TenantId,
    ) -> impl Answer<Log> + use<Self>;

    /// Makes later readers see `messages` instead of a session's earlier ones.
    fn replace_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        tenant: &TenantId,
    ) -> impl Answer<()> + use<Self>;

    /// How many messages a session has.
    fn count_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<u64> + use<Self>;
}

impl<S: RecordStore> ExtendedSessionStore for S {
    fn update_project(
        &self,
        id: &str,
        part: ProjectConfigPart,
        tenant: &TenantId,
    ) -> impl Answer<Option<Project>> + use<S> {
        let now = self.now();
        let update = ProjectId::parse(id).map(|id| {
            change(self, tenant, move |records, t| {
                rules::projects::update(records, &id, &part, t, now)
            })
        });
        async move { update?.await }
    }

    fn list_projects(
        &self,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> impl Answer<Page<Project>> + use<S> {
        let page = page.clone();
        look(self, Some(()), tenant, Page::empty(), move |records, (), t| {
            rules::listing::projects(records, t, &page)
        })
    }

    fn list_sessions_by_project(
        &self,
        project: &str,
        status: Option<SessionStatus>,
        tenant: &TenantId,
        page: &PageRequest,
    ) -> impl Answer<Page<Session>> + use<S> {
        let (id, page) = (ProjectId::parse(project).ok(), page.clone());
        look(self, id, tenant, Page::empty(), move |records, id, t| {
            rules::listing::sessions(records, id, status, t, &page)
        })
    }

    fn append_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        key: Option<String>,
        tenant: &TenantId,
    ) -> impl Answer<Vec<MessageId>> + use<S> {
        let (store, now) = (self.admit(), self.now());
        let append = SessionId::parse(session).map(|session| {
            let look_for = key.clone().map(|key| (session.clone(), key));
            let append = change(self, tenant, move |records, t| {
                rules::messages::append(records, &session, messages, key.as_deref(), t, now)
            });
            (look_for, append)
        });
        async move {
            let (look_for, append) = append?;
            if let Some((session, key)) = look_for {
                // Whatever is wrong is for the change itself to say.
                let _ =
                    store?.read(|records| rules::messages::look_for_key(records, &session, &key));
            }
            append.await
        }
    }

    fn load_selected(
        &self,
        session: &str,
        selection: &Selection,
        form: Form,
        tenant: &TenantId,
    ) -> impl Answer<Log> + use<S> {
        load(self, session, selection.clone(), form, tenant)
    }

    fn replace_messages(
        &self,
        session: &str,
        messages: Vec<Message>,
        tenant: &TenantId,
    ) -> impl Answer<()> + use<S> {
        let now = self.now();
        let replace = SessionId::parse(session).map(|session| {
            change(self, tenant, move |records, t| {
                rules::messages::replace(records, &session, messages, t, now)
            })
        });
        async move { replace?.await }
    }

    fn count_messages(&self, session: &str, tenant: &TenantId) -> impl Answer<u64> + use<S> {
        look(self, SessionId::parse(session).ok(), tenant, 0, rules::messages::count)
    }
}

/// Reads a list of messages; both contracts do.
pub(super) fn load<S: RecordStore>(
    store: &S,
    session: &str,
    selection: Selection,
    form: Form,
    tenant: &TenantId,
) -> impl Answer<Log> + use<S> {
    let (id, max_bytes) = (SessionId::parse(session).ok(), store.max_list_bytes());
    look(store, id, tenant, rules::messages::none(), move |records, id, t| {
        rules::messages::load(records, id, &selection, form, max_bytes, t)
    })
}
