//! A small world of records in a store: one project, and short ways to fill it.

use namzu_native::{
    Result,
    id::TenantId,
    model::{Project, Session, SubSession},
    store::SessionStore,
};
use serde_json::{Value, json, value::RawValue};

use super::{alpha, payload, wait};

/// One project of one tenant in a store.
pub struct World<'s, S> {
    pub store: &'s S,
    pub tenant: TenantId,
    pub project: Project,
}

impl<'s, S: SessionStore> World<'s, S> {
    /// A new project of alpha.
    pub fn new(store: &'s S) -> Self {
        Self::of(store, &alpha())
    }

    /// A new project of a tenant.
    pub fn of(store: &'s S, tenant: &TenantId) -> Self {
        let new = json!({ "tenantId": tenant.as_str(), "name": "Desk" });
        let new = payload::new_project(&new).unwrap();
        let project = wait(store.create_project(new, tenant)).unwrap();
        Self { store, tenant: tenant.clone(), project }
    }

    /// A new session, its actor a user.
    pub fn session(&self) -> Session {
        self.session_by(&payload::user(&self.tenant))
    }

    /// A new session of an actor, who may be `null`.
    pub fn session_by(&self, actor: &Value) -> Session {
        let new = json!({ "projectId": self.project.id.as_str(), "currentActor": actor });
        let new = payload::new_session(&new).unwrap();
        wait(self.store.create_session(new, &self.tenant)).unwrap()
    }

    /// Several new sessions.
    pub fn sessions<const N: usize>(&self) -> [Session; N] {
        std::array::from_fn(|_| self.session())
    }

    /// A session as it is stored.
    pub fn stored(&self, session: &Session) -> Session {
        wait(self.store.get_session(session.id.as_str(), &self.tenant)).unwrap().unwrap()
    }

    /// Updates a session with some keys changed.
    pub fn update(&self, session: &Session, changes: &Value) -> Result<()> {
        self.update_if(session, changes, None)
    }

    /// As [`World::update`], at an expected version.
    pub fn update_if(
        &self,
        session: &Session,
        changes: &Value,
        expected_version: Option<u64>,
    ) -> Result<()> {
        let session = payload::session(&payload::changed(session, changes))?;
        wait(self.store.update_session(session, &self.tenant, expected_version))
    }

    /// A new edge of kind `agent_spawn`.
    pub fn edge(&self, parent: &Session, child: &Session) -> SubSession {
        self.try_edge(parent.id.as_str(), child.id.as_str()).unwrap()
    }

    /// As [`World::edge`], spawned at a time of one's choice.
    pub fn edge_at(&self, parent: &Session, child: &Session, at: &str) -> SubSession {
        let edge = self.edge(parent, child);
        self.update_edge(&edge, &json!({ "spawnedAt": at })).unwrap();
        self.stored_edge(&edge)
    }

    /// A new edge between whatever the ids name.
    pub fn try_edge(&self, parent: &str, child: &str) -> Result<SubSession> {
        let new = payload::new_edge(&json!({
            "parentSessionId": parent,
            "childSessionId": child,
            "kind": "agent_spawn",
            "spawnedBy": payload::user(&self.tenant),
        }))?;
        wait(self.store.create_sub_session(new, &self.tenant))
    }

    /// An edge as it is stored.
    pub fn stored_edge(&self, edge: &SubSession) -> SubSession {
        wait(self.store.get_sub_session(edge.id.as_str(), &self.tenant)).unwrap().unwrap()
    }

    /// Updates an edge with some keys changed.
    pub fn update_edge(&self, edge: &SubSession, changes: &Value) -> Result<()> {
        let edge = payload::edge(&payload::changed(edge, changes), &self.tenant)?;
        wait(self.store.update_sub_session(edge, &self.tenant))
    }

    /// A summary of a session, with some keys of one's choice.
    pub fn summary(&self, session: &Session, changes: &Value) -> Value {
        let mut summary = json!({
            "id": "sum_1",
            "sessionRef": session.id.as_str(),
            "tenantId": self.tenant.as_str(),
            "outcome": { "status": "succeeded" },
            "deliverables": [],
            "agentSummary": "done",
            "keyDecisions": [],
            "at": "2026-04-02T08:00:00.000Z",
            "materializedBy": "kernel",
        });
        for (key, change) in changes.as_object().unwrap() {
            summary[key.as_str()] = change.clone();
        }
        summary
    }

    /// Records a summary.
    pub fn summarize(&self, session: &Session, changes: &Value) -> Result<()> {
        let summary = payload::summary(&self.summary(session, changes))?;
        wait(self.store.record_summary(summary, &self.tenant))
    }

    /// Adds what a user said.
    pub fn say(&self, session: &Session, content: &str) -> String {
        let message = payload::said(content);
        let id = wait(self.store.append_message(session.id.as_str(), message, &self.tenant));
        id.unwrap().as_str().to_owned()
    }

    /// The texts of a session's messages.
    pub fn messages(&self, session: &str) -> Vec<String> {
        elements(&wait(self.store.load_messages(session, &self.tenant)).unwrap())
    }

    /// The texts of a session's envelopes.
    pub fn envelopes(&self, session: &str) -> Vec<String> {
        let envelopes = wait(self.store.load_session_messages(session, &self.tenant)).unwrap();
        elements(&super::dated(envelopes))
    }

    /// What a session's messages said.
    pub fn contents(&self, session: &Session) -> Vec<String> {
        let content = |text: String| {
            let message: Value = serde_json::from_str(&text).unwrap();
            message["content"].as_str().unwrap().to_owned()
        };
        self.messages(session.id.as_str()).into_iter().map(content).collect()
    }

    /// The ids of a session's children, in the order of the answer.
    pub fn children(&self, session: &Session) -> Vec<String> {
        let children = wait(self.store.get_children(session.id.as_str(), &self.tenant)).unwrap();
        children.iter().map(|edge| edge.id.as_str().to_owned()).collect()
    }

    /// The sessions from the root down to this one.
    pub fn ancestry(&self, session: &Session) -> Result<Vec<String>> {
        wait(self.store.get_ancestry(session.id.as_str(), &self.tenant))
    }
}

/// A log's elements, each as its own text: a long log comes in several arrays.
pub fn elements(log: &[String]) -> Vec<String> {
    let texts = |chunk: &String| -> Vec<String> {
        let raw: Vec<&RawValue> = serde_json::from_str(chunk).unwrap();
        raw.into_iter().map(|raw| raw.get().to_owned()).collect()
    };
    log.iter().flat_map(texts).collect()
}

/// The ids of sessions, in their order.
pub fn ids(sessions: &[&Session]) -> Vec<String> {
    sessions.iter().map(|session| session.id.as_str().to_owned()).collect()
}
