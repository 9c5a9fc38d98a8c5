//! Which directories and names there are: after reads, writes and deletes.

use std::fs;

use namzu_native::{
    model::Session,
    store::{DiskStore, SessionStore},
};
use serde_json::json;

use crate::support::{
    UNKNOWN_EDGE, UNKNOWN_PROJECT, UNKNOWN_SESSION, alpha,
    errors::{details_of, expect_not_found},
    payload::{new_project, new_session},
    root::{Root, session_dir},
    wait,
    world::{World, elements},
};

#[test]
fn a_missing_root_reads_as_empty_and_is_not_created() {
    let root = Root::absent();
    let (store, tenant) = (root.store(), &alpha());
    assert!(wait(store.get_project(UNKNOWN_PROJECT, tenant)).unwrap().is_none());
    assert!(wait(store.get_session(UNKNOWN_SESSION, tenant)).unwrap().is_none());
    assert!(wait(store.get_sub_session(UNKNOWN_EDGE, tenant)).unwrap().is_none());
    assert_eq!(wait(store.load_messages(UNKNOWN_SESSION, tenant)).unwrap(), ["[]"]);
    assert_eq!(wait(store.load_session_messages(UNKNOWN_SESSION, tenant)).unwrap(), ["[]"]);
    assert!(wait(store.get_children(UNKNOWN_SESSION, tenant)).unwrap().is_empty());
    assert!(wait(store.get_ancestry(UNKNOWN_SESSION, tenant)).unwrap().is_empty());
    assert!(wait(store.drill(UNKNOWN_SESSION, tenant)).unwrap().is_none());
    assert!(wait(store.get_summary(UNKNOWN_SESSION, tenant)).unwrap().is_none());
    assert!(!root.path().exists());
}

#[test]
fn a_refused_write_leaves_no_record() {
    let root = Root::absent();
    let store = root.store();
    let params = json!({ "projectId": UNKNOWN_PROJECT, "currentActor": null });
    let new = new_session(&params).unwrap();
    expect_not_found(wait(store.create_session(new, &alpha())), UNKNOWN_PROJECT);
    let files = root.records().into_keys().filter(|path| !path.ends_with('/'));
    assert_eq!(files.count(), 0);
}

#[test]
fn a_root_is_created_with_its_parents_by_the_first_write() {
    let outer = Root::absent();
    let store = DiskStore::new(outer.at("a/b"));
    World::new(&store);
    assert!(outer.at("a/b/projects").is_dir());
}

#[test]
fn a_root_that_is_a_file_is_refused_and_left_alone() {
    let root = Root::absent();
    fs::write(root.path(), "a file").unwrap();
    let new = new_project(&json!({ "tenantId": "tnt_alpha", "name": "Desk" })).unwrap();
    let error = wait(root.store().create_project(new, &alpha())).unwrap_err();
    assert_eq!(error.name(), "StoreIoError", "{error}");
    let details = details_of(&error);
    assert_eq!(details["outcome"], "not_done");
    assert_eq!(details.as_object().unwrap().len(), 5, "with its place: {details}");
    for key in ["op", "code"] {
        let word = details[key].as_str().unwrap();
        assert!(!word.is_empty() && error.to_string().contains(word), "{error}");
    }
    let below_the_root = !details["path"].as_str().unwrap().starts_with('/');
    assert!(below_the_root, "{details}");
    assert_eq!(fs::read_to_string(root.path()).unwrap(), "a file");
}

#[test]
fn deletes_leave_the_parent_directories() {
    let root = Root::absent();
    let (project, parent, child) = root.fill(|world| {
        let [parent, child] = world.sessions();
        let edge = world.edge(&parent, &child);
        let project = world.project.id.as_str().to_owned();
        let edges = format!("{}/subsessions", session_dir(&project, parent.id.as_str()));
        assert!(root.at(&format!("{edges}/{}", edge.id)).is_dir());
        wait(world.store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
        assert!(!root.at(&format!("{edges}/{}", edge.id)).exists());
        assert!(root.at(&edges).is_dir());
        for session in [&parent, &child] {
            wait(world.store.delete_session(session.id.as_str(), &alpha())).unwrap();
        }
        (project, parent, child)
    });
    for session in [parent, child] {
        assert!(!root.at(&session_dir(&project, session.id.as_str())).exists());
    }
    assert!(root.at(&format!("projects/{project}/sessions")).is_dir());
}

#[test]
fn an_applications_runs_go_with_the_session_and_not_before() {
    let root = Root::absent();
    root.fill(|world| {
        let session = world.session();
        let dir = session_dir(world.project.id.as_str(), session.id.as_str());
        let run = format!("{dir}/runs/run_1/state.json");
        root.write(&run, "the application's");
        world.update(&session, &json!({ "status": "active" })).unwrap();
        world.say(&session, "hello");
        world.summarize(&session, &json!({})).unwrap();
        assert_eq!(root.read(&run), "the application's");
        wait(world.store.delete_session(session.id.as_str(), &alpha())).unwrap();
        assert!(!root.at(&dir).exists());
    });
}

#[test]
fn no_temporary_name_is_left_after_an_answer() {
    let root = Root::absent();
    let check = |after: &str| {
        let names: Vec<String> = root
            .tree()
            .into_keys()
            .filter(|path| path.trim_end_matches('/').ends_with(".tmp"))
            .collect();
        assert!(names.is_empty(), "after {after}: {names:?}");
    };
    root.fill(|world| {
        check("createProject");
        let [session, child]: [Session; 2] = world.sessions();
        check("createSession");
        world.say(&session, "hello");
        check("appendMessage");
        world.update(&session, &json!({ "status": "active" })).unwrap();
        check("updateSession");
        let edge = world.edge(&session, &child);
        check("createSubSession");
        world.update_edge(&edge, &json!({ "status": "merged" })).unwrap();
        check("updateSubSession");
        world.summarize(&session, &json!({})).unwrap();
        check("recordSummary");
        assert!(world.summarize(&session, &json!({ "id": "sum_2" })).is_err());
        check("a refusal");
        wait(world.store.delete_sub_session(edge.id.as_str(), &alpha())).unwrap();
        check("deleteSubSession");
        wait(world.store.delete_session(session.id.as_str(), &alpha())).unwrap();
        check("deleteSession");
    });
}

#[cfg(unix)]
#[test]
fn directories_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let root = Root::absent();
    root.fill(|world| {
        let [session, child]: [Session; 2] = world.sessions();
        world.edge(&session, &child);
        world.say(&session, "secret");
        world.update(&session, &json!({ "status": "active" })).unwrap();
        world.summarize(&session, &json!({})).unwrap();
    });
    let mode = |path: &str| fs::metadata(root.at(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    for path in root.records().keys() {
        let expected = if path.ends_with('/') { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn an_unwritable_root_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let root = Root::absent();
    let session = root.fill(|world| {
        let session = world.session();
        world.say(&session, "hello");
        session
    });
    let before = root.tree();
    let paths = || before.keys().map(String::as_str).chain([""]);
    let allow = |read_write: u32| {
        for path in paths() {
            let execute = if path.is_empty() || path.ends_with('/') { 0o100 } else { 0 };
            let mode = fs::Permissions::from_mode(read_write | execute);
            fs::set_permissions(root.at(path), mode).unwrap();
        }
    };
    allow(0o400);
    let store = root.store();
    let read = wait(store.get_session(session.id.as_str(), &alpha())).unwrap().unwrap();
    let view = wait(store.drill(session.id.as_str(), &alpha())).unwrap().unwrap();
    let log = wait(store.load_messages(session.id.as_str(), &alpha())).unwrap();
    allow(0o600);
    assert_eq!((read.id, view.session.id), (session.id.clone(), session.id));
    assert_eq!(elements(&log).len(), 1);
}
