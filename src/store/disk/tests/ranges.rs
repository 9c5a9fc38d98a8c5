//! Ranges that name a message which is not there.

use super::scenario::{Run, append_batch, archive_edge, create_edge, create_project};
use super::scenario::{create_session, evict, now};
use crate::{
    engine::simulated::SimulatedDisk,
    error::{Error, Result},
    id::{MessageId, TenantId},
    store::{Durability, ExtendedSessionStore as _, Form, Log, Selection},
};

fn load(run: &Run, before: Option<&str>, after: Option<&str>) -> Result<Log> {
    let id = |id: &str| MessageId::new(id).unwrap();
    let selection = Selection { limit: None, before: before.map(id), after: after.map(id) };
    let tenant = TenantId::new("tnt_a").unwrap();
    let session = run.sessions[1].id.as_str();
    now(run.store.load_selected(session, &selection, Form::Bare, &tenant))
}

/// Which argument a range is refused for.
fn refused(answer: Result<Log>) -> String {
    match answer {
        Err(Error::InvalidArgument { argument, .. }) => argument,
        other => panic!("{other:?}"),
    }
}

/// The second session, with two messages and an archived edge that names it as its child.
fn with_two_messages() -> (SimulatedDisk, Run, Vec<String>) {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    for step in [create_project, create_session, create_session, create_edge, append_batch] {
        step(&mut run).unwrap();
    }
    archive_edge(&mut run).unwrap();
    let log = disk.files().into_iter().find(|(path, _)| path.ends_with("messages.jsonl")).unwrap();
    let lines = String::from_utf8(log.1).unwrap();
    let id = |line: &str| line.split('"').nth(3).unwrap().to_owned();
    (disk, run, lines.lines().map(id).collect())
}

#[test]
fn both_ends_of_a_range_must_be_there() {
    let (_disk, run, ids) = with_two_messages();
    let (first, second) = (Some(ids[0].as_str()), Some(ids[1].as_str()));
    assert!(load(&run, first, second).is_ok(), "crossed");
    for after in [None, first, second, Some("msg_none")] {
        assert_eq!(refused(load(&run, Some("msg_missing"), after)), "options.before");
    }
    for before in [None, first, second] {
        assert_eq!(refused(load(&run, before, Some("msg_missing"))), "options.after");
    }
}

#[test]
fn no_message_of_an_evicted_session_is_there() {
    let (_disk, mut run, ids) = with_two_messages();
    evict(&mut run).unwrap();
    let first = Some(ids[0].as_str());
    assert!(load(&run, None, None).is_ok());
    assert_eq!(refused(load(&run, first, None)), "options.before");
    assert_eq!(refused(load(&run, None, first)), "options.after");
}
