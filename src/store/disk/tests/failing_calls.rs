//! Fails each file operation in turn, once and for a while.

use std::io::ErrorKind;

use super::fuzz::seed;
use super::scenario::{LIFE, Mode, RecordTree, Run, create_project, record_tree, trees};
use crate::{
    engine::simulated::{Fault, Seed, SimulatedDisk},
    error::{Error, Outcome},
    store::Durability,
    verify::{FindingKind, verify_view},
};

/// A step that failed and is said not to be done can be done again.
#[test]
fn an_operation_that_fails_once_loses_nothing_and_is_answered_truthfully() {
    let expected = trees(LIFE);
    let errors = [ErrorKind::Other, ErrorKind::StorageFull, ErrorKind::PermissionDenied];
    let errors = errors.into_iter().zip([0, 5, 60]);
    let in_modes = errors.flat_map(|error| Mode::ALL.map(|mode| (mode, error)));
    for (mode, (error, written)) in in_modes {
        let mut at = 0;
        loop {
            at += 1;
            let disk = SimulatedDisk::default();
            disk.set_fault(Some(Fault { at, for_ever: false, error, written }));
            let mut run = Run::of_mode(&disk, mode);
            let mut failures = 0;
            let mut done = 0;
            for step in LIFE {
                match step(&mut run) {
                    Ok(()) => done += 1,
                    Err(Error::StoreIo { outcome: Outcome::NotDone, .. }) => {
                        failures += 1;
                        step(&mut run).unwrap_or_else(|e| panic!("{error}, call {at}: {e}"));
                        done += 1;
                    }
                    // Done or unknown: the caller must look, which this test does below.
                    Err(Error::StoreIo { .. }) => {
                        failures += 1;
                        break;
                    }
                    Err(other) => panic!("{error}, call {at}: {other}"),
                }
            }
            assert!(failures <= 1, "one fault, one failure");
            let met = disk.calls() >= at;
            disk.set_fault(None);
            if failures == 1 && done < LIFE.len() {
                let engine = run.store.engine().unwrap();
                engine.checkpoint().unwrap();
                let found = record_tree(&disk);
                assert!(
                    found == expected[done] || found == expected[done + 1],
                    "{error}, call {at}: after {done} steps found {found:#?}"
                );
            } else {
                run.store.engine().unwrap().checkpoint().unwrap();
                assert_same_shape(&record_tree(&disk), expected.last().unwrap(), at);
            }
            if !met {
                break;
            }
        }
    }
}

/// A disk that fails for a while: what was acknowledged before is there, and everything
/// works when the fault is gone.
#[test]
fn a_fault_that_lasts_loses_nothing_and_is_over_when_it_is_over() {
    Mode::ALL.into_iter().for_each(lasting_fault);
}

fn lasting_fault(mode: Mode) {
    let expected = trees(LIFE);
    let mut met = true;
    let mut at = 0;
    while met {
        at += 3;
        let disk = SimulatedDisk::default();
        let error = ErrorKind::StorageFull;
        disk.set_fault(Some(Fault { at, for_ever: true, error, written: 7 }));
        let mut run = Run::of_mode(&disk, mode);
        let mut done = LIFE.iter().take_while(|step| step(&mut run).is_ok()).count();
        met = done < LIFE.len();
        disk.set_fault(None);
        let engine = run.store.engine().unwrap();
        engine.checkpoint().unwrap_or_else(|e| panic!("{mode:?}, call {at}: {e}"));
        let found = record_tree(&disk);
        if met && found != expected[done] {
            assert_eq!(
                found,
                expected[done + 1],
                "call {at}: neither before nor after step {done}"
            );
            done += 1;
        }
        // A step whose answer was lost made something that this run does not know of.
        if done < LIFE.len() && found == expected[done] && run.knows(&found) {
            for step in &LIFE[done..] {
                step(&mut run).unwrap_or_else(|e| panic!("call {at}, step {done}: {e}"));
            }
            run.store.engine().unwrap().flush().unwrap();
            assert_same_shape(&record_tree(&disk), expected.last().unwrap(), at);
        }
    }
    assert!(at > 100, "the scenario makes more calls than that");
}

/// A disk that stays full in the middle of a write: a program that reads the files then finds
/// every record whole.
#[test]
fn a_write_that_fails_midway_leaves_every_record_whole() {
    Mode::ALL.into_iter().for_each(fails_midway);
}

fn fails_midway(mode: Mode) {
    let mut at = 0;
    loop {
        at += 1;
        let disk = SimulatedDisk::default();
        let error = ErrorKind::StorageFull;
        disk.set_fault(Some(Fault { at, for_ever: true, error, written: 5 }));
        let mut run = Run::of_mode(&disk, mode);
        let done = LIFE.iter().take_while(|step| step(&mut run).is_ok()).count();
        for (path, text) in record_tree(&disk) {
            if path.ends_with(".json") {
                let whole = serde_json::from_str::<serde_json::Value>(&text);
                assert!(whole.is_ok(), "call {at}, step {done}: {path} holds {text:?}");
            }
        }
        if done == LIFE.len() {
            break;
        }
    }
    assert!(at > 100, "the scenario makes more calls than that");
}

/// A sync that fails may lose what it was to sync, and says so once; a write that fails
/// has written nothing before, or a part. What is acknowledged all the same, in that step
/// or after it, a power cut cannot take.
#[test]
fn what_is_acknowledged_after_a_failed_sync_survives_a_power_cut() {
    let seed = seed();
    // A frame's head with a part of the rest, a part of its head, and nothing.
    for written in [60, 5, 0] {
        Mode::ALL.into_iter().for_each(|mode| fails_once_and_is_cut(mode, written, seed));
    }
}

fn fails_once_and_is_cut(mode: Mode, written: usize, seed: u64) {
    let expected = trees(LIFE);
    let mut failed = 0;
    let mut at = 0;
    loop {
        at += 1;
        let disk = SimulatedDisk::default();
        let error = ErrorKind::Other;
        disk.set_fault(Some(Fault { at, for_ever: false, error, written }));
        let mut run = Run::of_mode(&disk, mode);
        let (mut answers, mut durable) = (Vec::new(), 0);
        for step in LIFE {
            answers.push(step(&mut run));
            if run.is_flushed() {
                durable = answers.iter().filter(|answer| answer.is_ok()).count();
            }
            if disk.calls() >= at {
                break;
            }
        }
        if disk.calls() < at {
            break;
        }
        disk.set_fault(None);
        let before = answers.len() - 1;
        let what = format!("NAMZU_SEED={seed}, {mode:?}, call {at} failed, {written} written");
        let known = match answers.last().unwrap() {
            Err(Error::StoreIo { outcome: Outcome::NotDone, .. }) => before..=before,
            Err(Error::StoreIo { outcome: Outcome::Unknown, .. }) => before..=before + 1,
            Ok(()) | Err(Error::StoreIo { outcome: Outcome::Done, .. }) => before + 1..=before + 1,
            Err(other) => panic!("{what}: {other}"),
        };
        failed += usize::from(answers.last().unwrap().is_err());
        // What was answered before it was synced may be lost, from the end.
        let possible = durable.min(*known.start())..=*known.end();
        for_each_cut(&disk, seed.wrapping_add(at), |found, cut| {
            let whole = expected[possible.clone()].contains(found);
            assert!(whole, "{what}, cut {cut}: not {possible:?} steps, but {found:#?}");
        });
        create_project(&mut run).unwrap_or_else(|error| panic!("{what}: {error}"));
        run.store.engine().unwrap().flush().unwrap_or_else(|error| panic!("{what}: {error}"));
        let acknowledged = record_tree(&disk);
        for_each_cut(&disk, seed.wrapping_add(at), |found, cut| {
            assert_eq!(*found, acknowledged, "{what}, a later step did not, cut {cut}");
        });
    }
    let least = if mode == Mode::Full { 100 } else { 30 };
    assert!(failed > least, "{mode:?}: the scenario has calls whose failure is an error: {failed}");
}

/// Cuts the power so that all is lost that can be, nothing, and some arbitrary parts.
fn for_each_cut(disk: &SimulatedDisk, seed: u64, check: impl Fn(&RecordTree, &str)) {
    let mut random = Seed::new(seed);
    let arbitrary = (0..4).map(|n| (disk.after_random_power_cut(&mut random), n.to_string()));
    let all = disk.after_power_cut(|_, _| None);
    let nothing = disk.after_power_cut(|_, _| Some(usize::MAX));
    let extremes = [(all, "of everything".to_owned()), (nothing, "of nothing".to_owned())];
    for (after, cut) in extremes.into_iter().chain(arbitrary) {
        let run = Run::new(&after, Durability::Full);
        run.store.engine().unwrap().checkpoint().unwrap();
        check(&record_tree(&after), &cut);
    }
}

/// After a step was repeated, ids differ: compares what does not depend on them.
#[track_caller]
fn assert_same_shape(
    found: &super::scenario::RecordTree,
    expected: &super::scenario::RecordTree,
    at: u64,
) {
    let shape = |tree: &super::scenario::RecordTree| {
        let mut shape: Vec<_> = tree
            .iter()
            .map(|(path, text)| (path.rsplit('/').next().unwrap().to_owned(), text.len()))
            .collect();
        shape.sort();
        shape
    };
    assert_eq!(shape(found), shape(expected), "call {at}");
}

/// What cannot be read is told as that, and nothing is concluded from it.
#[test]
fn a_check_that_meets_a_fault_finds_nothing_but_what_it_could_not_read() {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    // Up to where the sessions and edges are all there still.
    let mut whole = Vec::new();
    for step in LIFE {
        step(&mut run).unwrap();
        let entries = record_tree(&disk).len();
        if whole.last().is_none_or(|(most, _)| entries > *most) {
            whole.push((entries, disk.after_kill()));
        }
    }
    let (_, disk) = whole.pop().unwrap();
    let mut told = 0;
    for for_ever in [false, true] {
        let mut at = 0;
        loop {
            at += 1;
            let disk = disk.after_kill();
            let run = Run::new(&disk, Durability::Full);
            let engine = run.store.engine().unwrap();
            engine.checkpoint().unwrap();
            assert_eq!(verify_view(&engine).unwrap(), []);
            let error = ErrorKind::PermissionDenied;
            disk.set_fault(Some(Fault { at, for_ever, error, written: 0 }));
            match verify_view(&engine) {
                Ok(findings) => {
                    let kinds = findings.iter().map(|finding| finding.kind);
                    told += findings.len();
                    assert!(
                        kinds.into_iter().all(|k| k == FindingKind::Unreadable),
                        "{findings:?}"
                    );
                }
                Err(Error::StoreIo { .. }) => {}
                Err(other) => panic!("call {at}: {other}"),
            }
            if disk.calls() < at {
                break;
            }
        }
    }
    assert!(told > 20, "the check reads more than that");
}
