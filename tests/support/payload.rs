//! Payloads in the shapes of the contract, as an application would pass them.

use namzu_native::{
    Error, Result,
    id::TenantId,
    json::compact,
    model::{Entity, Message, NewProject, NewSession, NewSubSession, Session, SubSession, Summary},
};
use serde_json::{Value, json};

/// A user of a tenant.
pub fn user(tenant: &TenantId) -> Value {
    json!({ "kind": "user", "userId": "usr_ann", "tenantId": tenant.as_str() })
}

/// An agent that a user started.
pub fn agent(tenant: &TenantId) -> Value {
    json!({
        "kind": "agent",
        "agentId": "agt_booking",
        "tenantId": tenant.as_str(),
        "parentActor": user(tenant),
    })
}

/// The system in some role.
pub fn system(tenant: &TenantId) -> Value {
    json!({ "kind": "system", "role": "sys_reviewer", "tenantId": tenant.as_str() })
}

/// One deliverable of every kind, the optional fields present and absent.
pub fn deliverables() -> Vec<Value> {
    vec![
        json!({ "id": "del_1", "kind": "file", "path": "a/b.txt", "contentHash": "0f", "sizeBytes": 0 }),
        json!({
            "id": "del_2",
            "kind": "session_summary",
            "sessionId": "ses_other",
            "summaryRef": "sum_other",
            "at": "2026-04-02T08:00:00.001Z",
        }),
        json!({ "id": "del_3", "kind": "message", "sessionId": "ses_x", "runId": "run_x", "messageId": "any text" }),
        json!({ "id": "del_4", "kind": "artifact_blob", "storageRef": "blob://1", "mediaType": "text/plain" }),
        json!({ "id": "del_5", "kind": "artifact_blob", "storageRef": "blob://2" }),
    ]
}

/// The fields of `base` with the keys of `changes` in their place; a key whose change
/// is [`absent`] is left out.
pub fn changed(base: &impl Entity, changes: &Value) -> Value {
    let mut value: Value = serde_json::from_str(&base.to_json()).unwrap();
    let object = value.as_object_mut().unwrap();
    for (key, change) in changes.as_object().unwrap() {
        if *change == absent() {
            object.remove(key);
        } else {
            object.insert(key.clone(), change.clone());
        }
    }
    value
}

/// What marks a key that [`changed`] leaves out.
pub fn absent() -> Value {
    json!("(absent)")
}

/// An entity's fields in their order, as text that can be compared: a nested value
/// may come in the layout of the file that it was read from.
pub trait Text {
    fn text(&self) -> String;
}

impl<E: Entity> Text for E {
    fn text(&self) -> String {
        compact(&self.to_json())
    }
}

/// The fields of an entity as one value.
pub fn value_of(entity: &impl Entity) -> Value {
    serde_json::from_str(&entity.to_json()).unwrap()
}

pub fn new_project(value: &Value) -> Result<NewProject> {
    NewProject::from_payload(&value.to_string()).map_err(|e| Error::argument("params", e))
}

pub fn new_session(value: &Value) -> Result<NewSession> {
    NewSession::from_payload(&value.to_string()).map_err(|e| Error::argument("params", e))
}

pub fn new_edge(value: &Value) -> Result<NewSubSession> {
    NewSubSession::from_payload(&value.to_string()).map_err(|e| Error::argument("params", e))
}

pub fn session(value: &Value) -> Result<Session> {
    Session::from_payload(&value.to_string()).map_err(|e| Error::argument("session", e))
}

pub fn edge(value: &Value, tenant: &TenantId) -> Result<SubSession> {
    SubSession::from_payload(&value.to_string(), tenant.clone())
        .map_err(|e| Error::argument("sub", e))
}

pub fn summary(value: &Value) -> Result<Summary> {
    Summary::from_payload(&value.to_string()).map_err(|e| Error::argument("summary", e))
}

/// A message as it is; the store never looks into it.
pub fn message(text: &str) -> Message {
    Message::from_payload(text).unwrap()
}

/// A user's message.
pub fn said(content: &str) -> Message {
    message(&json!({ "role": "user", "content": content }).to_string())
}
