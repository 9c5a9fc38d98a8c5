//! Edges: creation, replacement, and what an update keeps or clears.

use namzu_native::store::SessionStore;
use serde_json::json;

use crate::support::{
    EDGE_KINDS, EDGE_STATUSES, UNKNOWN_EDGE, UNKNOWN_SESSION, alpha,
    errors::expect_not_found,
    is_date, is_generated,
    payload::{Text, absent, agent, deliverables, new_edge, system, user, value_of},
    wait,
    world::World,
};

pub fn a_new_edge_is_pending_with_the_default_modes<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    assert!(is_generated(edge.id.as_str(), "sub_"));
    assert!(is_date(&edge.spawned_at.to_string()));
    let expected = json!({
        "id": edge.id.as_str(),
        "parentSessionId": parent.id.as_str(),
        "childSessionId": child.id.as_str(),
        "kind": "agent_spawn",
        "status": "pending",
        "spawnedBy": user(&alpha()),
        "spawnedAt": edge.spawned_at.to_string(),
        "failureMode": "delegate",
        "completionMode": "summary_ref",
        "workspaceId": null,
        "updatedAt": edge.spawned_at.to_string(),
    });
    assert_eq!(value_of(&edge), expected, "no optional field is there, not even as null");
    assert_eq!(world.stored_edge(&edge).text(), edge.text());
}

pub fn kinds_modes_and_actors_are_taken_as_given<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let modes = [("fail_fast", "merge_back"), ("delegate", "summary_ref")];
    let actors = [user(&alpha()), agent(&alpha()), system(&alpha())];
    for (kind, actor) in EDGE_KINDS.into_iter().zip(&actors) {
        for (failure, completion) in modes {
            let params = json!({
                "parentSessionId": parent.id.as_str(),
                "childSessionId": child.id.as_str(),
                "kind": kind,
                "spawnedBy": actor,
                "failureMode": failure,
                "completionMode": completion,
            });
            let new = new_edge(&params).unwrap();
            let edge = wait(store.create_sub_session(new, &alpha())).unwrap();
            let stored = value_of(&world.stored_edge(&edge));
            for (key, value) in params.as_object().unwrap() {
                assert_eq!(stored[key.as_str()], *value);
            }
        }
    }
}

pub fn an_edge_needs_both_of_its_sessions<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let known = session.id.as_str();
    expect_not_found(world.try_edge(UNKNOWN_SESSION, known), UNKNOWN_SESSION);
    expect_not_found(world.try_edge(known, UNKNOWN_SESSION), UNKNOWN_SESSION);
    assert!(world.children(&session).is_empty(), "a refusal creates nothing");
}

pub fn an_edge_may_join_sessions_of_two_projects<S: SessionStore>(store: &S) {
    let (world, other) = (World::new(store), World::new(store));
    let (parent, child) = (world.session(), other.session());
    let edge = world.edge(&parent, &child);
    assert_eq!(world.children(&parent), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [parent.id.as_str(), child.id.as_str()]);
}

pub fn an_unknown_edge_is_nothing<S: SessionStore>(store: &S) {
    assert!(wait(store.get_sub_session(UNKNOWN_EDGE, &alpha())).unwrap().is_none());
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    assert!(wait(store.get_sub_session(UNKNOWN_EDGE, &alpha())).unwrap().is_none());
    expect_not_found(world.update_edge(&edge, &json!({ "id": UNKNOWN_EDGE })), UNKNOWN_EDGE);
}

pub fn an_update_keeps_every_field_of_the_payload<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    let mut expected = json!({
        "id": edge.id.as_str(),
        "parentSessionId": parent.id.as_str(),
        "childSessionId": child.id.as_str(),
        "kind": "user_handoff",
        "status": "archived",
        "spawnedBy": agent(&alpha()),
        "spawnedAt": "2001-02-03T04:05:06.007Z",
        "failureMode": "fail_fast",
        "completionMode": "merge_back",
        "workspaceId": "wsp_any text",
        "broadcastGroupId": "group / 7",
        "summaryRef": "sum_any text",
        "archiveRef": "../not a path",
        "archivedAt": "2002-02-03T04:05:06.007Z",
        "updatedAt": "2001-02-03T04:05:06.007Z",
    });
    for deliverable in deliverables() {
        expected["prevArtifactRef"] = deliverable;
        world.update_edge(&edge, &expected).unwrap();
        let stored = world.stored_edge(&edge);
        assert!(stored.updated_at >= edge.updated_at, "the payload's own time is not taken");
        expected["updatedAt"] = json!(stored.updated_at.to_string());
        assert_eq!(value_of(&stored), expected);
    }
}

pub fn an_optional_field_that_is_absent_is_cleared<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    let optional = json!({
        "prevArtifactRef": deliverables()[0],
        "broadcastGroupId": "group",
        "summaryRef": "sum_1",
        "archiveRef": "arc_1",
        "archivedAt": "2002-02-03T04:05:06.007Z",
    });
    for key in optional.as_object().unwrap().keys() {
        world.update_edge(&edge, &optional).unwrap();
        let full = world.stored_edge(&edge);
        world.update_edge(&full, &json!({ key.as_str(): absent() })).unwrap();
        let stored = value_of(&world.stored_edge(&edge));
        assert!(stored.get(key).is_none(), "{key} is still there: {stored}");
        assert_eq!(stored.as_object().unwrap().len(), 11 + 5 - 1, "the others stay: {stored}");
    }
    world.update_edge(&edge, &json!({})).unwrap();
    assert_eq!(value_of(&world.stored_edge(&edge)).as_object().unwrap().len(), 11);
}

pub fn every_status_can_be_stored<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    for status in EDGE_STATUSES {
        world.update_edge(&edge, &json!({ "status": status })).unwrap();
        assert_eq!(value_of(&world.stored_edge(&edge))["status"], status);
    }
}

pub fn an_update_leaves_sessions_and_siblings_alone<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let (edge, sibling) = (world.edge(&parent, &child), world.edge(&parent, &child));
    world.update_edge(&edge, &json!({ "status": "failed", "workspaceId": "wsp_1" })).unwrap();
    assert_eq!(world.stored_edge(&sibling).text(), sibling.text());
    assert_eq!(world.stored(&parent).text(), parent.text());
    assert_eq!(world.stored(&child).text(), child.text());
}
