//! Streams and lists beside writers that change the log under them.

use std::sync::atomic::{AtomicBool, Ordering};

use super::scenario::{Run, append_number, create_project, create_session, now};
use crate::{
    engine::simulated::SimulatedDisk,
    id::{SessionId, TenantId},
    model::Message,
    store::{
        DiskStore, Durability, ExtendedSessionStore as _, MessageStream, PageRequest, Selection,
    },
};

fn message(text: &str) -> Message {
    Message::from_payload(&format!(r#"{{"role":"user","content":"{text}"}}"#)).unwrap()
}

/// A store over a real directory with one session, and that session's id.
fn store_in(root: &std::path::Path) -> (DiskStore, String, TenantId) {
    let mut run = Run::new(&SimulatedDisk::default(), Durability::Relaxed);
    run.store = DiskStore::new(root).with_durability(Durability::Relaxed);
    create_project(&mut run).unwrap();
    create_session(&mut run).unwrap();
    append_number::<0>(&mut run).unwrap();
    (run.store.clone(), run.sessions[0].id.to_string(), TenantId::new("tnt_a").unwrap())
}

#[test]
fn a_stream_that_is_opened_while_the_log_is_replaced_is_never_empty() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let (store, id, tenant) = store_in(&root);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let writer = DiskStore::new(&root).with_durability(Durability::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                now(writer.replace_messages(&id, vec![message("instead")], &tenant)).unwrap();
                std::thread::yield_now();
            }
        });
        let mut empty = 0;
        for _ in 0..3_000 {
            let all = Selection::default();
            let stream = MessageStream::new(store.clone(), id.clone(), all, tenant.clone());
            empty += usize::from(stream.next().unwrap().is_none());
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(empty, 0);
    });
}

#[test]
fn a_stream_goes_on_as_it_began_when_the_session_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (store, id, tenant) = store_in(&folder.path().join("root"));
    let long = "x".repeat(300 << 10);
    for _ in 0..5 {
        now(store.append_messages(&id, vec![message(&long)], None, &tenant)).unwrap();
    }
    let stream = |id: &str| {
        MessageStream::new(store.clone(), id.to_owned(), Selection::default(), tenant.clone())
    };
    let begun = stream(&id);
    let mut chunks = vec![begun.next().unwrap().unwrap()];
    now(crate::store::SessionStore::delete_session(&store, &id, &tenant)).unwrap();
    while let Some(chunk) = begun.next().unwrap() {
        chunks.push(chunk);
    }
    let messages: usize = chunks.iter().map(|chunk| chunk.matches(&long).count()).sum();
    assert_eq!(messages, 5);
    assert_eq!(stream(&id).next().unwrap(), None);
}

/// Another program sets the time at which a session was created.
#[test]
fn a_list_goes_by_the_records_as_they_are_now() {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    create_project(&mut run).unwrap();
    [(); 2].iter().for_each(|()| create_session(&mut run).unwrap());
    let (project, tenant) = (run.project.clone().unwrap().id, TenantId::new("tnt_a").unwrap());
    let listed = || -> Vec<SessionId> {
        let page = PageRequest::default();
        let list = run.store.list_sessions_by_project(project.as_str(), None, &tenant, &page);
        now(list).unwrap().items.into_iter().map(|session| session.id).collect()
    };
    let before = listed();
    assert_eq!((before.len(), listed()), (2, before.clone()));
    let record = format!("projects/{project}/sessions/{}/session.json", before[0]);
    disk.damage(&record, |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let later = text.replace("\"createdAt\": \"2026", "\"createdAt\": \"2027");
        assert_ne!(later, text);
        *bytes = later.into_bytes();
    });
    assert_eq!(listed(), [before[1].clone(), before[0].clone()]);
}
