//! Threads that cannot be migrated, links, and roots with nothing to migrate.

use std::fs;

use super::{super::Kind, world::World};
use crate::error::MigrationOp;

#[track_caller]
fn refused(world: &World, op: MigrationOp, path: &str) {
    let mut before = world.snapshot();
    before.insert(".migration/".to_owned(), String::new());
    let failure = world.migrate(1).unwrap_err();
    assert_eq!((failure.op, failure.path.as_str()), (op, path), "{failure}");
    let mut after = world.snapshot();
    after.insert(".migration/".to_owned(), String::new());
    assert_eq!(after, before, "nothing is changed");
}

#[test]
fn a_name_that_is_no_id_is_refused_before_anything_moves() {
    let long = format!("thd_{}", "a".repeat(114));
    for name in ["thd_Not An Id", "thd_", "thd_.", "thd_a.b", "thd_é", "thd_..%2fx", &long] {
        let world = World::legacy();
        world.write(&format!("threads/{name}/runs/r/f"), "x");
        refused(&world, MigrationOp::ValidateThreadId, &format!("threads/{name}"));
    }
    #[cfg(unix)]
    for name in ["thd_..\\x", "thd_a\nb"] {
        let world = World::legacy();
        world.write(&format!("threads/{name}/runs/r/f"), "x");
        refused(
            &world,
            MigrationOp::ValidateThreadId,
            &format!("threads/{}", name.replace('\\', "/")),
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_unicode_is_refused_too() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::legacy();
    let name = std::ffi::OsStr::from_bytes(b"threads/thd_\xff");
    fs::create_dir(world.root().join(name)).unwrap();
    let failure = world.migrate(1).unwrap_err();
    assert_eq!(failure.op, MigrationOp::ValidateThreadId);
    assert!(world.exists("threads/thd_a/runs/run_1/run.json"));
}

#[test]
fn the_longest_name_is_fine() {
    let world = World::empty();
    let name = "a-_Z".repeat(28) + "9";
    world.write(&format!("threads/thd_{name}/runs/r/f"), "x");
    assert_eq!(world.migrate(1).unwrap().kind, Kind::Migrated);
    let session = format!("projects/prj_legacy_{name}/sessions/ses_legacy_default");
    assert!(world.exists(&format!("{session}/runs/r/f")));
}

#[test]
fn a_file_in_place_of_a_folder_is_refused() {
    let world = World::legacy();
    world.write("threads/thd_file", "x");
    refused(&world, MigrationOp::ValidateThreadId, "threads/thd_file");
    let world = World::legacy();
    world.write("threads/thd_f/runs", "x");
    refused(&world, MigrationOp::RenameRuns, "threads/thd_f/runs");
    let world = World::legacy();
    world.write("projects/prj_legacy_b", "x");
    refused(&world, MigrationOp::MkdirSession, "projects/prj_legacy_b/sessions/ses_legacy_default");
}

#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    use std::os::unix::fs::symlink;
    let outside = World::legacy();
    let kept = outside.snapshot();
    let target = outside.root().join("threads/thd_a");
    let session = "projects/prj_legacy_a/sessions/ses_legacy_default";
    for (link, op, path) in [
        ("threads/thd_link", MigrationOp::ValidateThreadId, "threads/thd_link"),
        ("threads/thd_l/runs", MigrationOp::RenameRuns, "threads/thd_l/runs"),
        ("projects", MigrationOp::MkdirSession, "projects"),
        ("projects/prj_legacy_a", MigrationOp::MkdirSession, "projects/prj_legacy_a"),
        (session, MigrationOp::MkdirSession, session),
        (
            "projects/prj_legacy_a/project.json",
            MigrationOp::WriteProjectJson,
            "projects/prj_legacy_a/project.json",
        ),
        (".migration", MigrationOp::WriteMarker, ".migration/v0.2.0"),
    ] {
        let world = World::legacy();
        let at = world.root().join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        if link.starts_with("projects/prj_legacy_a/") {
            fs::create_dir_all(world.root().join("projects/prj_legacy_a/sessions")).unwrap();
            fs::create_dir_all(world.root().join(session).parent().unwrap()).unwrap();
        }
        symlink(&target, &at).unwrap();
        let failure = world.migrate(1).unwrap_err();
        assert_eq!((failure.op, failure.path.as_str()), (op, path), "{failure}");
        world.check_nothing_is_lost(link);
        assert_eq!(outside.snapshot(), kept, "{link}");
    }

    let world = World::empty();
    symlink(outside.root().join("threads"), world.root().join("threads")).unwrap();
    let failure = world.migrate(1).unwrap_err();
    assert_eq!((failure.op, failure.path.as_str()), (MigrationOp::EnumerateThreads, "threads"));
    assert_eq!(outside.snapshot(), kept);
}

/// What an application calls by itself, over a folder, a marker or a lock that is a link.
#[cfg(unix)]
#[test]
fn the_marker_and_the_lock_by_themselves_follow_no_link_either() {
    use std::os::unix::fs::symlink;

    use crate::{
        migration::{acquire_lock, read_marker, release_lock, write_marker},
        timestamp::Timestamp,
    };
    let outside = World::empty();
    outside.write(".migration/v0.2.0.tmp", r#"{"at":"2020-01-01T00:00:00.000Z"}"#);
    outside.migrate(1).unwrap();
    let marker = read_marker(&outside.root().join(".migration/v0.2.0")).unwrap().unwrap();
    outside.write(".migration/v0.2.0.tmp", r#"{"at":"2020-01-01T00:00:00.000Z"}"#);
    let kept = outside.snapshot();
    for link in [".migration", ".migration/v0.2.0", ".migration/v0.2.0.tmp"] {
        let world = World::empty();
        let at = world.root().join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(outside.root().join(link), &at).unwrap();
        let [file, lock] =
            [".migration/v0.2.0", ".migration/v0.2.0.tmp"].map(|name| world.root().join(name));
        let is_refused = |answer: std::io::Result<()>| match answer {
            Ok(()) => false,
            Err(error) => matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENOTDIR)),
        };
        let is_folder = link == ".migration";
        let is_marker = link == ".migration/v0.2.0";
        let read = read_marker(&file);
        assert!(!matches!(read, Ok(Some(_))), "{link}");
        assert_eq!(is_refused(read.map(drop)), is_folder || is_marker, "{link}");
        // A link in the marker's own place is replaced, not followed.
        assert_eq!(is_refused(write_marker(&file, &marker)), is_folder, "{link}");
        assert_eq!(is_refused(acquire_lock(&lock, Timestamp::now())), !is_marker, "{link}");
        assert_eq!(is_refused(release_lock(&lock)), is_folder, "{link}");
        assert_eq!(outside.snapshot(), kept, "{link}");
        assert!(!crate::migration::is_due(&world.root()));
    }
}

#[cfg(unix)]
#[test]
fn a_marker_with_a_second_name_is_not_believed() {
    let outside = World::empty();
    outside.migrate(1).unwrap();
    let world = World::legacy();
    fs::create_dir(world.root().join(".migration")).unwrap();
    fs::hard_link(outside.root().join(".migration/v0.2.0"), world.root().join(".migration/v0.2.0"))
        .unwrap();
    let failure = world.migrate(1).unwrap_err();
    assert_eq!((failure.op, failure.code.as_str()), (MigrationOp::WriteMarker, "EMLINK"));
    world.check_nothing_is_lost("a marker with a second name");
}

#[cfg(target_os = "linux")]
#[test]
fn runs_whose_names_are_no_unicode_move_and_are_copied_too() {
    use std::os::unix::ffi::OsStrExt as _;

    use super::{hostile::Fault, world::finish};
    for crosses in [false, true] {
        let world = World::empty();
        world.write("threads/thd_a/runs/r/f", "x");
        let odd = std::ffi::OsStr::from_bytes(b"\xff");
        let from = world.root().join("threads/thd_a/runs").join(odd);
        fs::create_dir(&from).unwrap();
        fs::write(from.join(odd), "odd").unwrap();
        let (mut migration, _) = world.migration(Fault { crosses, ..Fault::default() }, 1);
        finish(&mut migration).unwrap();
        migration.release().unwrap();
        let to = world.root().join("projects/prj_legacy_a/sessions/ses_legacy_default/runs");
        assert_eq!(fs::read_to_string(to.join(odd).join(odd)).unwrap(), "odd");
        assert!(!world.exists("threads/thd_a/runs"));
    }
}

#[test]
fn a_root_without_threads_gets_a_marker_and_nothing_else() {
    for threads in [None, Some("threads")] {
        let world = World::empty();
        if let Some(file) = threads {
            world.write(file, "no folder");
        }
        let answer = world.migrate(1).unwrap();
        assert_eq!((answer.kind, answer.marker.threads.len()), (Kind::NoopNoLegacy, 0));
        let mut names: Vec<_> = world.snapshot().into_keys().collect();
        names.retain(|name| name != "threads");
        assert_eq!(names, [".migration/", ".migration/v0.2.0"]);
        assert!(!world.exists(".store"));
        assert_eq!(world.migrate(2).unwrap().kind, Kind::AlreadyMigrated);
    }
}

#[test]
fn a_root_that_is_missing_is_made() {
    let world = World::empty();
    fs::remove_dir(world.root()).unwrap();
    assert_eq!(world.migrate(1).unwrap().kind, Kind::NoopNoLegacy);
    assert!(world.exists(".migration/v0.2.0"));
}

#[test]
fn a_marker_that_says_nothing_is_none() {
    let world = World::legacy();
    world.write(".migration/v0.2.0", "{");
    assert_eq!(world.migrate(1).unwrap().kind, Kind::Migrated);
}
