//! Threads that cannot be migrated, links, and roots with nothing to migrate.

use std::fs;

use super::{
    super::{Kind, Op},
    world::World,
};

#[track_caller]
fn refused(world: &World, op: Op, path: &str) {
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
        refused(&world, Op::ValidateThreadId, &format!("threads/{name}"));
    }
    #[cfg(unix)]
    for name in ["thd_..\\x", "thd_a\nb"] {
        let world = World::legacy();
        world.write(&format!("threads/{name}/runs/r/f"), "x");
        refused(&world, Op::ValidateThreadId, &format!("threads/{}", name.replace('\\', "/")));
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
    assert_eq!(failure.op, Op::ValidateThreadId);
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
    refused(&world, Op::ValidateThreadId, "threads/thd_file");
    let world = World::legacy();
    world.write("threads/thd_f/runs", "x");
    refused(&world, Op::RenameRuns, "threads/thd_f/runs");
    let world = World::legacy();
    world.write("projects/prj_legacy_b", "x");
    refused(&world, Op::MkdirSession, "projects/prj_legacy_b/sessions/ses_legacy_default");
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
        ("threads/thd_link", Op::ValidateThreadId, "threads/thd_link"),
        ("threads/thd_l/runs", Op::RenameRuns, "threads/thd_l/runs"),
        ("projects", Op::MkdirSession, "projects"),
        ("projects/prj_legacy_a", Op::MkdirSession, "projects/prj_legacy_a"),
        (session, Op::MkdirSession, session),
        (
            "projects/prj_legacy_a/project.json",
            Op::WriteProjectJson,
            "projects/prj_legacy_a/project.json",
        ),
        (".migration", Op::WriteMarker, ".migration/v0.2.0"),
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
    assert_eq!((failure.op, failure.path.as_str()), (Op::EnumerateThreads, "threads"));
    assert_eq!(outside.snapshot(), kept);
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
