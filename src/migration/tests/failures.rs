//! File operations that fail: what is told, and that nothing is lost.

use std::{fs, io::ErrorKind};

use super::{
    super::Kind,
    hostile::Fault,
    world::{World, finish, migrated},
};
use crate::error::MigrationOp;

#[test]
fn a_failure_at_any_operation_is_told_and_gone_on_from() {
    let expected = migrated();
    for crosses in [false, true] {
        let mut seen = Vec::new();
        for at in 1.. {
            let world = World::legacy();
            let before = world.snapshot();
            let fault =
                Fault { at, crosses, error: Some(ErrorKind::StorageFull), ..Fault::default() };
            let (mut migration, hostile) = world.migration(fault, 1);
            let ended = finish(&mut migration);
            migration.release().unwrap();
            let what = format!("failed at {at}, crosses {crosses}");
            world.check_nothing_is_lost(&what);
            assert!(!world.exists(".migration/v0.2.0.tmp"), "{what}: the lock is left");
            if let Err(failure) = &ended {
                assert_eq!(failure.code, "ENOSPC", "{what}");
                if failure.op != MigrationOp::RenameRuns && failure.op != MigrationOp::WriteMarker {
                    let after = world.snapshot();
                    assert!(
                        before.iter().all(|(path, text)| after.get(path) == Some(text)),
                        "{what}"
                    );
                }
                if !seen.contains(&failure.op) {
                    seen.push(failure.op);
                }
            }
            world.migrate(2).unwrap();
            assert_eq!(world.snapshot(), expected, "{what}");
            if hostile.calls() < at {
                break;
            }
        }
        for op in [
            MigrationOp::AcquireLock,
            MigrationOp::EnumerateThreads,
            MigrationOp::MkdirSession,
            MigrationOp::RenameRuns,
            MigrationOp::WriteProjectJson,
            MigrationOp::WriteMarker,
        ] {
            assert!(seen.contains(&op), "{op} never failed");
        }
    }
}

#[test]
fn a_marker_that_is_a_folder_is_told_before_anything_is_done() {
    let world = World::legacy();
    fs::create_dir_all(world.root().join(".migration/v0.2.0")).unwrap();
    let before = world.snapshot();
    let failure = world.migrate(1).unwrap_err();
    assert_eq!(
        (failure.op, failure.path.as_str()),
        (MigrationOp::WriteMarker, ".migration/v0.2.0")
    );
    assert_eq!(failure.code, "EISDIR");
    assert_eq!(world.snapshot(), before);
    fs::remove_dir(world.root().join(".migration/v0.2.0")).unwrap();
    assert_eq!(world.migrate(2).unwrap().kind, Kind::Migrated);
}

#[test]
fn half_of_a_record_is_replaced_and_a_whole_one_stays() {
    let world = World::legacy();
    let project = "projects/prj_legacy_a/project.json";
    world.write(project, "{\n  \"id\": \"prj_leg");
    world.migrate(1).unwrap();
    assert_eq!(world.snapshot(), migrated());

    let world = World::legacy();
    let whole = migrated()[project].replace("legacy thd_a", "renamed");
    let whole = whole.replace("\"T00", "\"2026-01-07T00");
    world.write(project, &whole);
    world.migrate(1).unwrap();
    assert_eq!(fs::read_to_string(world.root().join(project)).unwrap(), whole);
}

#[test]
fn a_record_of_a_later_release_is_not_overwritten() {
    for (file, op) in [
        ("projects/prj_legacy_a/project.json", MigrationOp::WriteProjectJson),
        (
            "projects/prj_legacy_a/sessions/ses_legacy_default/session.json",
            MigrationOp::WriteSessionJson,
        ),
    ] {
        let world = World::legacy();
        world.write(file, r#"{"schemaVersion":99}"#);
        let failure = world.migrate(1).unwrap_err();
        assert_eq!((failure.op, failure.path.as_str()), (op, file));
        assert!(world.exists("threads/thd_a/runs/run_1/run.json"), "nothing has moved");
        assert!(world.exists("threads/thd_b/runs/run_4/report.md"), "nothing has moved");
    }
}

#[test]
fn runs_that_differ_at_both_ends_are_told_before_anything_is_done() {
    let world = World::legacy();
    let session = "projects/prj_legacy_b/sessions/ses_legacy_default";
    world.write(&format!("{session}/runs/run_4/report.md"), "another");
    let before = world.snapshot();
    let failure = world.migrate(1).unwrap_err();
    assert_eq!(
        (failure.op, failure.path.as_str()),
        (MigrationOp::RenameRuns, "threads/thd_b/runs")
    );
    assert!(failure.reason.contains("differ"), "{failure}");
    let mut after = world.snapshot();
    after.remove(".migration/");
    assert_eq!(after, before);
}
