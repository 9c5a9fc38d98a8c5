//! Fails each file operation in turn, once and for a while.

use std::io::ErrorKind;

use super::scenario::{LIFE, Run, record_tree, trees};
use crate::{
    engine::simulated::{Fault, SimulatedDisk},
    error::{Error, Outcome},
    store::Durability,
};

/// A step that failed and is said not to be done can be done again.
#[test]
fn an_operation_that_fails_once_loses_nothing_and_is_answered_truthfully() {
    let expected = trees(LIFE, Durability::Full);
    let errors = [ErrorKind::Other, ErrorKind::StorageFull, ErrorKind::PermissionDenied];
    for (error, written) in errors.into_iter().zip([0, 5, 60]) {
        let mut at = 0;
        loop {
            at += 1;
            let disk = SimulatedDisk::default();
            disk.set_fault(Some(Fault { at, for_ever: false, error, written }));
            let mut run = Run::new(&disk, Durability::Full);
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
    let expected = trees(LIFE, Durability::Full);
    let mut met = true;
    let mut at = 0;
    while met {
        at += 3;
        let disk = SimulatedDisk::default();
        let error = ErrorKind::StorageFull;
        disk.set_fault(Some(Fault { at, for_ever: true, error, written: 7 }));
        let mut run = Run::new(&disk, Durability::Full);
        let mut done = LIFE.iter().take_while(|step| step(&mut run).is_ok()).count();
        met = done < LIFE.len();
        disk.set_fault(None);
        run.store.engine().unwrap().checkpoint().unwrap_or_else(|e| panic!("call {at}: {e}"));
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
            assert_same_shape(&record_tree(&disk), expected.last().unwrap(), at);
        }
    }
    assert!(at > 100, "the scenario makes more calls than that");
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
