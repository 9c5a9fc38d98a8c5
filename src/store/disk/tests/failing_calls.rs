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
