//! What is wrong in the engine's own folder.

use std::fs;

use namzu_native::store::SessionStore as _;

use super::{findings, found};
use crate::support::{
    root::{Root, session_dir},
    wait,
    world::World,
};

/// A copy of a root whose journal still has everything, with one session and its log.
fn in_journal() -> (Root, String) {
    let root = Root::absent();
    let store = root.store();
    let world = World::new(&store);
    let session = world.session();
    world.say(&session, "first");
    world.say(&session, "second");
    let folder = session_dir(world.project.id.as_str(), session.id.as_str());
    (Root::copy_of(&root.path()), folder)
}

#[test]
fn committed_writes_that_the_records_do_not_show_are_told_and_judged_as_applied() {
    let (root, folder) = in_journal();
    let log = format!("{folder}/messages.jsonl");
    let whole = root.read(&log);
    root.write(&log, &whole[..whole.len() - 20]);
    assert_eq!(findings(&root), ["unapplied_transaction .store/frames"]);
    fs::remove_file(root.at(&format!("{folder}/session.json"))).unwrap();
    assert_eq!(findings(&root), ["unapplied_transaction .store/frames"]);

    let world = root.store();
    wait(world.delete_session("ses_nobody", &crate::support::alpha())).unwrap();
    assert_eq!(root.read(&log), whole, "the next open applies them");
    assert!(findings(&root).is_empty());
}

#[test]
fn a_frame_that_does_not_hold_is_told() {
    let (root, _) = in_journal();
    let mut journal = fs::read(root.at(".store/frames")).unwrap();
    let last = journal.windows(6).rposition(|bytes| bytes == b"second").unwrap();
    journal[last] ^= 1;
    root.write(".store/frames", journal);
    // The log has a line that the journal no longer knows of.
    let [unapplied, unreadable] = found(&root).try_into().unwrap();
    assert_eq!(super::in_short(&unapplied), "unapplied_transaction .store/frames");
    assert_eq!(super::in_short(&unreadable), "unreadable_journal .store/frames");
    assert!(unreadable.detail.contains("transaction 4"), "{}", unreadable.detail);
}

#[test]
fn a_header_that_does_not_hold_is_told() {
    let (root, _) = in_journal();
    let mut journal = fs::read(root.at(".store/frames")).unwrap();
    journal[20] ^= 1;
    root.write(".store/frames", journal);
    assert_eq!(findings(&root), ["unreadable_journal .store/frames"]);
}

#[test]
fn an_index_that_says_other_than_the_tree_is_told() {
    let (root, folder) = in_journal();
    // The tree was walked once, so that the index is to have all of it.
    let store = root.store();
    wait(store.refresh()).unwrap();
    wait(store.close()).unwrap();
    let record = root.read(&format!("{folder}/session.json"));
    let (base, id) = folder.rsplit_once('/').unwrap();
    root.write(&format!("{base}/{id}x/session.json"), record.replace(id, &format!("{id}x")));
    let lacking = found(&root);
    assert_eq!(super::in_short(&lacking[0]), "stale_index .store/index");
    assert!(lacking[0].detail.contains(&format!("session {id}x")), "{}", lacking[0].detail);

    fs::remove_dir_all(root.at(&format!("{base}/{id}x"))).unwrap();
    assert!(findings(&root).is_empty());
}

#[test]
fn an_index_with_more_than_the_tree_or_without_sense_is_told() {
    let root = Root::absent();
    let folder = root.fill(|world| {
        let session = world.session();
        wait(world.store.close()).unwrap();
        session_dir(world.project.id.as_str(), session.id.as_str())
    });
    let index = fs::read(root.at(".store/index")).unwrap();
    let mut damaged = index.clone();
    damaged[30] ^= 1;
    for bytes in [damaged, Vec::new()] {
        root.write(".store/index", bytes);
        assert_eq!(findings(&root), ["stale_index .store/index"]);
    }
    fs::remove_file(root.at(".store/index")).unwrap();
    assert_eq!(findings(&root), ["stale_index .store/index"]);
    root.write(".store/index", index);
    assert!(findings(&root).is_empty());
    fs::remove_dir_all(root.at(&folder)).unwrap();
    let found = found(&root);
    assert_eq!(super::in_short(&found[0]), "stale_index .store/index");
    assert!(found[0].detail.contains("the tree lacks"), "{}", found[0].detail);
}

#[test]
fn the_trash_unfinished_files_and_salvaged_fragments_are_listed() {
    let (root, folder) = in_journal();
    root.write(".store/trash/12.0/session.json", "{}");
    root.write(".store/index.tmp", "");
    assert_eq!(findings(&root), ["leftover .store/index.tmp", "leftover .store/trash/12.0"]);
    root.write(".store/salvage/ses_a.7.x.jsonl", "{\"id\":");
    fs::remove_dir_all(root.at(".store/trash")).unwrap();
    fs::remove_file(root.at(".store/index.tmp")).unwrap();
    assert_eq!(findings(&root), ["salvaged .store/salvage/ses_a.7.x.jsonl"]);
    assert!(root.at(&folder).exists());
}
