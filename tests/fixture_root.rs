//! A root that `@namzu/sdk` 0.2.0 really wrote reads as that release read it, is not
//! changed by reading, and is rewritten as that release would have.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails where an answer is missing"
)]

mod support;

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use namzu_native::{
    id::TenantId,
    model::Entity,
    store::{DiskStore, SessionStore},
};
use serde_json::{Map, Value};

use crate::support::{
    errors::{expect_isolation, refusal},
    root::Root,
    wait,
    world::elements,
};

/// The fixture's root copied, with what is expected of it.
struct Fixture {
    root: Root,
    expected: Value,
}

impl Fixture {
    /// `None`, and a line that says so, where the fixture is not there.
    fn load() -> Option<Self> {
        let relative = "../shared/fixtures/roots/sdk-0.2.0";
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(relative);
        let Ok(expected) = fs::read_to_string(directory.join("expected.json")) else {
            // Written past the capture of a passing test's output, so that it is seen.
            let mut output = io::stderr().lock();
            writeln!(output, "SKIPPED: {relative} is absent, no root of the SDK is read").unwrap();
            return None;
        };
        let root = Root::copy_of(&directory.join("root"));
        Some(Self { root, expected: value(&expected) })
    }

    /// The expected records of a kind, by id.
    fn records(&self, kind: &str) -> &Map<String, Value> {
        let records = self.expected[kind].as_object().unwrap();
        assert!(!records.is_empty(), "{kind}");
        records
    }

    /// The tenant of an edge, which its value does not have: that of its parent.
    fn tenant_of_edge(&self, edge: &Value) -> TenantId {
        let parent = edge["parentSessionId"].as_str().unwrap();
        tenant_of(&self.records("sessions")[parent]["session"])
    }
}

fn tenant_of(record: &Value) -> TenantId {
    TenantId::new(record["tenantId"].as_str().unwrap()).unwrap()
}

fn answer<E: Entity>(entity: Option<E>) -> Value {
    entity.map_or(Value::Null, |entity| value(&entity.to_json()))
}

/// A JSON text as a value. A lone surrogate, which no Rust string can hold, becomes
/// the text of its own escape, on both sides of a comparison alike.
fn value(text: &str) -> Value {
    let mut readable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        readable.push_str(before);
        let surrogate = escape.get(2..3).is_some_and(|digit| digit.eq_ignore_ascii_case("d"))
            && escape.get(3..4).is_some_and(|digit| "89abcdefABCDEF".contains(digit));
        if escape.starts_with("\\u") && surrogate {
            readable.push('\\');
        }
        let (escape, after) = escape.split_at(2);
        readable.push_str(escape);
        rest = after;
    }
    readable.push_str(rest);
    serde_json::from_str(&readable).unwrap()
}

fn log(log: &[String]) -> Value {
    elements(log).iter().map(|text| value(text)).collect()
}

#[test]
fn every_record_and_method_answers_what_was_expected() {
    let Some(fixture) = Fixture::load() else { return };
    let before = fixture.root.tree();
    let store = fixture.root.store();
    for (id, expected) in fixture.records("projects") {
        let tenant = &tenant_of(expected);
        assert_eq!(answer(wait(store.get_project(id, tenant)).unwrap()), *expected);
    }
    for (id, expected) in fixture.records("subSessions") {
        let tenant = &fixture.tenant_of_edge(expected);
        assert_eq!(answer(wait(store.get_sub_session(id, tenant)).unwrap()), *expected);
    }
    for (id, expected) in fixture.records("sessions") {
        session_answers(&fixture, &store, id, expected);
    }
    assert!(fixture.root.tree() == before, "reading changed the tree");
}

fn session_answers(fixture: &Fixture, store: &DiskStore, id: &str, expected: &Value) {
    let tenant = &tenant_of(&expected["session"]);
    let edges = fixture.records("subSessions");
    let children: Value = expected["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edges[edge.as_str().unwrap()].clone())
        .collect();
    let messages: Value = expected["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|envelope| envelope["message"].clone())
        .collect();

    let session = wait(store.get_session(id, tenant)).unwrap();
    assert_eq!(answer(session), expected["session"]);
    let envelopes = support::dated(wait(store.load_session_messages(id, tenant)).unwrap());
    assert_eq!(log(&envelopes), expected["messages"], "{id}");
    assert_eq!(log(&wait(store.load_messages(id, tenant)).unwrap()), messages, "{id}");
    assert_eq!(value(&wait(store.get_children(id, tenant)).unwrap().to_json()), children, "{id}");
    let ancestry = wait(store.get_ancestry(id, tenant)).unwrap();
    assert_eq!(Value::from(ancestry), expected["ancestry"], "{id}");
    let summary = wait(store.get_summary(id, tenant)).unwrap();
    assert_eq!(answer(summary), expected["summary"], "{id}");
    let view = answer(wait(store.drill(id, tenant)).unwrap());
    assert_eq!(view["session"], expected["session"]);
    assert_eq!(view["children"], children);
    assert_eq!(view["ancestry"], expected["ancestry"]);
}

#[test]
fn the_two_tenants_do_not_see_each_other() {
    let Some(fixture) = Fixture::load() else { return };
    let store = fixture.root.store();
    let tenants: Vec<TenantId> = fixture.expected["tenants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tenant| TenantId::new(tenant.as_str().unwrap()).unwrap())
        .collect();
    for (id, expected) in fixture.records("sessions") {
        let stranger = tenants.iter().find(|t| **t != tenant_of(&expected["session"])).unwrap();
        let resource = format!("session({id})");
        expect_isolation(wait(store.drill(id, stranger)), stranger.as_str(), &resource);
        let refused = refusal(wait(store.get_summary(id, stranger)));
        assert_eq!(refused.name(), "TenantIsolationError");
    }
}

/// What was written over with its own value is the same but for its time.
#[test]
fn a_rewritten_record_differs_in_nothing_but_its_time() {
    let Some(fixture) = Fixture::load() else { return };
    let before = fixture.root.records();
    let store = fixture.root.store();
    for (id, expected) in fixture.records("sessions") {
        let tenant = &tenant_of(&expected["session"]);
        let session = wait(store.get_session(id, tenant)).unwrap().unwrap();
        wait(store.update_session(session, tenant, None)).unwrap();
    }
    for (id, expected) in fixture.records("subSessions") {
        let tenant = &fixture.tenant_of_edge(expected);
        let edge = wait(store.get_sub_session(id, tenant)).unwrap().unwrap();
        wait(store.update_sub_session(edge, tenant)).unwrap();
    }
    let after = fixture.root.records();
    assert!(before.keys().eq(after.keys()), "the same files");
    for (path, bytes) in &before {
        assert_eq!(untimed(&after[path]), untimed(bytes), "{path}");
    }
}

/// A file's text, without the value of `updatedAt`.
fn untimed(bytes: &[u8]) -> String {
    let text = str::from_utf8(bytes).unwrap();
    let lines = text.split('\n').map(|line| match line.split_once("\"updatedAt\": ") {
        Some((indent, _)) => format!("{indent}\"updatedAt\""),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
