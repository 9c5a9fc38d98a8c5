//! A tree that other programs have been in: stray names, doubled ids, other
//! tenants' edges.

use namzu_native::store::SessionStore;
use serde_json::{Value, json};

use crate::support::{
    alpha, beta,
    errors::{expect_attached, expect_isolation},
    payload::Text,
    root::{Root, edge_file, session_dir},
    wait,
    world::World,
};

#[test]
fn names_that_are_no_ids_are_ignored() {
    let root = Root::absent();
    let (project, [parent, child], edge) = root.fill(|world| {
        let sessions = world.sessions();
        let edge = world.edge(&sessions[0], &sessions[1]);
        (world.project.id.as_str().to_owned(), sessions, edge)
    });
    let dir = session_dir(&project, parent.id.as_str());
    let record = root.read(&edge_file(&project, parent.id.as_str(), edge.id.as_str()));
    for stray in [
        "projects/root-path-index.json".to_owned(),
        "projects/.DS_Store".to_owned(),
        format!("projects/{project}~"),
        format!("projects/{project}/sessions/.DS_Store"),
        format!("projects/{project}/sessions/{}.bak/session.json", parent.id),
        format!("projects/{project}/notes.txt"),
        format!("{dir}/session.json~"),
        format!("{dir}/.session.json.swp"),
        format!("{dir}/subsessions/.DS_Store"),
        format!("{dir}/subsessions/{}.orig/subsession.json", edge.id),
        "projects/not a project/sessions/ses_stray/session.json".to_owned(),
        "threads/thd_old/runs/run_1/x".to_owned(),
        "README.md".to_owned(),
    ] {
        root.write(&stray, if stray.contains(".orig") { &record } else { "stray" });
    }
    let before = root.records();
    let store = root.store();
    let tenant = &alpha();
    let children = wait(store.get_children(parent.id.as_str(), tenant)).unwrap();
    assert_eq!(children.text(), vec![edge].text());
    let line = [parent.id.as_str(), child.id.as_str()];
    assert_eq!(wait(store.get_ancestry(child.id.as_str(), tenant)).unwrap(), line);
    assert!(wait(store.get_session("ses_stray", tenant)).unwrap().is_none());
    assert!(wait(store.get_session("ses_unknown", tenant)).unwrap().is_none());
    assert_eq!(root.records(), before);
    World::new(&store).session();
}

/// The record of a session as a migration of old roots leaves it.
fn legacy_session(project: &str) -> String {
    let session = json!({
        "id": "ses_legacy_default",
        "projectId": project,
        "tenantId": "tnt_alpha",
        "status": "idle",
        "currentActor": null,
        "previousActors": [],
        "workspaceId": null,
        "ownerVersion": 0,
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
        "_legacy": true,
    });
    session.to_string()
}

#[test]
fn a_session_id_of_several_projects_is_that_of_the_smallest() {
    let root = Root::absent();
    let projects = ["prj_legacy_c", "prj_legacy_B", "prj_legacy_a"];
    let file =
        |project: &str| format!("{}/session.json", session_dir(project, "ses_legacy_default"));
    for project in projects {
        root.write(&file(project), legacy_session(project));
    }
    let untouched = root.read(&file("prj_legacy_c"));
    let store = root.store();
    let (id, tenant) = ("ses_legacy_default", &alpha());
    for expected in ["prj_legacy_B", "prj_legacy_a"] {
        let found = wait(store.get_session(id, tenant)).unwrap().unwrap();
        assert_eq!(found.project_id.as_str(), expected);
        let log = World::new(&store).say(&found, "hello");
        assert!(root.read(&format!("{}/messages.jsonl", session_dir(expected, id))).contains(&log));
        wait(store.delete_session(id, tenant)).unwrap();
        assert!(!root.at(&session_dir(expected, id)).exists());
    }
    let found = wait(store.get_session(id, tenant)).unwrap().unwrap();
    assert_eq!(found.project_id.as_str(), "prj_legacy_c");
    assert_eq!(root.read(&file("prj_legacy_c")), untouched);
}

#[test]
fn a_later_project_can_hold_a_smaller_session_of_the_same_id() {
    let root = Root::absent();
    let file =
        |project: &str| format!("{}/session.json", session_dir(project, "ses_legacy_default"));
    root.write(&file("prj_legacy_b"), legacy_session("prj_legacy_b"));
    root.write(&file("prj_legacy_c"), legacy_session("prj_legacy_c"));
    let read = || {
        let store = root.store();
        wait(store.get_session("ses_legacy_default", &alpha())).unwrap().unwrap().project_id
    };
    assert_eq!(read().as_str(), "prj_legacy_b");
    root.write(&file("prj_legacy_a"), legacy_session("prj_legacy_a"));
    assert_eq!(read().as_str(), "prj_legacy_a");
}

#[test]
fn tenancy_is_the_records_not_the_paths() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| (world.project.id.clone(), world.session().id));
    let dir = session_dir(project.as_str(), session.as_str());
    root.edit(
        &format!("{dir}/session.json"),
        "\"tnt_alpha\",\n  \"status\"",
        "\"tnt_beta\",\n  \"status\"",
    );
    let store = root.store();
    let resource = format!("session({session})");
    expect_isolation(wait(store.get_session(session.as_str(), &alpha())), "tnt_alpha", &resource);
    assert!(wait(store.get_session(session.as_str(), &beta())).unwrap().is_some());
}

#[test]
fn an_edge_that_became_another_tenants_is_left_out_but_blocks() {
    let root = Root::absent();
    let (project, [parent, child], edge, own) = root.fill(|world| {
        let sessions = world.sessions();
        let early = world.edge_at(&sessions[0], &sessions[1], "2020-01-01T00:00:00.000Z");
        let own = world.edge(&sessions[0], &sessions[1]);
        (world.project.id.as_str().to_owned(), sessions, early, own)
    });
    let file = edge_file(&project, parent.id.as_str(), edge.id.as_str());
    let mut record: Value = serde_json::from_str(&root.read(&file)).unwrap();
    record["tenantId"] = json!("tnt_beta");
    root.write(&file, record.to_string());

    let store = root.store();
    let tenant = &alpha();
    let children = wait(store.get_children(parent.id.as_str(), tenant)).unwrap();
    assert_eq!(children.text(), vec![own.clone()].text());
    let view = wait(store.drill(parent.id.as_str(), tenant)).unwrap().unwrap();
    assert_eq!(view.children.text(), vec![own.clone()].text());
    expect_isolation(
        wait(store.get_sub_session(edge.id.as_str(), tenant)),
        "tnt_alpha",
        &format!("sub-session({})", edge.id),
    );
    wait(store.delete_sub_session(own.id.as_str(), tenant)).unwrap();
    assert_eq!(wait(store.get_ancestry(child.id.as_str(), tenant)).unwrap(), [child.id.as_str()]);
    for session in [&parent, &child] {
        expect_attached(wait(store.delete_session(session.id.as_str(), tenant)));
    }
    wait(store.delete_sub_session(edge.id.as_str(), &beta())).unwrap();
    for session in [&parent, &child] {
        wait(store.delete_session(session.id.as_str(), tenant)).unwrap();
    }
}
