//! A record that does not hold what it should harms only itself.

use namzu_native::{
    Result,
    model::{Session, SubSession},
    store::{DiskStore, SessionStore},
};
use serde_json::json;

use crate::support::{
    alpha,
    errors::expect_corrupt,
    payload::Text,
    root::{Root, edge_file, session_dir},
    wait,
    world::World,
};

/// Texts that are no record, whichever kind is expected.
const BROKEN: [&str; 7] = ["", "{", "null", "[]", "7", "{}", "{\"id\":1}"];

struct Tree {
    root: Root,
    project: String,
    session: Session,
    sibling: Session,
    edge: SubSession,
    other_edge: SubSession,
}

fn tree() -> Tree {
    let root = Root::absent();
    let (project, [session, sibling], edge, other_edge) = root.fill(|world| {
        let sessions: [Session; 2] = world.sessions();
        world.say(&sessions[0], "hello");
        world.summarize(&sessions[0], &json!({})).unwrap();
        world.summarize(&sessions[1], &json!({})).unwrap();
        let edge = world.edge(&sessions[0], &sessions[1]);
        let other = world.edge(&sessions[1], &sessions[0]);
        (world.project.id.as_str().to_owned(), sessions, edge, other)
    });
    Tree { root, project, session, sibling, edge, other_edge }
}

#[test]
fn each_broken_record_is_named_and_its_siblings_are_readable() {
    let tree = tree();
    let dir = session_dir(&tree.project, tree.session.id.as_str());
    let edge = edge_file(&tree.project, tree.session.id.as_str(), tree.edge.id.as_str());
    type Read = fn(&DiskStore, &Tree) -> Result<()>;
    let records: [(String, Read); 4] = [
        (format!("projects/{}/project.json", tree.project), |store, tree| {
            wait(store.get_project(&tree.project, &alpha())).map(drop)
        }),
        (format!("{dir}/session.json"), |store, tree| {
            wait(store.get_session(tree.session.id.as_str(), &alpha())).map(drop)
        }),
        (format!("{dir}/summary.json"), |store, tree| {
            wait(store.get_summary(tree.session.id.as_str(), &alpha())).map(drop)
        }),
        (edge, |store, tree| {
            wait(store.get_sub_session(tree.edge.id.as_str(), &alpha())).map(drop)
        }),
    ];
    for (file, read) in &records {
        let whole = tree.root.read(file);
        for broken in BROKEN {
            tree.root.write(file, broken);
            // Found damaged by a store that was open, and by one that opens later.
            for store in [tree.root.store(), tree.root.store()] {
                expect_corrupt(read(&store, &tree), file, None);
                siblings_are_readable(&store, &tree);
            }
        }
        tree.root.write(file, &whole);
        read(&tree.root.store(), &tree).unwrap();
    }
}

fn siblings_are_readable(store: &DiskStore, tree: &Tree) {
    let tenant = &alpha();
    let sibling = wait(store.get_session(tree.sibling.id.as_str(), tenant)).unwrap().unwrap();
    assert_eq!(sibling.id, tree.sibling.id);
    let edge = wait(store.get_sub_session(tree.other_edge.id.as_str(), tenant)).unwrap().unwrap();
    assert_eq!(edge.text(), tree.other_edge.text());
    let summary = wait(store.get_summary(tree.sibling.id.as_str(), tenant)).unwrap();
    assert_eq!(summary.unwrap().session_ref, tree.sibling.id);
    World::new(store).session();
}

#[test]
fn every_required_key_is_required() {
    let tree = tree();
    let session = format!("{}/session.json", session_dir(&tree.project, tree.session.id.as_str()));
    let edge = edge_file(&tree.project, tree.session.id.as_str(), tree.edge.id.as_str());
    let optional_or_nested = ["userId"];
    for file in [&session, &edge] {
        let whole = tree.root.read(file);
        let keys = whole.lines().filter_map(|line| {
            let key = line.strip_prefix("  \"")?.split('"').next()?;
            (!optional_or_nested.contains(&key)).then_some(key)
        });
        for key in keys {
            let renamed =
                whole.replacen(&format!("\n  \"{key}\":"), &format!("\n  \"x{key}\":"), 1);
            tree.root.write(file, renamed);
            let store = tree.root.store();
            let result = if *file == session {
                wait(store.get_session(tree.session.id.as_str(), &alpha())).map(drop)
            } else {
                wait(store.get_sub_session(tree.edge.id.as_str(), &alpha())).map(drop)
            };
            let reason = expect_corrupt(result, file, None);
            assert!(reason.contains(key), "{key}: {reason}");
        }
        tree.root.write(file, &whole);
    }
}

#[test]
fn a_damaged_session_is_not_overwritten_by_an_update() {
    let tree = tree();
    let file = format!("{}/session.json", session_dir(&tree.project, tree.session.id.as_str()));
    tree.root.write(&file, "{ broken");
    let store = tree.root.store();
    let world = World::new(&store);
    expect_corrupt(world.update(&tree.session, &json!({ "status": "failed" })), &file, None);
    assert_eq!(tree.root.read(&file), "{ broken");
}
