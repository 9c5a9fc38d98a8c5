//! The operations, on a temporary directory.

use std::fs;

use super::*;
use crate::engine::disk::{remove_tree, with_parents};

fn disk() -> (tempfile::TempDir, RealDisk) {
    let root = tempfile::tempdir().unwrap();
    let disk = RealDisk::new(root.path());
    (root, disk)
}

#[test]
fn a_tail_replaces_whatever_came_after_its_offset() {
    let (_root, disk) = disk();
    disk.write("log", b"line\ntorn and long").unwrap();
    disk.write_tail("log", 5, b"x\n").unwrap();
    assert_eq!(disk.read("log").unwrap(), b"line\nx\n");
    assert_eq!(disk.read_at("log", 5, 10).unwrap(), b"x\n");
    assert_eq!(disk.stat("log").unwrap().len, 7);
}

#[test]
fn folders_are_made_as_needed_and_trees_removed_whole() {
    let (_root, disk) = disk();
    with_parents(&disk, "a/b/c", || disk.write("a/b/c", b"1")).unwrap();
    with_parents(&disk, "a/b/d", || disk.write("a/b/d", b"2")).unwrap();
    for (most, listed) in [(0, 0), (1, 1), (2, 2), (3, 2)] {
        assert_eq!(disk.list_some("a/b", most).unwrap().len(), listed);
    }
    remove_tree(&disk, "a").unwrap();
    remove_tree(&disk, "a").unwrap();
    assert!(disk.list("").unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_private() {
    use std::os::unix::fs::MetadataExt as _;
    let (root, disk) = disk();
    with_parents(&disk, "d/f", || disk.write("d/f", b"")).unwrap();
    let mode = |name: &str| fs::metadata(root.path().join(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("d"), mode("d/f")), (0o700, 0o600));
}

#[test]
fn a_lock_excludes_other_handles_of_the_file() {
    let (_root, disk) = disk();
    let first = disk.open("lock", true).unwrap();
    let second = disk.open("lock", true).unwrap();
    assert_eq!(first.id(), second.id());
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    first.unlock().unwrap();
    assert!(second.try_lock().unwrap());
}

#[test]
fn room_is_made_and_kept() {
    let (_root, disk) = disk();
    let file = disk.open("journal", true).unwrap();
    file.allocate(10_000).unwrap();
    assert_eq!(file.len().unwrap(), 10_000);
    file.write_at(3, b"abc").unwrap();
    assert_eq!(file.read_at(2, 5).unwrap(), b"\0abc\0");
}

#[cfg(unix)]
#[test]
fn a_root_that_cannot_be_looked_at_is_not_taken_for_one_that_is_missing_or_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::os::unix::fs::symlink(&root, &root).unwrap();
    let code = |error: io::Error| error.raw_os_error();
    for missing in [root.clone(), root.join("below")] {
        let refused = RealDisk::new(&missing).create_root().unwrap_err();
        assert_eq!(code(refused), Some(libc::ELOOP));
        assert_eq!(code(create_root(&missing).unwrap_err()), Some(libc::ELOOP));
    }
    fs::remove_file(&root).unwrap();
    fs::write(&root, b"").unwrap();
    assert_eq!(code(create_root(&root).unwrap_err()), Some(libc::EEXIST));
    create_root(&folder.path().join("a/b")).unwrap();
    create_root(&folder.path().join("a/b")).unwrap();
}
