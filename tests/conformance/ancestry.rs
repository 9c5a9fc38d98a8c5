//! Ancestry: which edge makes a parent, and what a cycle answers.

use namzu_native::{
    model::{Session, SubSession},
    store::SessionStore,
};
use serde_json::json;

use crate::support::{
    UNKNOWN_SESSION, alpha,
    errors::expect_cycle,
    wait,
    world::{World, ids},
};

const EARLY: &str = "2020-01-01T00:00:00.000Z";
const LATE: &str = "2020-01-01T00:00:00.001Z";

pub fn it_leads_from_the_root_to_the_session<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let line: [Session; 12] = world.sessions();
    for pair in line.windows(2) {
        world.edge(&pair[0], &pair[1]);
    }
    for depth in [1, 2, 12] {
        let expected = ids(&line[..depth].iter().collect::<Vec<_>>());
        assert_eq!(world.ancestry(&line[depth - 1]).unwrap(), expected);
    }
}

pub fn an_unknown_session_has_none<S: SessionStore>(store: &S) {
    assert!(wait(store.get_ancestry(UNKNOWN_SESSION, &alpha())).unwrap().is_empty());
}

pub fn the_edge_spawned_earliest_makes_the_parent<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two, child] = world.sessions();
    let late = world.edge_at(&one, &child, LATE);
    let early = world.edge_at(&two, &child, EARLY);
    assert_eq!(world.ancestry(&child).unwrap(), ids(&[&two, &child]));

    world.update_edge(&late, &json!({ "spawnedAt": "2019-01-01T00:00:00.000Z" })).unwrap();
    assert_eq!(world.ancestry(&child).unwrap(), ids(&[&one, &child]));

    wait(store.delete_sub_session(late.id.as_str(), &alpha())).unwrap();
    assert_eq!(world.ancestry(&child).unwrap(), ids(&[&two, &child]));
    wait(store.delete_sub_session(early.id.as_str(), &alpha())).unwrap();
    assert_eq!(world.ancestry(&child).unwrap(), ids(&[&child]));
}

pub fn the_smallest_id_makes_the_parent_among_edges_of_one_instant<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let child = world.session();
    let parents: [Session; 6] = world.sessions();
    let mut edges: Vec<(SubSession, &Session)> =
        parents.iter().map(|parent| (world.edge_at(parent, &child, EARLY), parent)).collect();
    edges.sort_by(|(one, _), (two, _)| one.id.cmp(&two.id));
    for (edge, parent) in edges {
        assert_eq!(world.ancestry(&child).unwrap(), ids(&[parent, &child]));
        wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    }
}

pub fn a_session_that_is_its_own_parent_is_a_cycle<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let edge = world.edge(&session, &session);
    let id = session.id.as_str();
    expect_cycle(world.ancestry(&session), &[id, id]);
    expect_cycle(wait(store.drill(id, &alpha())), &[id, id]);
    assert_eq!(world.children(&session), [edge.id.as_str()]);
}

pub fn a_cycle_is_told_from_self_upward<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [a, b, c] = world.sessions();
    world.edge(&a, &b);
    world.edge(&b, &c);
    world.edge(&c, &a);
    for line in [[&a, &c, &b], [&b, &a, &c], [&c, &b, &a]] {
        let path = line.map(|session| session.id.as_str());
        let path = [path[0], path[1], path[2], path[0]];
        expect_cycle(world.ancestry(line[0]), &path);
        expect_cycle(wait(store.drill(path[0], &alpha())), &path);
    }
}

pub fn a_cycle_is_met_from_below_it<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [a, b, below] = world.sessions();
    world.edge(&a, &b);
    world.edge(&b, &a);
    world.edge(&a, &below);
    let path = [&below, &a, &b, &a].map(|session| session.id.as_str());
    expect_cycle(world.ancestry(&below), &path);
    expect_cycle(wait(store.drill(below.id.as_str(), &alpha())), &path);
}

pub fn a_cycle_that_is_no_ancestry_does_no_harm<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [a, b, root] = world.sessions();
    world.edge_at(&a, &b, EARLY);
    world.edge_at(&b, &a, LATE);
    // `a` has an earlier parent than `b`, so the walk never closes.
    world.edge_at(&root, &a, EARLY);
    assert_eq!(world.ancestry(&b).unwrap(), ids(&[&root, &a, &b]));
    assert_eq!(world.ancestry(&root).unwrap(), ids(&[&root]));
}

pub fn a_cycle_can_be_made_and_opened_by_an_update<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [a, b, c] = world.sessions();
    let edge = world.edge(&a, &b);
    let upper = world.edge(&c, &a);
    world.update_edge(&upper, &json!({ "parentSessionId": b.id.as_str() })).unwrap();
    let path = [&b, &a, &b].map(|session| session.id.as_str());
    expect_cycle(world.ancestry(&b), &path);
    // Writing to members of a cycle is no reading through it.
    world.say(&a, "still here");
    world.update(&a, &json!({ "status": "active" })).unwrap();
    wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    assert_eq!(world.ancestry(&a).unwrap(), ids(&[&b, &a]));
}
