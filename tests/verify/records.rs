//! Damage to records, and to how they refer to each other.

use std::fs;

use namzu_native::model::{Session, SubSession};
use serde_json::json;

use super::{findings, found};
use crate::support::{
    root::{Root, edge_file, session_dir},
    world::World,
};

/// A root with two sessions and an edge between them, and where everything is.
struct Small {
    root: Root,
    project: String,
    parent: Session,
    child: Session,
    edge: SubSession,
}

impl Small {
    fn new() -> Self {
        let root = Root::absent();
        let (project, parent, child, edge) = root.fill(|world| {
            let [parent, child] = world.sessions();
            world.say(&parent, "first");
            world.say(&parent, "second");
            world.summarize(&child, &json!({})).unwrap();
            let edge = world.edge(&parent, &child);
            (world.project.id.as_str().to_owned(), parent, child, edge)
        });
        Self { root, project, parent, child, edge }
    }

    /// The same, edited by hand before anybody made an index.
    fn without_index() -> Self {
        let small = Self::new();
        fs::remove_dir_all(small.root.at(".store")).unwrap();
        small
    }

    fn folder(&self, session: &Session) -> String {
        session_dir(&self.project, session.id.as_str())
    }

    fn edge(&self) -> String {
        edge_file(&self.project, self.parent.id.as_str(), self.edge.id.as_str())
    }

    fn remove(&self, path: &str) {
        let path = self.root.at(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn every_kind_of_record_is_read() {
    let small = Small::without_index();
    let paths = [
        format!("projects/{}/project.json", small.project),
        format!("{}/session.json", small.folder(&small.child)),
        format!("{}/summary.json", small.folder(&small.child)),
        small.edge(),
    ];
    for path in paths {
        let whole = small.root.read(&path);
        let id = whole.split('"').find(|text| text.starts_with(['p', 's']) && text.contains('_'));
        let id = id.unwrap().to_owned();
        for damaged in [
            String::new(),
            whole[..whole.len() / 2].to_owned(),
            whole.replacen("tenantId", "tenant", 1),
            whole.replacen('{', "{\"schemaVersion\": 5,", 1),
            whole.replace(&id, &format!("{id}x")),
            "[]".to_owned(),
        ] {
            small.root.write(&path, &damaged);
            let found = findings(&small.root);
            let expected = format!("damaged_record {path}");
            // A summary's first id is its own, which no folder has.
            if !(path.ends_with("summary.json") && damaged.contains("sum_1x")) {
                assert!(found.contains(&expected), "{damaged}: {found:?}");
            }
            assert!(found.len() <= 1, "{damaged}: {found:?}");
        }
        small.root.write(&path, whole);
    }
    assert!(findings(&small.root).is_empty());
}

#[test]
fn damage_is_told_with_its_reason() {
    let small = Small::without_index();
    let path = format!("{}/session.json", small.folder(&small.child));
    small.root.edit(&path, "\"ownerVersion\"", "\"version\"");
    let found = found(&small.root);
    assert!(found[0].detail.starts_with("ownerVersion: "), "{}", found[0].detail);
}

#[test]
fn a_damaged_record_known_to_the_index_is_one_finding() {
    let small = Small::new();
    small.root.write(&small.edge(), "{");
    assert_eq!(findings(&small.root), [format!("damaged_record {}", small.edge())]);
}

#[test]
fn an_edge_whose_sessions_are_missing_dangles() {
    let small = Small::without_index();
    let [parent, child] = [&small.parent, &small.child].map(|s| small.folder(s));
    small.remove(&child);
    assert_eq!(findings(&small.root), [format!("dangling_edge {}", small.edge())]);
    for file in ["session.json", "messages.jsonl"] {
        small.remove(&format!("{parent}/{file}"));
    }
    let found = found(&small.root);
    let keys: Vec<&str> = found.iter().map(|f| f.detail.split(':').next().unwrap()).collect();
    assert_eq!(keys, ["childSessionId", "parentSessionId"]);
    assert!(found.iter().all(|finding| finding.path == small.edge()));
}

#[test]
fn an_edge_that_moved_away_from_a_missing_session_is_in_order() {
    let small = Small::without_index();
    let parent = small.folder(&small.parent);
    small.root.edit(&small.edge(), small.parent.id.as_str(), small.child.id.as_str());
    for file in ["session.json", "messages.jsonl"] {
        small.remove(&format!("{parent}/{file}"));
    }
    assert!(findings(&small.root).is_empty());
}

#[test]
fn what_is_left_of_a_session_without_its_record_is_an_orphan() {
    let small = Small::without_index();
    let [parent, child] = [&small.parent, &small.child].map(|s| small.folder(s));
    small.remove(&small.edge());
    for folder in [&parent, &child] {
        small.remove(&format!("{folder}/session.json"));
    }
    small.root.write(&format!("{parent}/runs/run_1/run.json"), "{}");
    let mut expected = [
        format!("orphan {parent}/messages.jsonl"),
        format!("orphan {parent}/runs"),
        format!("orphan {child}/summary.json"),
    ];
    expected.sort();
    assert_eq!(findings(&small.root), expected);
}

#[test]
fn sessions_of_a_project_without_its_record_are_orphans() {
    let small = Small::without_index();
    small.remove(&format!("projects/{}/project.json", small.project));
    let expected = format!("orphan projects/{}/sessions", small.project);
    assert_eq!(findings(&small.root), [expected]);
}

#[test]
fn a_torn_log_and_broken_lines_are_told_apart() {
    let small = Small::without_index();
    let log = format!("{}/messages.jsonl", small.folder(&small.parent));
    let whole = small.root.read(&log);
    small.root.write(&log, &whole[..whole.len() - 1]);
    assert!(findings(&small.root).is_empty(), "a whole line without a line break is read");
    small.root.write(&log, &whole[..whole.len() - 9]);
    assert_eq!(findings(&small.root), [format!("torn_log {log}:2")]);

    let (first, second) = whole.split_once('\n').unwrap();
    let foreign = second.replace("tnt_alpha", "tnt_beta");
    small.root.write(&log, format!("{first}\n\n{{\"id\":1}}\n{foreign}"));
    let expected = [3, 4].map(|line| format!("broken_line {log}:{line}"));
    assert_eq!(findings(&small.root), expected);
}

#[test]
fn a_long_log_is_read_line_by_line() {
    let small = Small::without_index();
    let log = format!("{}/messages.jsonl", small.folder(&small.parent));
    let line = small.root.read(&log).lines().next().unwrap().to_owned();
    // Lines of several lengths, so that no step of reading ends where a line does.
    let lines: Vec<String> =
        (0..5_000).map(|n| line.replace("first", &"x".repeat(n % 997))).collect();
    let text = lines.join("\n");
    assert!(text.len() > 3 << 20);
    small.root.write(&log, format!("{text}\nbroken\n{text}\n"));
    assert_eq!(findings(&small.root), [format!("broken_line {log}:5001")]);
}

#[test]
fn an_id_in_two_places_is_told_of_the_one_that_is_not_read() {
    let small = Small::without_index();
    let copy = |from: &str, to: &str| small.root.write(to, small.root.read(from));
    let session = format!("{}/session.json", small.folder(&small.child));
    let again = session.replace(&small.project, "prj_zz");
    copy(&session, &again);
    copy(&format!("projects/{}/project.json", small.project), "projects/prj_zz/project.json");
    small.root.edit("projects/prj_zz/project.json", &small.project, "prj_zz");
    let edge = small.edge();
    let edges = [edge.clone(), edge.replace(small.parent.id.as_str(), small.child.id.as_str())];
    copy(&edges[0], &edges[1]);
    let mut expected =
        [format!("duplicate_id {}", edges.iter().max().unwrap()), format!("duplicate_id {again}")];
    expected.sort();
    assert_eq!(findings(&small.root), expected);
}

#[test]
fn what_the_system_does_not_let_us_read_is_a_finding_too() {
    let small = Small::without_index();
    let path = format!("{}/session.json", small.folder(&small.child));
    small.remove(&path);
    fs::create_dir(small.root.at(&path)).unwrap();
    let found = found(&small.root);
    assert_eq!(super::in_short(&found[0]), format!("unreadable {path}"));
    assert!(found[0].detail.contains("EISDIR"), "{}", found[0].detail);
    assert_eq!(found.len(), 1);
}

#[test]
fn names_of_unfinished_files_are_left_over() {
    let small = Small::without_index();
    let folder = small.folder(&small.parent);
    let mut paths = [
        "x.tmp".to_owned(),
        "projects/x.tmp".to_owned(),
        format!("projects/{}/project.json.7.tmp", small.project),
        format!("{folder}/session.json.8.tmp"),
        format!("{}.9.tmp", small.edge()),
        ".migration/v0.2.0.tmp".to_owned(),
    ];
    paths.sort();
    for path in &paths {
        small.root.write(path, "{");
    }
    assert_eq!(findings(&small.root), paths.map(|path| format!("leftover {path}")));
}

#[test]
fn bundles_are_looked_into() {
    let root = Root::absent();
    root.fill(|world: &World<'_, _>| world.session());
    let bundle = |name: &str, files: &[(&str, &str)]| {
        for (file, text) in files {
            root.write(&format!("archive/{name}/{file}"), text);
        }
    };
    let identity = r#"{ "subSessionId": "sub_a", "sessionId": "ses_a", "tenantId": "t" }"#;
    // As the SDK writes it: without a word about the bundle's files.
    let marker = |name: &str| {
        format!(r#"{{ "archiveRef": "{name}", "archivedAt": "2026-01-01T00:00:00.000Z" }}"#)
    };
    let log = ("messages.jsonl", "");
    let id = ("subsession.json", identity);
    bundle("arc_good", &[id, log, ("archive.json", &marker("arc_good"))]);
    bundle("not-a-bundle", &[("notes", "")]);
    assert_eq!(findings(&root), [""; 0]);
    bundle("arc_open", &[id, log]);
    bundle("arc_nobody", &[log, ("archive.json", &marker("arc_nobody"))]);
    bundle("arc_bare", &[id, ("archive.json", &marker("arc_bare"))]);
    bundle("arc_other", &[id, log, ("archive.json", &marker("arc_good"))]);
    assert_eq!(
        findings(&root),
        [
            "damaged_record archive/arc_bare/messages.jsonl",
            "leftover archive/arc_nobody",
            "leftover archive/arc_open",
            "damaged_record archive/arc_other/archive.json",
        ]
    );
}
