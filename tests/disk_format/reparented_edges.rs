//! An edge stays in the folder it was created in, whatever it comes to connect.

use namzu_native::store::SessionStore;
use serde_json::json;

use crate::support::{
    alpha,
    errors::expect_attached,
    payload::Text,
    root::{Root, edge_file, session_dir},
    wait,
    world::World,
};

#[test]
fn a_moved_edge_keeps_its_folder_and_is_found_after_a_reopening() {
    let root = Root::absent();
    let (file, [first, second, child], edge) = root.fill(|world| {
        let [first, second, child] = world.sessions();
        let edge = world.edge(&first, &child);
        world.update_edge(&edge, &json!({ "parentSessionId": second.id.as_str() })).unwrap();
        let file = edge_file(world.project.id.as_str(), first.id.as_str(), edge.id.as_str());
        (file, [first, second, child], world.stored_edge(&edge))
    });
    assert!(root.read(&file).contains(second.id.as_str()));
    let store = root.store();
    let world = World::new(&store);
    assert!(world.children(&first).is_empty());
    assert_eq!(world.children(&second), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [second.id.as_str(), child.id.as_str()]);
    world.update_edge(&edge, &json!({ "status": "merged" })).unwrap();
    assert!(root.read(&file).contains("\"merged\""));
    let files = root.records().into_keys().filter(|path| path.ends_with("/subsession.json"));
    assert_eq!(files.collect::<Vec<_>>(), [file]);
}

#[test]
fn a_moved_edge_outlives_the_folders_own_session() {
    let root = Root::absent();
    let (project, [first, second, child], edge) = root.fill(|world| {
        let [first, second, child] = world.sessions();
        world.say(&first, "hello");
        world.summarize(&first, &json!({})).unwrap();
        let edge = world.edge(&first, &child);
        world.update_edge(&edge, &json!({ "parentSessionId": second.id.as_str() })).unwrap();
        wait(world.store.delete_session(first.id.as_str(), &alpha())).unwrap();
        let project = world.project.id.as_str().to_owned();
        (project, [first, second, child], world.stored_edge(&edge))
    });
    let dir = session_dir(&project, first.id.as_str());
    for gone in ["session.json", "messages.jsonl", "summary.json"] {
        assert!(!root.at(&format!("{dir}/{gone}")).exists(), "{gone} is still there");
    }

    // Found again by a store that knows nothing but the tree.
    let store = root.store();
    let world = World::new(&store);
    assert!(wait(store.get_session(first.id.as_str(), &alpha())).unwrap().is_none());
    assert_eq!(world.stored_edge(&edge).text(), edge.text());
    assert_eq!(world.children(&second), [edge.id.as_str()]);
    assert_eq!(world.ancestry(&child).unwrap(), [second.id.as_str(), child.id.as_str()]);
    expect_attached(wait(store.delete_session(second.id.as_str(), &alpha())));
    expect_attached(wait(store.delete_session(child.id.as_str(), &alpha())));
    world.update_edge(&edge, &json!({ "broadcastGroupId": "group" })).unwrap();
    assert!(world.stored_edge(&edge).broadcast_group_id.is_some());
    wait(store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
    assert!(wait(store.get_sub_session(edge.id.as_str(), &alpha())).unwrap().is_none());
    assert!(world.children(&second).is_empty());
}
