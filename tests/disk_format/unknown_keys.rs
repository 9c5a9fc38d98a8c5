//! Keys of a record that we do not know survive our rewriting it.

use namzu_native::store::SessionStore;
use serde_json::json;

use crate::support::{
    alpha,
    errors::{expect_corrupt, expect_error},
    payload::absent,
    root::{Root, edge_file, session_dir},
    wait,
    world::World,
};

/// What another release stamped: in no alphabetical order, one amid the known keys.
const STAMPED: &str = r#"
  "zebra": {
    "b": [],
    "a": 1e3
  },
  "schemaVersion": 4,
  "_legacy": true"#;

/// Puts the stamped keys in front of a known one.
fn stamp(root: &Root, file: &str, before: &str) {
    root.edit(
        file,
        &format!("\"{before}\":"),
        &format!("{},\n  \"{before}\":", STAMPED.trim_start()),
    );
}

fn ends_with_the_stamped_keys(text: &str) -> bool {
    text.ends_with(&format!(",{STAMPED}\n}}"))
}

#[test]
fn a_sessions_survive_update_and_summary_at_the_end_in_their_order() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| (world.project.id.clone(), world.session()));
    let file = format!("{}/session.json", session_dir(project.as_str(), session.id.as_str()));
    stamp(&root, &file, "status");

    let store = root.store();
    let world = World::new(&store);
    world.update(&world.stored(&session), &json!({ "status": "active" })).unwrap();
    let updated = root.read(&file);
    assert!(ends_with_the_stamped_keys(&updated), "{updated}");
    world.summarize(&session, &json!({})).unwrap();
    let summarized = root.read(&file);
    assert!(summarized.contains(r#""status": "idle""#));
    assert!(ends_with_the_stamped_keys(&summarized), "{summarized}");
}

#[test]
fn an_edges_survive_an_update_but_a_cleared_field_stays_cleared() {
    let root = Root::absent();
    let (file, edge) = root.fill(|world| {
        let [parent, child] = world.sessions();
        let edge = world.edge(&parent, &child);
        let optional = json!({ "broadcastGroupId": "group", "archiveRef": "arc_1" });
        world.update_edge(&edge, &optional).unwrap();
        let project = world.project.id.as_str();
        (edge_file(project, parent.id.as_str(), edge.id.as_str()), world.stored_edge(&edge))
    });
    stamp(&root, &file, "updatedAt");
    let store = root.store();
    let world = World::new(&store);
    world.update_edge(&edge, &json!({ "archiveRef": absent() })).unwrap();
    let text = root.read(&file);
    assert!(ends_with_the_stamped_keys(&text), "{text}");
    assert!(text.contains("broadcastGroupId") && !text.contains("archiveRef"), "{text}");
}

#[test]
fn a_summary_that_is_recorded_again_is_left_as_it_is() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| {
        let session = world.session();
        world.summarize(&session, &json!({})).unwrap();
        (world.project.id.clone(), session)
    });
    let file = format!("{}/summary.json", session_dir(project.as_str(), session.id.as_str()));
    stamp(&root, &file, "outcome");
    let stamped = root.read(&file);
    let store = root.store();
    World::new(&store).summarize(&session, &json!({ "agentSummary": "other words" })).unwrap();
    assert_eq!(root.read(&file), stamped);
}

#[test]
fn a_known_key_is_no_unknown_one_wherever_it_stands() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| (world.project.id.clone(), world.session()));
    let file = format!("{}/session.json", session_dir(project.as_str(), session.id.as_str()));
    let before = root.read(&file);
    let reversed = before.trim_matches(['{', '}', '\n']).replace("\n  \"", "\n\n  \"");
    let mut members: Vec<&str> = reversed.split(",\n\n").collect();
    members.reverse();
    root.write(&file, format!("{{\n{}\n}}\n", members.join(",\n")));

    let store = root.store();
    let world = World::new(&store);
    world.update(&world.stored(&session), &json!({})).unwrap();
    let stamped = world.stored(&session).updated_at.to_string();
    let head = before.rsplit_once("\"updatedAt\"").unwrap().0;
    assert_eq!(root.read(&file), format!("{head}\"updatedAt\": \"{stamped}\"\n}}"));
}

#[test]
fn a_schema_version_above_4_is_refused() {
    let root = Root::absent();
    let (project, sessions, edge) = root.fill(|world| {
        let sessions: [_; 2] = world.sessions();
        world.summarize(&sessions[0], &json!({})).unwrap();
        let edge = world.edge(&sessions[0], &sessions[1]);
        (world.project.id.clone(), sessions, edge)
    });
    let dir = session_dir(project.as_str(), sessions[0].id.as_str());
    let files = [
        format!("projects/{project}/project.json"),
        format!("{dir}/summary.json"),
        edge_file(project.as_str(), sessions[0].id.as_str(), edge.id.as_str()),
        format!("{dir}/session.json"),
    ];
    let store = root.store();
    let read = |file: &str| match file.rsplit('/').next().unwrap() {
        "project.json" => wait(store.get_project(project.as_str(), &alpha())).map(drop),
        "summary.json" => wait(store.get_summary(sessions[0].id.as_str(), &alpha())).map(drop),
        "session.json" => wait(store.get_session(sessions[0].id.as_str(), &alpha())).map(drop),
        _ => wait(store.get_sub_session(edge.id.as_str(), &alpha())).map(drop),
    };
    for file in &files {
        let text = root.read(file);
        root.edit(file, "{\n  \"id\"", "{\n  \"schemaVersion\": 4,\n  \"id\"");
        read(file).unwrap();
        root.edit(file, "\"schemaVersion\": 4", "\"schemaVersion\": 5");
        let details = json!({ "path": file, "reason": "schemaVersion" });
        expect_error(read(file), "CorruptRecordError", &details);
        if file.ends_with("/session.json") {
            let world = World::new(&store);
            let refused = world.update(&sessions[0], &json!({}));
            assert_eq!(expect_corrupt(refused, file, None), "schemaVersion");
            assert!(root.read(file).contains("\"schemaVersion\": 5"), "it is left as it was");
        }
        root.write(file, text);
        read(file).unwrap();
    }
}
