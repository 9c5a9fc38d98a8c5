//! Randomized comparison: the same operations on the memory store and on the disk
//! store, every answer and every error equal.
//!
//! A failure names its seed; `NAMZU_SEED=<seed> cargo test --test comparison` runs
//! that one again.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails where an answer is missing"
)]

#[path = "comparison/known.rs"]
mod known;
#[path = "comparison/names.rs"]
mod names;
#[path = "comparison/operation.rs"]
mod operation;
#[path = "comparison/random.rs"]
mod random;
#[path = "comparison/script.rs"]
mod script;
#[path = "comparison/side.rs"]
mod side;
mod support;

use std::{collections::BTreeMap, env};

use namzu_native::store::MemoryStore;

use crate::{script::Script, side::Side, support::root::Root};

const SEEDS: u64 = 40;
const OPERATIONS: usize = 200;

#[test]
fn both_stores_give_the_same_answers() {
    match env::var("NAMZU_SEED") {
        Ok(seed) => compare(seed.parse().unwrap()),
        Err(_) => (1..=SEEDS).for_each(compare),
    }
}

/// Runs one seed's operations on both stores, step by step.
fn compare(seed: u64) {
    let root = Root::absent();
    let mut memory = Side::new(MemoryStore::new());
    let mut disk = Side::new(root.store());
    let mut script = Script::new(seed);
    for step in 0..OPERATIONS {
        let operation = script.next();
        let (expected, found) = (memory.apply(&operation), disk.apply(&operation));
        assert_eq!(
            expected, found,
            "memory (left) and disk (right) differ; replay with NAMZU_SEED={seed}: \
             step {step}, {operation:?}",
        );
        script.learn(&operation, &expected);
        if script.reopens() {
            disk.reopen(root.store());
        }
    }
    disk.reopen(root.store());
    for operation in script.everything() {
        let (expected, found) = (memory.apply(&operation), disk.apply(&operation));
        assert_eq!(
            expected, found,
            "memory (left) and the reopened disk (right) differ; replay with \
             NAMZU_SEED={seed}: {operation:?}",
        );
    }
    assert!(!root.tree().keys().any(|path| path.ends_with(".tmp")), "NAMZU_SEED={seed}");
}

/// The comparison compares something: most operations succeed, and the errors of
/// the contract are all among the answers.
#[test]
fn the_operations_reach_every_kind_of_answer() {
    let mut names = BTreeMap::new();
    for seed in 1..=SEEDS / 2 {
        let mut memory = Side::new(MemoryStore::new());
        let mut script = Script::new(seed);
        for _ in 0..OPERATIONS {
            let operation = script.next();
            let answer = memory.apply(&operation);
            script.learn(&operation, &answer);
            let name = answer.split(' ').next().unwrap().to_owned();
            *names.entry(name).or_insert(0_usize) += 1;
        }
    }
    for name in [
        "NotFoundError",
        "AttachedSubSessionsError",
        "TenantIsolationError",
        "StaleSessionError",
        "AncestryCycleError",
        "SessionAlreadySummarizedError",
        "InvalidIdError",
    ] {
        assert!(names.get(name).is_some_and(|count| *count >= 5), "{name}: {names:?}");
    }
    let answered = names.get("ok").copied().unwrap_or_default();
    assert!(answered * 2 > names.values().sum::<usize>(), "{names:?}");
}
