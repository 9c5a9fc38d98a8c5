//! Something else stands where a record is to be written.

use std::fs;

use namzu_native::{model::Session, store::SessionStore};
use serde_json::json;

use crate::support::{
    alpha,
    payload::{new_session, said},
    root::{Root, session_dir},
    wait,
    world::World,
};

#[test]
fn a_file_where_a_folder_belongs_refuses_what_needs_the_folder_and_nothing_else() {
    let root = Root::absent();
    let store = root.store();
    let world = World::new(&store);
    let sessions = format!("projects/{}/sessions", world.project.id.as_str());
    root.write(&sessions, "a file");
    for _ in 0..2 {
        let new = json!({ "projectId": world.project.id.as_str(), "currentActor": null });
        let refused = wait(store.create_session(new_session(&new).unwrap(), &alpha()));
        let path = refused.as_ref().unwrap_err().to_string();
        assert!(path.contains(&sessions), "{path}");
        let details = refused.as_ref().unwrap_err().details().unwrap();
        assert!(details.contains("not_done") && details.contains("ENOTDIR"), "{details}");
    }
    World::new(&store).session();
    fs::remove_file(root.at(&sessions)).unwrap();
    world.session();
}

#[test]
fn a_folder_where_a_file_belongs_refuses_what_needs_the_file_and_nothing_else() {
    let root = Root::absent();
    let store = root.store();
    let world = World::new(&store);
    let [session, other] = world.sessions();
    let log = |session: &Session| {
        format!("{}/messages.jsonl", session_dir(world.project.id.as_str(), session.id.as_str()))
    };
    fs::create_dir(root.at(&log(&session))).unwrap();
    let refused = wait(store.append_message(session.id.as_str(), said("no"), &alpha()));
    let error = refused.unwrap_err();
    assert_eq!(error.name(), "StoreIoError", "{error}");
    assert!(error.details().unwrap().contains("not_done"), "{error}");
    wait(store.append_message(other.id.as_str(), said("yes"), &alpha())).unwrap();
    fs::remove_dir(root.at(&log(&session))).unwrap();
    wait(store.append_message(session.id.as_str(), said("yes"), &alpha())).unwrap();
}
