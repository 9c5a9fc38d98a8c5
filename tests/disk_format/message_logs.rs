//! Logs that other hands have been in: empty lines, broken lines, other layouts.

use namzu_native::store::SessionStore;

use crate::support::{
    alpha, beta, dated,
    errors::expect_corrupt,
    root::{Root, session_dir},
    wait,
    world::{World, elements},
};

/// A root with one session of three messages: its log's path and lines.
fn three_messages(root: &Root) -> (String, String, Vec<String>) {
    let (project, session) = root.fill(|world| {
        let session = world.session();
        for content in ["one", "two", "three"] {
            world.say(&session, content);
        }
        (world.project.id.clone(), session.id)
    });
    let file = format!("{}/messages.jsonl", session_dir(project.as_str(), session.as_str()));
    let lines = root.read(&file).lines().map(str::to_owned).collect();
    (session.as_str().to_owned(), file, lines)
}

#[test]
fn empty_lines_are_harmless() {
    let root = Root::absent();
    let (session, file, lines) = three_messages(&root);
    root.write(&file, format!("\n\n{}\n\n{}\n{}\n\n", lines[0], lines[1], lines[2]));
    let store = root.store();
    let log = dated(wait(store.load_session_messages(&session, &alpha())).unwrap());
    assert_eq!(elements(&log), lines);
    assert_eq!(World::new(&store).messages(&session).len(), 3);
}

#[test]
fn a_broken_line_is_named_by_file_and_number() {
    let root = Root::absent();
    let (session, file, lines) = three_messages(&root);
    let (store, tenant) = (root.store(), alpha());
    let missing_key = lines[1].replacen("\"id\":", "\"no id\":", 1);
    let cut = lines[1].split_at(lines[1].len() / 2).0;
    for broken in [cut, "x", "{}", "[]", "null", &missing_key, &"\0".repeat(8)] {
        for (text, line) in [
            (format!("{broken}\n{}\n{}\n", lines[0], lines[2]), 1),
            (format!("{}\n{broken}\n{}\n", lines[0], lines[2]), 2),
            (format!("{}\n\n\n{broken}\n{}", lines[0], lines[2]), 4),
            // The last line is not torn when it ends in a line break.
            (format!("{}\n{}\n{broken}\n", lines[0], lines[2]), 3),
        ] {
            root.write(&file, text);
            let messages = wait(store.load_messages(&session, &tenant));
            expect_corrupt(messages, &file, Some(line));
            let envelopes = wait(store.load_session_messages(&session, &tenant));
            expect_corrupt(envelopes, &file, Some(line));
        }
    }
}

#[test]
fn bytes_that_are_no_text_break_their_line() {
    let root = Root::absent();
    let (session, file, lines) = three_messages(&root);
    let mut bytes = root.read(&file).into_bytes();
    bytes[lines[0].len() + 1 + lines[1].len() - 40] = 0xff;
    root.write(&file, bytes);
    expect_corrupt(wait(root.store().load_messages(&session, &alpha())), &file, Some(2));
}

#[test]
fn a_broken_log_harms_only_its_own_session() {
    let root = Root::absent();
    let (session, file, lines) = three_messages(&root);
    root.write(&file, format!("x\n{}\n", lines[0]));
    let store = root.store();
    let read = wait(store.get_session(&session, &alpha())).unwrap().unwrap();
    let world = World::new(&store);
    let sibling = world.session();
    world.say(&sibling, "fine");
    assert_eq!(world.contents(&sibling), ["fine"]);
    assert_eq!(read.id.as_str(), session);
}

#[test]
fn a_broken_log_is_not_shown_to_another_tenant() {
    let root = Root::absent();
    let (session, file, _) = three_messages(&root);
    root.write(&file, "x\nx\n");
    let error = wait(root.store().load_messages(&session, &beta())).unwrap_err();
    assert_eq!(error.name(), "TenantIsolationError");
}

#[test]
fn lines_in_another_layout_are_read() {
    // Another writer's line breaks and spaces; the keys in another order.
    let root = Root::absent();
    let (session, file, lines) = three_messages(&root);
    let loose = format!(
        r#" {{ "at" : "2026-04-02T08:00:00.000Z", "more": 1, "message" : {{ "role" : "user" }}, "tenantId":"tnt_alpha", "sessionId":"{session}", "id":"msg_1" }} "#
    );
    root.write(&file, format!("{}\r\n{loose}\r\n{}\n", lines[0], lines[2]));
    let store = root.store();
    let envelopes =
        elements(&dated(wait(store.load_session_messages(&session, &alpha())).unwrap()));
    assert_eq!((&envelopes[0], &envelopes[2]), (&lines[0], &lines[2]));
    let envelope: serde_json::Value = serde_json::from_str(&envelopes[1]).unwrap();
    assert_eq!(envelope["id"], "msg_1");
    assert_eq!(envelope["at"], "2026-04-02T08:00:00.000Z");
    assert_eq!(envelope["message"], serde_json::json!({ "role": "user" }));
}
