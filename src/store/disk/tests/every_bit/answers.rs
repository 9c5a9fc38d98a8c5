//! What is asked of a root, and what it answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::scenario::{Run, now};
use crate::{
    error::Error,
    id::{SessionId, TenantId},
    model::{Entity, Record},
    store::{
        DiskStore, ExtendedSessionStore as _, Form, Log, MessageStream, PageRequest,
        RecordStore as _, Selection, SessionStore as _,
    },
};

/// The ids of what is in the root.
pub(super) struct Names {
    pub(super) project: String,
    pub(super) parent: String,
    pub(super) child: String,
    edge: String,
    /// The id of the parent's first message.
    pub(super) first_message: String,
}

impl Names {
    pub(super) fn of(run: &Run) -> Self {
        let log = now(run.store.load_session_messages(run.sessions[0].id.as_str(), &tenant()));
        Self {
            first_message: list(log.unwrap())[0]["id"].as_str().unwrap().to_owned(),
            project: run.project.as_ref().unwrap().id.to_string(),
            parent: run.sessions[0].id.to_string(),
            child: run.sessions[1].id.to_string(),
            edge: run.edges[0].id.to_string(),
        }
    }
}

pub(super) type Answers = BTreeMap<&'static str, Result<Value, Error>>;

pub(super) fn tenant() -> TenantId {
    TenantId::new("tnt_a").unwrap()
}

fn value(entity: Option<impl Entity>) -> Value {
    entity.map_or(Value::Null, |entity| serde_json::from_str(&entity.to_json()).unwrap())
}

fn record(record: Option<impl Record>) -> Value {
    record.map_or(Value::Null, |record| serde_json::from_str(&record.to_record()).unwrap())
}

fn list(log: Log) -> Value {
    let chunks = log.into_iter().map(|text| serde_json::from_str::<Vec<Value>>(&text).unwrap());
    Value::Array(chunks.flatten().collect())
}

/// What a stream of all messages answers, piece by piece.
fn streamed(store: &DiskStore, session: &str) -> Result<Value, Error> {
    let everything = Selection::default();
    let stream = MessageStream::new(store.clone(), session.to_owned(), everything, tenant());
    let mut pieces = Log::new();
    while let Some(piece) = stream.next()? {
        pieces.push(piece);
    }
    Ok(list(pieces))
}

/// What every kind of read answers.
pub(super) fn answers(store: &DiskStore, names: &Names) -> Answers {
    let tenant = &tenant();
    let Names { project, parent, child, edge, first_message } = names;
    let session = |id: &str| SessionId::parse(id).unwrap();
    let page = &PageRequest::default();
    let selected = |selection: &str| {
        let selection = Selection::from_payload(selection).unwrap();
        now(store.load_selected(parent, &selection, Form::Bare, tenant)).map(list)
    };
    BTreeMap::from([
        ("project", now(store.get_project(project, tenant)).map(value)),
        ("parent", now(store.get_session(parent, tenant)).map(value)),
        ("child", now(store.get_session(child, tenant)).map(value)),
        ("edge", now(store.get_sub_session(edge, tenant)).map(value)),
        ("children", now(store.get_children(parent, tenant)).map(|edges| value(Some(edges)))),
        ("ancestry", now(store.get_ancestry(child, tenant)).map(|ids| json!(ids))),
        ("drill", now(store.drill(parent, tenant)).map(value)),
        ("summary", now(store.get_summary(parent, tenant)).map(value)),
        ("messages", now(store.load_messages(parent, tenant)).map(list)),
        ("envelopes", now(store.load_session_messages(parent, tenant)).map(list)),
        ("count", now(store.count_messages(parent, tenant)).map(|count| json!(count))),
        ("last message", selected(r#"{"limit":1}"#)),
        ("after the first", selected(&format!(r#"{{"after":"{first_message}"}}"#))),
        ("streamed", streamed(store, parent)),
        ("projects", now(store.list_projects(tenant, page)).map(|list| value(Some(list)))),
        (
            "sessions",
            now(store.list_sessions_by_project(project, None, tenant, page))
                .map(|list| value(Some(list))),
        ),
        ("evicted messages", now(store.load_messages(child, tenant)).map(list)),
        ("evicted count", now(store.count_messages(child, tenant)).map(|count| json!(count))),
        ("eviction", store.read(|records| records.eviction(&session(child))).map(record)),
        ("intent", store.read(|records| records.intent(&session(parent))).map(record)),
        ("intended", store.read(|records| records.intended()).map(|ids| json!(ids.len()))),
    ])
}
