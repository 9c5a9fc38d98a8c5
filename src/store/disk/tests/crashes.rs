//! Stops after every single file operation; by kill and by power cut.

use super::fuzz::seed;
use super::scenario::{
    LIFE, Mode, RecordTree, Run, Step, append_number, append_three, create_project, create_session,
    record_tree, trees,
};
use crate::{
    engine::simulated::{Fault, Seed, SimulatedDisk},
    store::Durability,
    verify::verify_view,
};

/// With more unsynced changes than this, not every subset of them is lost, but
/// [`SAMPLES`] arbitrary ones.
const EVERY_SUBSET: usize = 7;
const SAMPLES: u64 = 200;
/// Of what is lost in relaxed modes, after each operation.
const RELAXED_SAMPLES: u64 = 40;

/// How many steps were done before everything stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Done {
    acknowledged: usize,
    /// Of them, how many are sure to be on the disk.
    durable: usize,
}

/// Runs steps on a disk that stops at operation `at`. With `commits`, the system makes some
/// of what is written survive now and then, as another program's syncs and its own timers do.
fn run_until(
    disk: &SimulatedDisk,
    steps: &[Step],
    at: u64,
    mode: Mode,
    mut commits: Option<Seed>,
) -> Done {
    disk.set_fault(Some(Fault::stop(at)));
    let mut run = Run::of_mode(disk, mode);
    let mut done = Done { acknowledged: 0, durable: 0 };
    for step in steps {
        if step(&mut run).is_err() {
            break;
        }
        done.acknowledged += 1;
        if run.is_flushed() {
            done.durable = done.acknowledged;
        }
        if let Some(seed) = &mut commits {
            disk.commit_some(seed);
        }
    }
    done
}

fn calls(steps: &[Step], mode: Mode) -> u64 {
    let disk = SimulatedDisk::default();
    let mut run = Run::of_mode(&disk, mode);
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

/// A row of whole steps from the first on: all that are sure to be on the disk, none that
/// was not begun.
#[track_caller]
fn check(found: &RecordTree, expected: &[RecordTree], done: Done, what: &str) {
    let possible = done.durable..=(done.acknowledged + 1).min(expected.len() - 1);
    assert!(
        expected[possible].contains(found),
        "{what}: {done:?}, found {found:#?}\nexpected {:#?}\nto {:#?}",
        expected[done.durable],
        expected.get(done.acknowledged + 1)
    );
}

/// The end of a process takes nothing that was acknowledged.
fn killed(done: Done) -> Done {
    Done { durable: done.acknowledged, ..done }
}

#[test]
fn a_kill_after_any_operation_leaves_each_step_whole_or_absent() {
    let expected = trees(LIFE);
    for mode in Mode::ALL {
        for at in 1..=calls(LIFE, mode) + 1 {
            let disk = SimulatedDisk::default();
            let done = killed(run_until(&disk, LIFE, at, mode, None));
            let found = recovered(&disk.after_kill());
            check(&found, &expected, done, &format!("{mode:?}, killed at {at}"));
            let found = recovered(&disk.after_kill().mounted_elsewhere().with_bystander());
            let what = format!("{mode:?}, killed at {at}, another going on");
            check(&found, &expected, done, &what);
            let found = recovered(&disk.after_kill().mounted_elsewhere());
            let what = format!("{mode:?}, killed at {at}, opened elsewhere");
            check(&found, &expected, done, &what);
        }
    }
}

#[test]
fn a_power_cut_after_any_operation_leaves_each_step_whole_or_absent() {
    let (expected, seed) = (trees(LIFE), seed());
    for at in operations_that_change(Mode::Full) {
        let disk = SimulatedDisk::default();
        let done = run_until(&disk, LIFE, at, Mode::Full, None);
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
            check(&recovered(&after), &expected, done, &what);
            let what = format!("{what}, without a new start");
            check(&recovered(&unnoticed), &expected, done, &what);
        }
    }
}

/// A prefix that is not older than the last sync, whatever the system made durable by itself
/// before, and whatever the power cut takes of the rest.
#[test]
fn a_power_cut_takes_whole_relaxed_steps_from_the_end_and_nothing_else() {
    let (expected, seed) = (trees(LIFE), seed());
    let mut lost = 0;
    for mode in [Mode::Relaxed, Mode::Late] {
        for at in operations_that_change(mode) {
            for round in 0..RELAXED_SAMPLES {
                let mut random = Seed::new(seed.wrapping_add(at * SAMPLES + round));
                let disk = SimulatedDisk::default();
                let commits = (round % 4 > 0).then(|| random.clone());
                let done = run_until(&disk, LIFE, at, mode, commits);
                let after = match round {
                    0 => disk.after_power_cut(|_, _| None),
                    1 => disk.after_power_cut(|_, kind| (kind != "data").then_some(usize::MAX)),
                    _ => disk.after_random_power_cut(&mut random),
                };
                let what = format!("NAMZU_SEED={seed}, {mode:?}, stopped at {at}, cut {round}");
                let found = recovered(&after);
                check(&found, &expected, done, &what);
                lost += usize::from(found != expected[done.acknowledged]);
            }
        }
    }
    assert!(lost > 100, "NAMZU_SEED={seed}: the cuts take something");
}

/// The operations before which a stop leaves another state than before the one before them:
/// most only read, and leave nothing new to lose.
fn operations_that_change(mode: Mode) -> Vec<u64> {
    let mut seen = None;
    let mut operations: Vec<u64> = (1..=calls(LIFE, mode) + 1).collect();
    operations.retain(|at| {
        let disk = SimulatedDisk::default();
        let done = run_until(&disk, LIFE, *at, mode, None);
        let state = Some((done, disk.progress()));
        std::mem::replace(&mut seen, state) != state
    });
    operations
}

/// The commit's own bytes torn at every place.
#[test]
fn a_journal_torn_at_any_byte_leaves_each_step_whole_or_absent() {
    let expected = trees(LIFE);
    for mode in Mode::ALL {
        let mut torn = 0;
        for at in 1..=calls(LIFE, mode) {
            let disk = SimulatedDisk::default();
            let done = run_until(&disk, LIFE, at, mode, None);
            let Some(len) = disk.last_unsynced_data() else { continue };
            let step = if mode == Mode::Full { 1 } else { 7 };
            for keep in (0..len.min(4096)).step_by(step) {
                let last = disk.unsynced() - 1;
                let after =
                    disk.after_power_cut(|n, _| Some(if n == last { keep } else { usize::MAX }));
                let what = format!("{mode:?}, stopped at {at}, torn at {keep}");
                check(&recovered(&after), &expected, done, &what);
                torn += 1;
            }
        }
        assert!(torn > 1_000, "the scenario must leave something to tear: {torn}");
    }
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
    let expected = trees(one_by_one);
    let seed = seed();
    let mut partly = 0;
    for at in 1..=calls(batched, Mode::Full) + 1 {
        let disk = SimulatedDisk::default();
        let done = run_until(&disk, batched, at, Mode::Full, None);
        let acknowledged = match done.acknowledged {
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
    let (expected, seed) = (trees(LIFE), seed());
    let stops = Mode::ALL.into_iter().flat_map(|mode| {
        let step = if mode == Mode::Full { 7 } else { 19 };
        (1..=calls(LIFE, mode)).step_by(step).map(move |at| (mode, at))
    });
    for (mode, at) in stops {
        let disk = SimulatedDisk::default();
        let done = run_until(&disk, LIFE, at, mode, None);
        let mut random = Seed::new(seed.wrapping_add(at));
        let cut = disk.after_random_power_cut(&mut random);
        for again in 1..40 {
            let disk = cut.after_kill();
            disk.set_fault(Some(Fault::stop(again)));
            let run = Run::new(&disk, Durability::Full);
            let _ = run.store.engine().unwrap().checkpoint();
            let what = format!("NAMZU_SEED={seed}, {mode:?}, stopped at {at}, again at {again}");
            let after = disk.after_random_power_cut(&mut random);
            check(&recovered(&after), &expected, done, &what);
            check(&recovered(&disk.after_kill()), &expected, done, &what);
        }
    }
}
