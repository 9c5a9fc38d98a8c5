//! A log whose last line was never finished.

use std::fs;

use namzu_native::{
    id::{ProjectId, SessionId},
    store::SessionStore,
};

use crate::support::{
    alpha,
    payload::{message, said},
    root::{Root, session_dir},
    wait,
    world::World,
};

const LAST: &str = r#"{"content":"last ✈","role":"user"}"#;
const NEXT: &str = r#"{"content":"next","role":"user"}"#;

struct Log {
    root: Root,
    file: String,
    session: SessionId,
    /// The log with its last line cut off.
    whole: String,
    /// That last line, without its line break.
    last: String,
}

fn log() -> Log {
    let root = Root::absent();
    let (project, session): (ProjectId, SessionId) = root.fill(|world| {
        let session = world.session();
        world.say(&session, "first");
        let id = session.id.as_str();
        wait(world.store.append_message(id, message(LAST), &alpha())).unwrap();
        (world.project.id.clone(), session.id)
    });
    let file = format!("{}/messages.jsonl", session_dir(project.as_str(), session.as_str()));
    let text = root.read(&file);
    let (first, last) = text.trim_end().split_once('\n').unwrap();
    Log { session, whole: format!("{first}\n"), last: last.to_owned(), root, file }
}

fn contents(root: &Root, session: &SessionId) -> Vec<String> {
    let store = root.store();
    World::new(&store).messages(session.as_str())
}

fn append(root: &Root, session: &SessionId) {
    let store = root.store();
    wait(store.append_message(session.as_str(), said("next"), &alpha())).unwrap();
}

fn salvaged(root: &Root) -> Vec<Vec<u8>> {
    let files = root.tree().into_iter();
    files
        .filter(|(path, _)| path.starts_with(".store/salvage/") && !path.ends_with('/'))
        .map(|(_, bytes)| bytes)
        .collect()
}

#[test]
fn a_whole_record_without_a_line_break_is_read_and_the_next_append_ends_it() {
    let Log { root, file, session, whole, last } = log();
    let ended_early = format!("{whole}{last}");
    root.write(&file, &ended_early);
    assert_eq!(contents(&root, &session)[1..], [LAST]);
    assert_eq!(root.read(&file), ended_early, "reading does not repair");

    append(&root, &session);
    assert_eq!(contents(&root, &session)[1..], [LAST, NEXT]);
    let text = root.read(&file);
    assert!(text.starts_with(&format!("{ended_early}\n")), "{text}");
    assert!(text.ends_with('\n'));
    assert_eq!(text.lines().count(), 3);
    assert!(salvaged(&root).is_empty(), "nothing was lost, so nothing is salvaged");
}

#[test]
fn a_fragment_is_left_out_and_moved_away_by_the_next_append() {
    let Log { root, file, session, whole, last } = log();
    for cut in 1..last.len() {
        let fragment = &last.as_bytes()[..cut];
        let torn = [whole.as_bytes(), fragment].concat();
        root.write(&file, &torn);
        assert_eq!(contents(&root, &session).len(), 1, "cut at {cut}");
        assert_eq!(root.tree()[&file], torn, "reading does not repair");

        append(&root, &session);
        assert_eq!(contents(&root, &session)[1..], [NEXT], "cut at {cut}");
        let text = root.read(&file);
        assert!(text.starts_with(&whole) && text.ends_with('\n'), "{text}");
        assert_eq!(text.lines().count(), 2);
        assert_eq!(salvaged(&root), [fragment], "cut at {cut}");
        // Nobody has the root open, so what is not the record tree may go.
        fs::remove_dir_all(root.at(".store")).unwrap();
    }
}

#[test]
fn a_fragment_of_the_same_place_does_not_replace_one_that_is_kept() {
    // The append that moved the first fragment away may itself be torn.
    let Log { root, file, session, whole, last } = log();
    for cut in [10, 20] {
        root.write(&file, format!("{whole}{}", &last[..cut]));
        append(&root, &session);
    }
    let mut kept = salvaged(&root);
    kept.sort();
    assert_eq!(kept, [10, 20].map(|cut| last.as_bytes()[..cut].to_vec()));
}

#[test]
fn what_is_json_but_no_record_is_a_fragment_too() {
    let Log { root, file, session, whole, .. } = log();
    for fragment in ["1", "{}", "\0\0\0\0", "not json"] {
        root.write(&file, format!("{whole}{fragment}"));
        assert_eq!(contents(&root, &session).len(), 1, "{fragment:?}");
        append(&root, &session);
        assert_eq!(contents(&root, &session)[1..], [NEXT], "{fragment:?}");
        assert!(salvaged(&root).iter().any(|bytes| bytes == fragment.as_bytes()));
    }
}

#[test]
fn a_log_of_nothing_but_a_fragment_reads_as_empty() {
    let Log { root, file, session, last, .. } = log();
    root.write(&file, &last[..10]);
    assert!(contents(&root, &session).is_empty());
    append(&root, &session);
    assert_eq!(contents(&root, &session), [NEXT]);
    assert_eq!(root.read(&file).lines().count(), 1);
}

#[test]
fn spaces_after_the_last_line_are_no_message() {
    let Log { root, file, session, whole, last } = log();
    root.write(&file, format!("{whole}{last}\n\n"));
    assert_eq!(contents(&root, &session).len(), 2);
    append(&root, &session);
    assert_eq!(contents(&root, &session)[1..], [LAST, NEXT]);
}
