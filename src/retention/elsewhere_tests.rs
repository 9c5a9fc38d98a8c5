//! Edges and evictions that are not as they were, bundles that are not the right ones.

use std::fs;

use super::{
    Returned, mark, mark_archived, put_back_returned,
    tests::{World, now},
};
use crate::{
    error::Error,
    id::WorkspaceId,
    model::{SubSession, SubSessionStatus},
    store::{DiskStore, Form, RecordStore, Selection, SessionStore as _},
    verify::{FindingKind, verify},
};

/// A world whose child is evicted, the bundle, and the lines of the messages in it.
fn evicted() -> (World<DiskStore>, String, String) {
    let world = World::new(|root| DiskStore::new(root), true);
    world.archive(true).unwrap();
    let edge = now(world.store.get_sub_session(world.edge.id.as_str(), &world.tenant));
    let archive_ref = edge.unwrap().unwrap().archive_ref.unwrap().to_string();
    let folder = world.store.root().unwrap().join("archive").join(&archive_ref);
    let lines = fs::read_to_string(folder.join("messages.jsonl")).unwrap();
    (world, archive_ref, lines)
}

fn put_back(world: &World<DiskStore>, archive_ref: &str, lines: &str) -> Result<(), Error> {
    let (archive_ref, lines) = (archive_ref.to_owned(), vec![lines.to_owned()]);
    let returned = Returned { archive_ref, lines, summary: None };
    let restoration =
        now(put_back_returned(&world.store, world.child.as_str(), returned, &world.tenant))?;
    now(super::end_eviction(&world.store, restoration.unwrap()))
}

fn is_evicted(world: &World<DiskStore>) -> bool {
    world.store.read(|records| records.eviction(&world.child)).unwrap().is_some()
}

#[test]
fn messages_come_back_from_the_bundle_that_their_eviction_names() {
    let (world, archive_ref, lines) = evicted();
    let refused = put_back(&world, "arc_another", &lines);
    assert!(matches!(refused, Err(Error::SessionEvicted { .. })), "{refused:?}");
    assert!(is_evicted(&world));
    put_back(&world, &archive_ref, &lines).unwrap();
    assert_eq!(world.messages(), world.log);
}

#[test]
fn messages_of_another_session_are_not_put_back() {
    let (world, archive_ref, lines) = evicted();
    let refused = put_back(&world, &archive_ref, &lines.replace("tnt_a", "tnt_b"));
    let is_corrupt = matches!(refused, Err(Error::ArchiveNotFound { reason: "corrupt", .. }));
    assert!(is_corrupt, "{refused:?}");
    assert!(is_evicted(&world));
}

#[test]
fn a_bundle_that_lost_a_message_is_refused() {
    let world = World::new(|root| DiskStore::new(root), true);
    let (id, tenant) = (world.edge.id.as_str(), &world.tenant);
    let lines = world.store.read(|records| {
        let child = records.session(&world.child)?.unwrap();
        let mut span = records.span(&child, &Selection::default())?;
        records.next_chunk(&mut span, Form::Line, 1 << 20)
    });
    let lines = lines.unwrap().unwrap();
    let state = mark(&world.store, id, tenant).unwrap().unwrap();
    let archived = SubSession {
        status: SubSessionStatus::Archived,
        archive_ref: Some("elsewhere".into()),
        ..world.edge.clone()
    };
    assert!(now(mark_archived(&world.store, archived, state, true, None, tenant)).unwrap());
    let (one_less, _) = lines.trim_end().rsplit_once('\n').unwrap();
    let refused = put_back(&world, "elsewhere", &format!("{one_less}\n"));
    let is_incomplete = matches!(refused, Err(Error::ArchiveNotFound { reason: "incomplete", .. }));
    assert!(is_incomplete, "{refused:?}");
    assert!(is_evicted(&world));
    put_back(&world, "elsewhere", &lines).unwrap();
    assert_eq!(world.messages(), world.log);
}

#[test]
fn an_edge_that_was_changed_since_it_was_read_is_not_marked() {
    for (evict, changed) in [(true, true), (false, true), (true, false)] {
        let world = World::new(|root| DiskStore::new(root), true);
        let read = mark(&world.store, world.edge.id.as_str(), &world.tenant).unwrap().unwrap();
        if changed {
            let edge = SubSession { workspace_id: WorkspaceId::new("wsp_a"), ..world.edge.clone() };
            now(world.store.update_sub_session(edge, &world.tenant)).unwrap();
        }
        let edge = SubSession {
            status: SubSessionStatus::Archived,
            archive_ref: Some("arc_a".into()),
            ..world.edge.clone()
        };
        let marked = mark_archived(&world.store, edge, read, evict, None, &world.tenant);
        assert_eq!(now(marked).unwrap(), !changed);
        assert_eq!(world.status() == SubSessionStatus::Archived, !changed);
        assert_eq!(is_evicted(&world), !changed);
    }
}

#[test]
fn the_edge_that_leads_to_evicted_messages_stays() {
    let (world, archive_ref, lines) = evicted();
    let edge = world.edge.id.as_str();
    for refused in [
        now(world.store.delete_sub_session(edge, &world.tenant)),
        now(world.store.update_sub_session(world.edge.clone(), &world.tenant)),
    ] {
        assert!(matches!(refused, Err(Error::SessionEvicted { .. })), "{refused:?}");
    }
    assert_eq!(world.status(), SubSessionStatus::Archived);
    put_back(&world, &archive_ref, &lines).unwrap();
    now(world.store.delete_sub_session(edge, &world.tenant)).unwrap();
}

/// Gone as a whole, or without what makes it complete.
#[test]
fn an_evicted_session_whose_bundle_is_gone_is_found() {
    for taken in ["", "archive.json", "subsession.json"] {
        let (world, archive_ref, _) = evicted();
        let root = world.store.root().unwrap();
        assert_eq!(verify(root).unwrap(), []);
        let folder = root.join("archive").join(&archive_ref);
        if taken.is_empty() {
            fs::remove_dir_all(folder).unwrap();
        } else {
            fs::remove_file(folder.join(taken)).unwrap();
        }
        let findings = verify(root).unwrap();
        let is_missed = findings.iter().any(|finding| {
            finding.kind == FindingKind::MissingBundle && finding.path.ends_with("/evicted.json")
        });
        assert!(is_missed, "without {taken:?} of it: {findings:?}");
    }
}
