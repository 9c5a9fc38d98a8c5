//! Children and views: their order, what changes them, and that a view is of one
//! instant.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use namzu_native::store::SessionStore;
use serde_json::json;

use crate::support::{UNKNOWN_SESSION, alpha, beta, payload::Text, wait, world::World};

const EARLY: &str = "2020-01-01T00:00:00.000Z";
const LATE: &str = "2020-01-01T00:00:00.001Z";

pub fn children_are_ordered_by_when_they_were_spawned<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let newest = world.edge(&parent, &child);
    let late = world.edge_at(&parent, &child, LATE);
    let early = world.edge_at(&parent, &child, EARLY);
    let children = wait(store.get_children(parent.id.as_str(), &alpha())).unwrap();
    assert_eq!(children.text(), vec![early, late, newest].text());
}

pub fn children_of_one_instant_are_in_the_order_of_their_creation<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [parent, child] = world.sessions();
    let expected: Vec<String> =
        (0..12).map(|_| world.edge_at(&parent, &child, EARLY).id.as_str().to_owned()).collect();
    assert_eq!(world.children(&parent), expected);
}

pub fn children_are_of_one_level<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [root, middle, leaf] = world.sessions();
    let (upper, lower) = (world.edge(&root, &middle), world.edge(&middle, &leaf));
    assert_eq!(world.children(&root), [upper.id.as_str()]);
    assert_eq!(world.children(&middle), [lower.id.as_str()]);
    assert!(world.children(&leaf).is_empty());
}

pub fn an_unknown_session_has_no_children<S: SessionStore>(store: &S) {
    assert!(wait(store.get_children(UNKNOWN_SESSION, &alpha())).unwrap().is_empty());
}

pub fn changed_ends_change_the_linkage<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two, child, other] = world.sessions();
    let edge = world.edge(&one, &child);
    world.update_edge(&edge, &json!({ "parentSessionId": two.id.as_str() })).unwrap();
    assert!(world.children(&one).is_empty());
    assert_eq!(world.children(&two), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [two.id.as_str(), child.id.as_str()]);

    let moved = world.stored_edge(&edge);
    world.update_edge(&moved, &json!({ "childSessionId": other.id.as_str() })).unwrap();
    assert_eq!(world.children(&two), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [child.id.as_str()]);
    assert_eq!(world.ancestry(&other).unwrap(), [two.id.as_str(), other.id.as_str()]);
    wait(store.delete_session(one.id.as_str(), &alpha())).unwrap();
    wait(store.delete_session(child.id.as_str(), &alpha())).unwrap();

    // And back: an edge finds its way home from wherever it went.
    world
        .update_edge(
            &world.stored_edge(&edge),
            &json!({
                "parentSessionId": other.id.as_str(),
                "childSessionId": two.id.as_str(),
            }),
        )
        .unwrap();
    assert_eq!(world.ancestry(&two).unwrap(), [other.id.as_str(), two.id.as_str()]);
    assert!(world.children(&two).is_empty());
}

pub fn moved_edges_are_ordered_among_those_that_were_there<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two, child] = world.sessions();
    let resident = world.edge_at(&two, &child, LATE);
    let moved = world.edge_at(&one, &child, EARLY);
    world.update_edge(&moved, &json!({ "parentSessionId": two.id.as_str() })).unwrap();
    assert_eq!(world.children(&two), [moved.id.as_str(), resident.id.as_str()]);
}

pub fn a_view_is_the_session_its_children_and_its_ancestry<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [root, session, leaf] = world.sessions();
    world.edge(&root, &session);
    world.edge_at(&session, &leaf, LATE);
    world.edge_at(&session, &leaf, EARLY);
    let view = wait(store.drill(session.id.as_str(), &alpha())).unwrap().unwrap();
    assert_eq!(view.session.text(), session.text());
    let children = wait(store.get_children(session.id.as_str(), &alpha())).unwrap();
    assert_eq!(children.len(), 2);
    assert_eq!(view.children.text(), children.text());
    assert_eq!(view.ancestry, [root.id.as_str(), session.id.as_str()]);
    assert!(wait(store.drill(UNKNOWN_SESSION, &alpha())).unwrap().is_none());
}

pub fn a_view_is_of_one_instant<S: SessionStore>(store: &S) {
    // One edge is turned around again and again: at any instant the session has
    // either a child or a parent, never both and never neither.
    let world = World::new(store);
    let [session, other] = world.sessions();
    let edge = world.edge(&session, &other);
    let down = json!({
        "parentSessionId": session.id.as_str(),
        "childSessionId": other.id.as_str(),
    });
    let up = json!({
        "parentSessionId": other.id.as_str(),
        "childSessionId": session.id.as_str(),
    });
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let view = wait(store.drill(session.id.as_str(), &alpha())).unwrap().unwrap();
                assert_eq!(view.children.len() + view.ancestry.len(), 2, "{view:?}");
            }
        });
        for _ in 0..150 {
            for ends in [&up, &down] {
                world.update_edge(&edge, ends).unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

pub fn edges_of_another_tenant_are_left_out<S: SessionStore>(store: &S) {
    // An update takes any ends, so another tenant can point its edge at ours.
    let (ours, theirs) = (World::new(store), World::of(store, &beta()));
    let [parent, child] = ours.sessions();
    let own = ours.edge_at(&parent, &child, LATE);
    let [from, to] = theirs.sessions();
    let below = theirs.edge_at(&from, &to, EARLY);
    theirs.update_edge(&below, &json!({ "parentSessionId": parent.id.as_str() })).unwrap();
    let above = theirs.edge_at(&from, &to, EARLY);
    theirs.update_edge(&above, &json!({ "childSessionId": child.id.as_str() })).unwrap();

    assert_eq!(ours.children(&parent), [own.id.as_str()]);
    let line = [parent.id.as_str(), child.id.as_str()];
    assert_eq!(ours.ancestry(&child).unwrap(), line, "their earlier edge is no parent");
    let view = wait(store.drill(parent.id.as_str(), &alpha())).unwrap().unwrap();
    assert_eq!(view.children.text(), vec![own].text());
    let view = wait(store.drill(child.id.as_str(), &alpha())).unwrap().unwrap();
    assert_eq!(view.ancestry, line);
}
