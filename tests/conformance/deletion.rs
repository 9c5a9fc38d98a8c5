//! Deletion: what blocks it, what goes with the record, what stays.

use std::thread;

use namzu_native::store::SessionStore;
use serde_json::json;

use crate::support::{
    UNKNOWN_EDGE, UNKNOWN_SESSION, alpha, beta,
    errors::{expect_attached, expect_not_found},
    payload::{Text, said},
    wait,
    world::World,
};

pub fn deleting_what_is_missing_does_nothing<S: SessionStore>(store: &S) {
    wait(store.delete_session(UNKNOWN_SESSION, &alpha())).unwrap();
    wait(store.delete_sub_session(UNKNOWN_EDGE, &alpha())).unwrap();
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    for _ in 0..2 {
        wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
        wait(store.delete_session(child.id.as_str(), &alpha())).unwrap();
    }
    assert_eq!(world.stored(&parent).text(), parent.text());
}

pub fn a_deleted_session_takes_its_messages_and_summary_along<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [session, neighbour] = world.sessions();
    for each in [&session, &neighbour] {
        world.say(each, "hello");
        world.summarize(each, &json!({ "id": format!("sum_{}", each.id) })).unwrap();
    }
    let id = session.id.as_str();
    wait(store.delete_session(id, &alpha())).unwrap();

    assert!(wait(store.get_session(id, &alpha())).unwrap().is_none());
    assert!(world.messages(id).is_empty() && world.envelopes(id).is_empty());
    assert!(wait(store.get_summary(id, &alpha())).unwrap().is_none());
    assert!(wait(store.drill(id, &alpha())).unwrap().is_none());
    assert!(world.ancestry(&session).unwrap().is_empty());
    expect_not_found(wait(store.append_message(id, said("late"), &alpha())), id);
    expect_not_found(world.update(&session, &json!({})), id);
    expect_not_found(world.summarize(&session, &json!({})), id);
    expect_not_found(world.try_edge(id, neighbour.id.as_str()), id);
    // Nobody owns what is gone: another tenant learns nothing of it either.
    assert!(wait(store.get_session(id, &beta())).unwrap().is_none());

    assert_eq!(world.contents(&neighbour), ["hello"]);
    let summary = wait(store.get_summary(neighbour.id.as_str(), &alpha())).unwrap();
    assert!(summary.is_some());
}

pub fn an_edge_blocks_the_deletion_of_both_its_sessions<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    world.say(&parent, "kept");
    let edge = world.edge(&parent, &child);
    for session in [&parent, &child] {
        let error = expect_attached(wait(store.delete_session(session.id.as_str(), &alpha())));
        assert!(error.to_string().contains(session.id.as_str()));
        assert_eq!(world.stored(session).text(), session.text());
    }
    assert_eq!(world.contents(&parent), ["kept"]);
    wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    for session in [&parent, &child] {
        wait(store.delete_session(session.id.as_str(), &alpha())).unwrap();
        assert!(wait(store.get_session(session.id.as_str(), &alpha())).unwrap().is_none());
    }
}

pub fn an_archived_edge_blocks_as_any_other<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let edge = world.edge(&parent, &child);
    world.update_edge(&edge, &json!({ "status": "archived", "archiveRef": "arc_1" })).unwrap();
    expect_attached(wait(store.delete_session(parent.id.as_str(), &alpha())));
    expect_attached(wait(store.delete_session(child.id.as_str(), &alpha())));
}

pub fn the_last_of_several_edges_still_blocks<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two, child] = world.sessions();
    let edges = [world.edge(&one, &child), world.edge(&two, &child), world.edge(&two, &child)];
    for edge in &edges {
        expect_attached(wait(store.delete_session(child.id.as_str(), &alpha())));
        wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    }
    wait(store.delete_session(child.id.as_str(), &alpha())).unwrap();
}

pub fn a_deleted_edge_leaves_both_its_sessions<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    world.say(&child, "kept");
    let (edge, sibling) = (world.edge(&parent, &child), world.edge(&parent, &child));
    wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    assert!(wait(store.get_sub_session(edge.id.as_str(), &alpha())).unwrap().is_none());
    assert_eq!(world.children(&parent), [sibling.id.as_str()]);
    assert_eq!(world.stored(&parent).text(), parent.text());
    assert_eq!(world.stored(&child).text(), child.text());
    assert_eq!(world.contents(&child), ["kept"]);
    expect_not_found(world.update_edge(&edge, &json!({})), edge.id.as_str());
}

pub fn an_edge_survives_the_session_it_was_filed_under<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [first, second, child] = world.sessions();
    let edge = world.edge(&first, &child);
    world.update_edge(&edge, &json!({ "parentSessionId": second.id.as_str() })).unwrap();
    wait(store.delete_session(first.id.as_str(), &alpha())).unwrap();

    assert!(wait(store.get_session(first.id.as_str(), &alpha())).unwrap().is_none());
    assert_eq!(world.children(&second), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [second.id.as_str(), child.id.as_str()]);
    let moved = world.stored_edge(&edge);
    world.update_edge(&moved, &json!({ "status": "merged" })).unwrap();
    expect_attached(wait(store.delete_session(second.id.as_str(), &alpha())));
    wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    assert!(wait(store.get_sub_session(edge.id.as_str(), &alpha())).unwrap().is_none());
    wait(store.delete_session(second.id.as_str(), &alpha())).unwrap();
    wait(store.delete_session(child.id.as_str(), &alpha())).unwrap();
}

pub fn edges_of_another_tenant_block_too<S: SessionStore>(store: &S) {
    // An update takes any ends, so another tenant can point its edge at ours.
    let (ours, theirs) = (World::new(store), World::of(store, &beta()));
    let [parent, child] = ours.sessions();
    let [from, to] = theirs.sessions();
    let below = theirs.edge(&from, &to);
    theirs.update_edge(&below, &json!({ "parentSessionId": parent.id.as_str() })).unwrap();
    let above = theirs.edge(&from, &to);
    theirs.update_edge(&above, &json!({ "childSessionId": child.id.as_str() })).unwrap();

    for (session, edge) in [(&parent, &below), (&child, &above)] {
        let error = expect_attached(wait(store.delete_session(session.id.as_str(), &alpha())));
        assert!(!error.to_string().contains("tnt_beta"), "whose edge it is stays unsaid");
        wait(store.delete_sub_session(edge.id.as_str(), &beta())).unwrap();
        wait(store.delete_session(session.id.as_str(), &alpha())).unwrap();
    }
}

pub fn a_session_is_never_deleted_from_under_a_racing_edge<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let parent = world.session();
    for _ in 0..30 {
        let child = world.session();
        let (edge, deleted) = thread::scope(|scope| {
            let edge = scope.spawn(|| world.try_edge(parent.id.as_str(), child.id.as_str()));
            let deleted = wait(store.delete_session(child.id.as_str(), &alpha()));
            (edge.join().unwrap(), deleted)
        });
        assert_ne!(edge.is_ok(), deleted.is_ok(), "one of the two wins");
        if deleted.is_ok() {
            expect_not_found(edge, child.id.as_str());
        } else {
            expect_attached(deleted);
        }
    }
}
