//! One store under comparison: carries operations out and answers in common names.

use namzu_native::{
    Result,
    id::TenantId,
    model::{Entity, SubSession},
    store::SessionStore,
};
use serde_json::{Value, json};

use crate::{
    names::Names,
    operation::{Call, Operation},
    support::{
        payload::{self, Text},
        wait,
        world::elements,
    },
};

/// A store and its own ids.
pub struct Side<S> {
    store: S,
    names: Names,
}

impl<S: SessionStore> Side<S> {
    pub fn new(store: S) -> Self {
        Self { store, names: Names::default() }
    }

    /// Goes on with another store object over the same records.
    pub fn reopen(&mut self, store: S) {
        self.store = store;
    }

    /// Carries an operation out: `ok` and the answer, or the error's name, message
    /// and details.
    pub fn apply(&mut self, operation: &Operation) -> String {
        let tenant = TenantId::new(operation.tenant).unwrap();
        let answer = match self.call(operation, &tenant) {
            Ok(answer) => format!("ok {answer}"),
            Err(error) => {
                format!("{} {error} {}", error.name(), error.details().unwrap_or_default())
            }
        };
        self.names.normalize(&answer)
    }

    fn call(&mut self, operation: &Operation, tenant: &TenantId) -> Result<String> {
        let store = &self.store;
        let id = |name: &str| self.names.id(name).to_owned();
        match &operation.call {
            Call::CreateProject(params) => {
                let new = payload::new_project(&self.resolved(params))?;
                let project = wait(store.create_project(new, tenant))?;
                self.names.give(&operation.makes, project.id.as_str());
                Ok(project.text())
            }
            Call::CreateSession(params) => {
                let new = payload::new_session(&self.resolved(params))?;
                let session = wait(store.create_session(new, tenant))?;
                self.names.give(&operation.makes, session.id.as_str());
                Ok(session.text())
            }
            Call::CreateEdge(params, spawned_at) => {
                let new = payload::new_edge(&self.resolved(params))?;
                let edge = wait(store.create_sub_session(new, tenant))?;
                self.names.give(&operation.makes, edge.id.as_str());
                self.spawn_at(&edge, spawned_at, tenant)?;
                Ok(edge.text())
            }
            Call::Append(session, message) => {
                let message = payload::message(message);
                let id = wait(store.append_message(&id(session), message, tenant))?;
                self.names.give(&operation.makes, id.as_str());
                Ok(operation.makes.clone())
            }
            Call::UpdateSession(session, version) => {
                let session = payload::session(&self.resolved(session))?;
                wait(store.update_session(session, tenant, *version)).map(nothing)
            }
            Call::UpdateEdge(edge) => {
                let edge = payload::edge(&self.resolved(edge), tenant)?;
                wait(store.update_sub_session(edge, tenant)).map(nothing)
            }
            Call::RecordSummary(summary) => {
                let summary = payload::summary(&self.resolved(summary))?;
                wait(store.record_summary(summary, tenant)).map(nothing)
            }
            Call::DeleteSession(name) => wait(store.delete_session(&id(name), tenant)).map(nothing),
            Call::DeleteEdge(name) => {
                wait(store.delete_sub_session(&id(name), tenant)).map(nothing)
            }
            Call::GetProject(name) => wait(store.get_project(&id(name), tenant)).map(maybe),
            Call::GetSession(name) => wait(store.get_session(&id(name), tenant)).map(maybe),
            Call::GetEdge(name) => wait(store.get_sub_session(&id(name), tenant)).map(maybe),
            Call::GetSummary(name) => wait(store.get_summary(&id(name), tenant)).map(maybe),
            Call::Drill(name) => wait(store.drill(&id(name), tenant)).map(maybe),
            Call::GetChildren(name) => {
                wait(store.get_children(&id(name), tenant)).map(|edges| edges.text())
            }
            Call::GetAncestry(name) => {
                wait(store.get_ancestry(&id(name), tenant)).map(|ids| ids.join(" > "))
            }
            Call::LoadMessages(name) => wait(store.load_messages(&id(name), tenant)).map(log),
            Call::LoadEnvelopes(name) => wait(store.load_session_messages(&id(name), tenant))
                .map(|envelopes| log(crate::support::dated(envelopes))),
        }
    }

    fn spawn_at(&self, edge: &SubSession, at: &str, tenant: &TenantId) -> Result<()> {
        let payload = payload::changed(edge, &json!({ "spawnedAt": at }));
        wait(self.store.update_sub_session(payload::edge(&payload, tenant)?, tenant))
    }

    /// A payload with this store's ids in place of names.
    fn resolved(&self, payload: &Value) -> Value {
        match payload {
            Value::String(text) => json!(self.names.id(text)),
            Value::Array(values) => values.iter().map(|value| self.resolved(value)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), self.resolved(value))).collect()
            }
            other => other.clone(),
        }
    }
}

fn nothing((): ()) -> String {
    "done".to_owned()
}

fn maybe<E: Entity>(entity: Option<E>) -> String {
    entity.map_or_else(|| "null".to_owned(), |entity| entity.text())
}

fn log(log: Vec<String>) -> String {
    elements(&log).join("\n")
}
