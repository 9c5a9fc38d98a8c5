//! Malformed ids: a read finds nothing, a write is refused, nothing leaves the root.

use std::fmt::Debug;

use namzu_native::{Result, store::SessionStore};
use serde_json::json;

use crate::support::{
    alpha,
    errors::expect_invalid_id,
    malformed_suffixes,
    payload::{Text, absent, new_session, said, value_of},
    wait,
    world::World,
};

fn malformed(prefix: &str) -> Vec<String> {
    let mut ids: Vec<String> =
        malformed_suffixes().iter().map(|suffix| format!("{prefix}{suffix}")).collect();
    ids.extend(["", "abc", "..", "/etc/passwd", "tnt_alpha"].map(str::to_owned));
    ids.push(format!(" {prefix}a"));
    ids.push(format!("{}a", prefix.to_uppercase()));
    ids
}

pub fn a_read_with_a_malformed_session_id_finds_nothing<S: SessionStore>(store: &S) {
    let world = World::new(store);
    world.session();
    for id in malformed("ses_") {
        let (id, tenant) = (id.as_str(), &alpha());
        assert!(wait(store.get_session(id, tenant)).unwrap().is_none(), "{id:?}");
        assert!(world.messages(id).is_empty(), "{id:?}");
        assert!(world.envelopes(id).is_empty(), "{id:?}");
        assert!(wait(store.get_children(id, tenant)).unwrap().is_empty(), "{id:?}");
        assert!(wait(store.get_ancestry(id, tenant)).unwrap().is_empty(), "{id:?}");
        assert!(wait(store.drill(id, tenant)).unwrap().is_none(), "{id:?}");
        assert!(wait(store.get_summary(id, tenant)).unwrap().is_none(), "{id:?}");
    }
}

pub fn a_read_with_a_malformed_project_or_edge_id_finds_nothing<S: SessionStore>(store: &S) {
    World::new(store);
    for id in malformed("prj_") {
        assert!(wait(store.get_project(&id, &alpha())).unwrap().is_none(), "{id:?}");
    }
    for id in malformed("sub_") {
        assert!(wait(store.get_sub_session(&id, &alpha())).unwrap().is_none(), "{id:?}");
    }
}

pub fn an_id_of_another_kind_finds_nothing<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    let (project, session, edge) =
        (world.project.id.as_str(), parent.id.as_str(), edge.id.as_str());
    assert!(wait(store.get_project(session, &alpha())).unwrap().is_none());
    assert!(wait(store.get_session(edge, &alpha())).unwrap().is_none());
    assert!(wait(store.get_sub_session(project, &alpha())).unwrap().is_none());
}

pub fn a_delete_with_a_malformed_id_does_nothing<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    for id in malformed("ses_") {
        wait(store.delete_session(&id, &alpha())).unwrap();
    }
    for id in malformed("sub_") {
        wait(store.delete_sub_session(&id, &alpha())).unwrap();
    }
    assert_eq!(world.stored(&parent).text(), parent.text());
    assert_eq!(world.stored_edge(&edge).text(), edge.text());
}

pub fn a_write_with_a_malformed_id_is_refused<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    let known = parent.id.as_str();
    for bad in malformed("ses_") {
        let id = bad.as_str();
        let refused = |result: Result<()>| expect_invalid_id(result, "SessionId", id);
        refused(wait(store.append_message(id, said("x"), &alpha())).map(drop));
        refused(world.update(&parent, &json!({ "id": id })));
        refused(world.try_edge(id, known).map(drop));
        refused(world.try_edge(known, id).map(drop));
        refused(world.update_edge(&edge, &json!({ "parentSessionId": id })));
        refused(world.update_edge(&edge, &json!({ "childSessionId": id })));
        refused(world.summarize(&parent, &json!({ "sessionRef": id })));
    }
    for id in malformed("prj_") {
        let params = json!({ "projectId": id, "currentActor": null });
        let created =
            new_session(&params).and_then(|new| wait(store.create_session(new, &alpha())));
        expect_invalid_id(created, "ProjectId", &id);
        let moved = world.update(&parent, &json!({ "projectId": id }));
        expect_invalid_id(moved, "ProjectId", &id);
    }
    for id in malformed("sub_") {
        expect_invalid_id(world.update_edge(&edge, &json!({ "id": id })), "SubSessionId", &id);
    }
    assert_eq!(world.stored(&parent).text(), parent.text());
    assert!(world.messages(known).is_empty());
}

pub fn the_longest_well_formed_id_is_merely_unknown<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let longest = format!("ses_{}-_", "Aa0".repeat(41).split_at(122).0);
    assert_eq!(longest.len(), 4 + 124);
    assert!(wait(store.get_session(&longest, &alpha())).unwrap().is_none());
    let unknown = |result: Result<()>| {
        let message = not_found(result);
        assert!(message.contains(&longest), "{message}");
    };
    unknown(world.update(&session, &json!({ "id": longest })));
    unknown(wait(store.append_message(&longest, said("x"), &alpha())).map(drop));
}

fn not_found<T: Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.name(), "NotFoundError");
    assert!(error.to_string().contains("not found"), "{error}");
    error.to_string()
}

pub fn an_opaque_id_is_any_text<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    for text in ["../../x", "a b/ü\\", "\u{0}", "CON", "."] {
        let refs = json!({ "workspaceId": text, "summaryRef": text, "archiveRef": text });
        world.update_edge(&edge, &refs).unwrap();
        let stored = value_of(&world.stored_edge(&edge));
        for key in ["workspaceId", "summaryRef", "archiveRef"] {
            assert_eq!(stored[key], text);
        }
        world.update(&parent, &json!({ "workspaceId": text })).unwrap();
        assert_eq!(value_of(&world.stored(&parent))["workspaceId"], text);
        let session = world.session();
        world.summarize(&session, &json!({ "id": text })).unwrap();
        let summary = wait(store.get_summary(session.id.as_str(), &alpha())).unwrap().unwrap();
        assert_eq!(summary.id.as_str(), text);
    }
    let without = json!({ "summaryRef": absent(), "archiveRef": absent() });
    world.update_edge(&world.stored_edge(&edge), &without).unwrap();
}
