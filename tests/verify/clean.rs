//! Roots with nothing wrong.

use std::{fs, path::Path};

use namzu_native::{store::SessionStore as _, verify::verify};
use serde_json::json;

use super::{everything, findings};
use crate::support::{
    payload,
    root::{Root, session_dir},
    wait,
    world::World,
};

#[test]
fn a_root_that_is_not_there_is_told_and_is_not_made() {
    let root = Root::absent();
    let error = verify(&root.path()).unwrap_err();
    assert!(error.details().unwrap().contains("ENOENT"), "{error}");
    assert!(!root.path().exists());
    fs::create_dir(root.path()).unwrap();
    assert!(findings(&root).is_empty());
}

#[test]
fn a_root_that_is_a_file_is_refused() {
    let root = Root::absent();
    fs::write(root.path(), "precious").unwrap();
    let error = verify(&root.path()).unwrap_err();
    assert_eq!(error.name(), "StoreIoError", "{error}");
    assert!(error.to_string().contains("ENOTDIR"), "{error}");
}

/// Everything that a store does, with the store still open and after it is gone.
#[test]
fn a_store_leaves_nothing_wrong() {
    let root = Root::absent();
    let store = root.store();
    let world = World::new(&store);
    let [a, b, c, d] = world.sessions();
    world.say(&a, "hello");
    world.say(&a, "again");
    let edge = world.edge(&a, &b);
    world.edge(&b, &c);
    world.summarize(&b, &json!({})).unwrap();
    assert!(findings(&root).is_empty());
    // The edge moves to another parent; its folder stays, and outlives the session's.
    world.update_edge(&edge, &json!({ "parentSessionId": c.id.as_str() })).unwrap();
    assert!(findings(&root).is_empty());
    wait(store.delete_session(a.id.as_str(), &world.tenant)).unwrap();
    wait(store.delete_session(d.id.as_str(), &world.tenant)).unwrap();
    let folder = session_dir(world.project.id.as_str(), a.id.as_str());
    assert!(root.at(&folder).join("subsessions").exists(), "the edge is still there");
    assert!(findings(&root).is_empty());
    wait(store.close()).unwrap();
    assert!(findings(&root).is_empty());
}

#[test]
fn a_copy_of_a_root_in_use_has_nothing_wrong() {
    let root = Root::absent();
    let store = root.store();
    let world = World::new(&store);
    let [a, b] = world.sessions();
    world.edge(&a, &b);
    world.say(&a, "hello");
    // Its journal is not empty, and its marks are those of another file.
    let copy = Root::copy_of(&root.path());
    assert!(findings(&copy).is_empty());
}

#[test]
fn entries_that_are_not_ours_are_nothing_wrong() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| (world.project.id.clone(), world.session().id));
    root.write("projects/root-path-index.json", "{}");
    root.write("projects/.DS_Store", "");
    root.write("notes/today.txt", "x");
    let folder = session_dir(project.as_str(), session.as_str());
    root.write(&format!("{folder}/session.json.bak"), "old");
    root.write(&format!("{folder}/runs/run_1/upload.tmp"), "the application's");
    root.write(&format!("{folder}/subsessions/notes/subsession.json"), "not ours");
    root.write("threads/thd_x/runs/run_1/upload.tmp", "the application's");
    assert!(findings(&root).is_empty());
}

/// Every project of a migrated root has a session of one name.
#[test]
fn migrated_roots_have_nothing_wrong() {
    let root = Root::absent();
    root.fill(|world| {
        for project in [world.project.id.clone(), World::new(world.store).project.id] {
            let folder = session_dir(project.as_str(), "ses_legacy_default");
            let record = payload::value_of(&world.session());
            let record =
                record.to_string().replace(record["id"].as_str().unwrap(), "ses_legacy_default");
            root.write(&format!("{folder}/session.json"), record);
        }
    });
    fs::remove_dir_all(root.at(".store")).unwrap();
    let marker = r#"{"version":"0.2.0","at":"2026-01-02T03:04:05.006Z","migratedThreads":[]}"#;
    root.write(".migration/v0.2.0", marker);
    assert_eq!(findings(&root), [""; 0]);
}

#[test]
fn a_root_of_the_sdk_has_nothing_wrong() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/roots/sdk-0.2.0");
    if !fixture.exists() {
        return; // `fixture_root` says so
    }
    let root = Root::copy_of(&fixture.join("root"));
    assert!(findings(&root).is_empty());
}

#[cfg(unix)]
#[test]
fn a_root_that_may_not_be_written_is_verified_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = Root::absent();
    root.fill(|world| world.say(&world.session(), "hello"));
    root.write("projects/left.tmp", "");
    let paths: Vec<String> = everything(&root.path()).into_keys().collect();
    let allow = |writing: u32| {
        for path in &paths {
            let mode = fs::metadata(path).unwrap().permissions().mode() & 0o555 | writing;
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0);
    let found = findings(&root);
    allow(0o200);
    assert_eq!(found, ["leftover projects/left.tmp"]);
}
