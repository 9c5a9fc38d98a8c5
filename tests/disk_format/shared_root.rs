//! Several store objects over one root are one store.

use std::{fs, thread};

use namzu_native::store::{DiskStore, SessionStore};
use serde_json::json;

use crate::support::{alpha, payload::Text, root::Root, wait, world::World};

#[test]
fn one_store_reads_what_another_was_answered() {
    let root = Root::absent();
    let (one, two) = (root.store(), root.store());
    let (here, there) = (World::new(&one), World::new(&two));
    let [parent, child] = here.sessions();
    let edge = there.edge(&parent, &child);
    assert_eq!(here.children(&parent), [edge.id.as_str()]);
    here.update(&parent, &json!({ "ownerVersion": 1 })).unwrap();
    let stale = there.update_if(&parent, &json!({}), Some(0)).unwrap_err();
    assert_eq!(stale.name(), "StaleSessionError");
    there.say(&child, "hello");
    assert_eq!(here.contents(&child), ["hello"]);
    wait(one.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    wait(two.delete_session(child.id.as_str(), &alpha())).unwrap();
    assert!(wait(one.get_session(child.id.as_str(), &alpha())).unwrap().is_none());
    let read = there.stored(&parent);
    assert_eq!(read.text(), here.stored(&parent).text());
}

#[test]
fn appends_through_several_stores_are_all_kept() {
    let root = Root::absent();
    let session = root.fill(|world| world.session());
    thread::scope(|scope| {
        for writer in 0..4 {
            let (root, session) = (&root, &session);
            scope.spawn(move || {
                let store = root.store();
                let world = World::new(&store);
                for n in 0..25 {
                    world.say(session, &format!("{writer}:{n}"));
                }
            });
        }
    });
    let store = root.store();
    let contents = World::new(&store).contents(&session);
    assert_eq!(contents.len(), 100);
    for writer in 0..4 {
        let own = contents.iter().filter(|text| text.starts_with(&format!("{writer}:")));
        let expected: Vec<String> = (0..25).map(|n| format!("{writer}:{n}")).collect();
        assert_eq!(own.cloned().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn of_updates_at_one_version_through_several_stores_one_wins() {
    let root = Root::absent();
    let session = root.fill(|world| world.session());
    for version in 0..10_u64 {
        let wins = thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let store = root.store();
                        let next = json!({ "ownerVersion": version + 1 });
                        World::new(&store).update_if(&session, &next, Some(version)).is_ok()
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().unwrap().then_some(())).count()
        });
        assert_eq!(wins, 1, "at version {version}");
    }
}

#[test]
fn a_root_reached_by_another_name_is_the_same_root() {
    let root = Root::absent();
    let session = root.fill(|world| world.session());
    let (direct, roundabout) = (root.store(), DiskStore::new(root.at("projects/..")));
    let world = World::new(&direct);
    World::new(&roundabout).say(&session, "hello");
    assert_eq!(world.contents(&session), ["hello"]);
}

#[test]
fn a_root_that_was_removed_reads_as_empty_and_can_be_filled_again() {
    let root = Root::absent();
    let store = root.store();
    let session = World::new(&store).session();
    fs::remove_dir_all(root.path()).unwrap();
    assert!(wait(store.get_session(session.id.as_str(), &alpha())).unwrap().is_none());
    assert!(!root.path().exists(), "reading recreates nothing");
    let world = World::new(&store);
    let again = world.session();
    assert_eq!(world.stored(&again).text(), again.text());
    assert!(wait(store.get_session(session.id.as_str(), &alpha())).unwrap().is_none());
}
