//! Stops after every single file operation; by kill and by power cut.

use super::fuzz::seed;
use super::scenario::{
    LIFE, RecordTree, Run, Step, append_number, append_three, create_project, create_session,
    record_tree, trees,
};
use crate::{
    engine::simulated::{Fault, Seed, SimulatedDisk},
    store::{Durability, disk::verify::verify_view},
};

/// With more unsynced changes than this, not every subset of them is lost, but
/// [`SAMPLES`] arbitrary ones.
const EVERY_SUBSET: usize = 7;
const SAMPLES: u64 = 200;

/// Runs steps on a disk that stops at operation `at`; answers how many were
/// acknowledged.
fn run_until(disk: &SimulatedDisk, steps: &[Step], at: u64, durability: Durability) -> usize {
    disk.set_fault(Some(Fault::stop(at)));
    let mut run = Run::new(disk, durability);
    steps.iter().take_while(|step| step(&mut run).is_ok()).count()
}

fn calls(steps: &[Step], durability: Durability) -> u64 {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, durability);
    for step in steps {
        step(&mut run).unwrap();
    }
    disk.calls()
}

/// Opens the disk again, which recovers it, and says what its record tree is, in which
/// nothing may be wrong.
fn recovered(disk: &SimulatedDisk) -> RecordTree {
    let run = Run::new(disk, Durability::Full);
    let engine = run.store.engine().unwrap();
    engine.checkpoint().unwrap();
    let tree = record_tree(disk);
    // Before the first transaction, the making of the engine's folder may have stopped.
    if !tree.is_empty() {
        assert_eq!(verify_view(&engine).unwrap(), [], "{tree:#?}");
    }
    tree
}

#[track_caller]
fn check(found: &RecordTree, expected: &[RecordTree], acknowledged: usize, what: &str) {
    let whole = found == &expected[acknowledged]
        || expected.get(acknowledged + 1).is_some_and(|next| found == next);
    assert!(
        whole,
        "{what}: {acknowledged} steps acknowledged, found {found:#?}\nexpected {:#?}\nor {:#?}",
        expected[acknowledged],
        expected.get(acknowledged + 1)
    );
}

#[test]
fn a_kill_after_any_operation_leaves_each_step_whole_or_absent() {
    for durability in [Durability::Full, Durability::Relaxed] {
        let expected = trees(LIFE, durability);
        for at in 1..=calls(LIFE, durability) + 1 {
            let disk = SimulatedDisk::default();
            let acknowledged = run_until(&disk, LIFE, at, durability);
            let found = recovered(&disk.after_kill());
            check(&found, &expected, acknowledged, &format!("{durability:?}, killed at {at}"));
            let found = recovered(&disk.after_kill().mounted_elsewhere().with_bystander());
            let what = format!("{durability:?}, killed at {at}, another going on");
            check(&found, &expected, acknowledged, &what);
            let found = recovered(&disk.after_kill().mounted_elsewhere());
            let what = format!("{durability:?}, killed at {at}, opened elsewhere");
            check(&found, &expected, acknowledged, &what);
        }
    }
}

#[test]
fn a_power_cut_after_any_operation_leaves_each_step_whole_or_absent() {
    let expected = trees(LIFE, Durability::Full);
    let seed = seed();
    let mut seen = None;
    for at in 1..=calls(LIFE, Durability::Full) + 1 {
        let disk = SimulatedDisk::default();
        let acknowledged = run_until(&disk, LIFE, at, Durability::Full);
        // Most operations only read, and leave nothing new to lose.
        let state = Some((acknowledged, disk.progress()));
        if std::mem::replace(&mut seen, state) == state {
            continue;
        }
        let unsynced = disk.unsynced();
        let cuts = if unsynced <= EVERY_SUBSET { 1 << unsynced } else { SAMPLES };
        for cut in 0..cuts {
            let after = if unsynced <= EVERY_SUBSET {
                disk.after_power_cut(|n, _| (cut >> n & 1 == 1).then_some(usize::MAX))
            } else {
                disk.after_random_power_cut(&mut Seed::new(seed.wrapping_add(at * SAMPLES + cut)))
            };
            let what = format!("NAMZU_SEED={seed}, stopped at {at}, cut {cut}");
            let unnoticed = after.after_kill().without_new_start();
            check(&recovered(&after), &expected, acknowledged, &what);
            let what = format!("{what}, without a new start");
            check(&recovered(&unnoticed), &expected, acknowledged, &what);
        }
    }
}

/// The commit's own bytes torn at every place.
#[test]
fn a_journal_torn_at_any_byte_leaves_each_step_whole_or_absent() {
    let expected = trees(LIFE, Durability::Full);
    let mut torn = 0;
    for at in 1..=calls(LIFE, Durability::Full) {
        let disk = SimulatedDisk::default();
        let acknowledged = run_until(&disk, LIFE, at, Durability::Full);
        let Some(len) = disk.last_unsynced_data() else { continue };
        for keep in 0..len.min(4096) {
            let last = disk.unsynced() - 1;
            let after =
                disk.after_power_cut(|n, _| Some(if n == last { keep } else { usize::MAX }));
            let what = format!("stopped at {at}, torn at {keep}");
            check(&recovered(&after), &expected, acknowledged, &what);
            torn += 1;
        }
    }
    assert!(torn > 1_000, "the scenario must leave something to tear");
}

#[test]
fn a_crash_within_a_batch_leaves_its_transactions_whole_and_in_order() {
    let batched: &[Step] = &[create_project, create_session, append_three];
    let one_by_one: &[Step] = &[
        create_project,
        create_session,
        append_number::<0>,
        append_number::<1>,
        append_number::<2>,
    ];
    let expected = trees(one_by_one, Durability::Full);
    let seed = seed();
    let mut partly = 0;
    for at in 1..=calls(batched, Durability::Full) + 1 {
        let disk = SimulatedDisk::default();
        let acknowledged = match run_until(&disk, batched, at, Durability::Full) {
            3 => 5,
            fewer => fewer,
        };
        // Any of the batch's transactions may have been committed, in their order.
        let possible = if acknowledged == 2 { &expected[2..] } else { &expected[acknowledged..] };
        let mut random = Seed::new(seed.wrapping_add(at));
        let cuts = (0..400).map(|_| disk.after_random_power_cut(&mut random));
        for after in cuts.chain([disk.after_kill(), disk.after_kill().mounted_elsewhere()]) {
            let found = recovered(&after);
            let nth = possible.iter().position(|tree| *tree == found);
            assert!(
                nth.is_some(),
                "NAMZU_SEED={seed}, stopped at {at}: {acknowledged} acknowledged, {found:#?}"
            );
            partly += usize::from(acknowledged == 2 && matches!(nth, Some(1 | 2)));
        }
    }
    assert!(partly > 0, "NAMZU_SEED={seed}: no cut fell within the batch");
}

#[test]
fn a_power_cut_during_recovery_is_recovered_from() {
    let expected = trees(LIFE, Durability::Full);
    let total = calls(LIFE, Durability::Full);
    let seed = seed();
    for at in (1..=total).step_by(7) {
        let disk = SimulatedDisk::default();
        let acknowledged = run_until(&disk, LIFE, at, Durability::Full);
        let mut random = Seed::new(seed.wrapping_add(at));
        let cut = disk.after_random_power_cut(&mut random);
        for again in 1..40 {
            let disk = cut.after_kill();
            disk.set_fault(Some(Fault::stop(again)));
            let run = Run::new(&disk, Durability::Full);
            let _ = run.store.engine().unwrap().checkpoint();
            let what = format!("NAMZU_SEED={seed}, stopped at {at}, again at {again}");
            let after = disk.after_random_power_cut(&mut random);
            check(&recovered(&after), &expected, acknowledged, &what);
            check(&recovered(&disk.after_kill()), &expected, acknowledged, &what);
        }
    }
}
