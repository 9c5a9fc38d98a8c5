//! Processes that die at each single file operation, and others that go on.

use super::{
    super::{Kind, Step},
    hostile::Fault,
    world::{World, finish, migrated},
};

/// Runs a migration that dies at an operation; answers whether it came so far.
fn die_at(world: &World, at: u64, crosses: bool, day: u32) -> bool {
    let fault = Fault { at, stops: true, crosses, ..Fault::default() };
    let (mut migration, hostile) = world.migration(fault, day);
    let ended = finish(&mut migration);
    let died = hostile.calls() >= at;
    assert!(died || ended.is_ok(), "{ended:?}");
    migration.die();
    died
}

#[test]
fn a_migration_that_dies_at_any_operation_ends_as_if_it_had_run_once() {
    let expected = migrated();
    for crosses in [false, true] {
        let mut at = 1;
        loop {
            let world = World::legacy();
            let what = format!("died at {at}, crosses {crosses}");
            let died = die_at(&world, at, crosses, 1);
            world.check_nothing_is_lost(&what);
            let answer = world.migrate(2).unwrap_or_else(|failure| panic!("{what}: {failure}"));
            assert_eq!(world.snapshot(), expected, "{what}");
            if answer.kind == Kind::Migrated {
                assert_eq!(answer.marker.threads.len(), 3, "{what}");
            }
            assert_eq!(world.migrate(3).unwrap().kind, Kind::AlreadyMigrated, "{what}");
            assert_eq!(world.snapshot(), expected, "{what}");
            if !died {
                assert_eq!(answer.kind, Kind::AlreadyMigrated, "it died with the lock in its hand");
                break;
            }
            at += 1;
        }
        assert!(at > 40, "{at} operations are too few to be all of them");
    }
}

#[test]
fn so_does_one_that_dies_again_and_again() {
    let expected = migrated();
    for crosses in [false, true] {
        for first in (1..90).step_by(11) {
            let world = World::legacy();
            let mut at = first;
            let mut died = die_at(&world, at, crosses, 1);
            for day in 2..6 {
                at = (at * 5) % 61 + 11;
                died = die_at(&world, at, !crosses, day);
                world.check_nothing_is_lost(&format!("first {first}, then {at}"));
            }
            world.migrate(20).unwrap();
            assert_eq!(world.snapshot(), expected, "first {first}, died last {died}");
        }
    }
}

#[test]
fn a_migration_that_is_told_to_stop_is_gone_on_with() {
    let expected = migrated();
    for steps in 0..4 {
        let world = World::legacy();
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let now = crate::timestamp::Timestamp::parse("2026-01-01T00:00:00.000Z").unwrap();
        let mut migration = super::super::Migration::new(&world.root(), now, stop.clone());
        for _ in 0..steps {
            migration.step().unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(migration.step().unwrap(), Step::Stopped));
        drop(migration);
        assert!(!world.exists(".migration/v0.2.0.tmp"), "the lock is given back");
        world.migrate(2).unwrap();
        assert_eq!(world.snapshot(), expected);
    }
}

#[test]
fn runs_that_an_application_added_meanwhile_move_too() {
    let mut at = 1;
    let world = loop {
        let world = World::legacy();
        assert!(die_at(&world, at, false, 1), "it dies while it moves runs");
        if !world.exists("threads/thd_a/runs") {
            break world;
        }
        at += 1;
    };
    world.write("threads/thd_a/runs/run_9/run.json", "{}");
    world.write("threads/thd_late/runs/run_1/run.json", "{}");
    let answer = world.migrate(2).unwrap();
    assert_eq!((answer.kind, answer.marker.threads.len()), (Kind::Migrated, 4));
    world.check_nothing_is_lost("an application went on");
    let session = |thread| format!("projects/prj_legacy_{thread}/sessions/ses_legacy_default");
    assert!(world.exists(&format!("{}/runs/run_9/run.json", session("a"))));
    assert!(world.exists(&format!("{}/runs/run_1/run.json", session("late"))));
    assert!(!world.exists("threads/thd_a/runs"));
}
