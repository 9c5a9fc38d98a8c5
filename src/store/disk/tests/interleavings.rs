//! Threads, stores and processes in one order after the other, chosen by a scheduler:
//! `harness/interleavings` builds and runs this.

use std::{collections::BTreeSet, io::ErrorKind, sync::Arc};

use shuttle::{
    Config, Runner, future::block_on, rand::Rng as _, scheduler::PctScheduler,
    scheduler::RandomScheduler, thread::spawn,
};

use super::fuzz::seed;
use super::scenario::{RecordTree, record_tree};
use crate::{
    engine::{
        Engine, FileError, Op, Plan, RelPath, View,
        simulated::{Fault, SimulatedDisk},
        submission,
    },
    error::{Error, Outcome},
    id::TenantId,
    json::Json,
    model::{Message, NewProject, NewSession, ProjectConfigPart},
    store::{DiskStore, Durability, SessionStore as _},
};

/// Runs a scenario in as many orders as `NAMZU_ORDERS` says: half of them arbitrary,
/// half with few changes of the thread that runs, which find other faults.
fn in_many_orders(scenario: fn()) {
    let orders = std::env::var("NAMZU_ORDERS").ok().map_or(400, |orders| orders.parse().unwrap());
    let seed = seed();
    // Shown when the test fails, beside the very order that failed.
    println!("NAMZU_SEED={seed} NAMZU_ORDERS={orders}");
    let half = usize::try_from(orders / 2).unwrap();
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    Runner::new(RandomScheduler::new_from_seed(seed, half), config.clone()).run(scenario);
    Runner::new(PctScheduler::new_from_seed(seed, 3, half), config).run(scenario);
}

fn engine(disk: &SimulatedDisk) -> Arc<Engine> {
    Engine::over(disk, |_, _, _| Ok(Vec::new()))
}

fn counted(view: &View<'_>) -> Result<u64, FileError> {
    let bytes = view.read(&RelPath::of("counter"))?.unwrap_or_default();
    Ok(String::from_utf8(bytes).unwrap().parse().unwrap_or(0))
}

/// Adds one to the counter; returns what it is then.
fn count(engine: &Arc<Engine>, durability: Durability) -> Result<u64, FileError> {
    let must_last = durability == Durability::Full;
    let (transaction, answer) = submission(must_last, |view: &View<'_>| {
        let next = counted(view)? + 1;
        let put = Op::Put { path: RelPath::of("counter"), bytes: next.to_string().into_bytes() };
        Ok::<_, FileError>(Plan { ops: vec![put], answer: next })
    });
    engine.submit(std::iter::once(transaction));
    engine.attend();
    block_on(answer)
}

/// Each counts twice; returns what each was told.
fn count_twice_each(
    engines: Vec<Arc<Engine>>,
    durability: Durability,
) -> Vec<Vec<Result<u64, FileError>>> {
    let threads: Vec<_> = engines
        .into_iter()
        .map(|engine| spawn(move || vec![count(&engine, durability), count(&engine, durability)]))
        .collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Every number was answered once, and to each thread in order.
fn check_counts(answers: &[Vec<Result<u64, FileError>>]) {
    let mut all = BTreeSet::new();
    for own in answers {
        let own: Vec<u64> = own.iter().map(|answer| *answer.as_ref().unwrap()).collect();
        assert!(own.is_sorted(), "{own:?}");
        all.extend(own);
    }
    let expected: BTreeSet<u64> = (1..=2 * answers.len() as u64).collect();
    assert_eq!(all, expected, "{answers:?}");
}

#[test]
fn every_transaction_of_a_queue_is_answered_once() {
    fn scenario(durability: Durability) {
        let disk = SimulatedDisk::default();
        let engine = engine(&disk);
        let engines = vec![engine.clone(), engine.clone(), engine.clone()];
        check_counts(&count_twice_each(engines, durability));
        assert_eq!(engine.read(counted).unwrap(), 6);
    }
    in_many_orders(|| scenario(Durability::Full));
    in_many_orders(|| scenario(Durability::Relaxed));
}

#[test]
fn processes_take_turns_and_readers_see_no_step_back() {
    fn scenario(durability: Durability) {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        let reader = engine(&disk);
        let reading = spawn(move || {
            let mut seen = 0;
            for time in 0..6 {
                // Every second time without waiting, where that can be.
                let now = Some(()).filter(|()| time % 2 == 0);
                let now = now.and_then(|()| reader.read_now(counted));
                let now = now.unwrap_or_else(|| reader.read(counted).unwrap());
                assert!(now >= seen, "{now} after {seen}");
                seen = now;
            }
        });
        let engines = vec![first.clone(), second, first.clone()];
        check_counts(&count_twice_each(engines, durability));
        reading.join().unwrap();
        assert_eq!(first.read(counted).unwrap(), 6);
    }
    in_many_orders(|| scenario(Durability::Full));
    in_many_orders(|| scenario(Durability::Relaxed));
}

#[test]
fn a_checkpoint_among_writers_loses_nothing() {
    fn scenario(durability: Durability) {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        let checkpointing = {
            let engine = second.clone();
            spawn(move || (0..2).for_each(|_| engine.checkpoint().unwrap()))
        };
        check_counts(&count_twice_each(vec![first.clone(), second.clone()], durability));
        checkpointing.join().unwrap();
        if durability == Durability::Relaxed {
            let cut = engine(&disk.after_power_cut(|_, _| None));
            assert!(cut.read(counted).unwrap() <= 4, "a whole prefix");
            for engine in [first, second] {
                engine.flush().unwrap();
            }
        }
        let after = engine(&disk.after_power_cut(|_, _| None));
        assert_eq!(after.read(counted).unwrap(), 4);
    }
    in_many_orders(|| scenario(Durability::Full));
    in_many_orders(|| scenario(Durability::Relaxed));
}

/// What was answered in `full` is there after a power cut, and with it all that was answered
/// before it in `relaxed`, by whichever process.
#[test]
fn a_lasting_transaction_takes_the_relaxed_ones_before_it_along() {
    in_many_orders(|| {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        let relaxed = {
            let engines = vec![first.clone(), second.clone()];
            spawn(move || count_twice_each(engines, Durability::Relaxed))
        };
        let lasting = spawn(move || count(&first, Durability::Full).unwrap());
        let (seen, disk_then) = (lasting.join().unwrap(), disk.clone());
        let cut = engine(&disk_then.after_power_cut(|_, _| None));
        let found = cut.read(counted).unwrap();
        assert!((seen..=5).contains(&found), "{found} after {seen} was answered for good");
        let mut all: BTreeSet<u64> =
            relaxed.join().unwrap().into_iter().flatten().map(Result::unwrap).collect();
        all.insert(seen);
        assert_eq!(all, (1..=5).collect());
        second.flush().unwrap();
    });
}

/// Whatever operation fails, in whichever order: what was answered is there after the
/// power cut that takes all that it can, and what was said not to be done is not. In `relaxed`
/// a power cut may take what was answered, and leaves a whole prefix.
#[test]
fn a_failed_operation_is_answered_truthfully_to_everybody() {
    fn scenario(durability: Durability) {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        count(&first, Durability::Full).unwrap();
        let at = shuttle::rand::thread_rng().gen_range(1..80);
        disk.set_fault(Some(Fault { at, for_ever: false, error: ErrorKind::Other, written: 3 }));
        let answers = count_twice_each(vec![first.clone(), first, second], durability);
        disk.set_fault(None);

        let (mut least, mut most) = (1, 1);
        for answer in answers.iter().flatten() {
            match answer {
                Ok(_) => (least, most) = (least + 1, most + 1),
                Err(error) if error.outcome == Outcome::Done => {
                    (least, most) = (least + 1, most + 1)
                }
                Err(error) if error.outcome == Outcome::Unknown => most += 1,
                Err(_) => {}
            }
        }
        if durability == Durability::Relaxed {
            least = 1;
        }
        for lost in [Some(usize::MAX), None] {
            let after = engine(&disk.after_power_cut(|_, _| lost));
            let found = after.read(counted).unwrap();
            assert!((least..=most).contains(&found), "fault at {at}: {found}, {answers:?}");
        }
    }
    in_many_orders(|| scenario(Durability::Full));
    in_many_orders(|| scenario(Durability::Relaxed));
}

fn tenant() -> TenantId {
    TenantId::new("tnt_a").unwrap()
}

/// A store with a session, and the session's id.
fn with_session(disk: &SimulatedDisk, durability: Durability) -> (DiskStore, String) {
    let store = DiskStore::over(disk).with_durability(durability);
    let new = NewProject {
        tenant_id: tenant(),
        name: Json::parse("\"n\"").unwrap(),
        config: ProjectConfigPart::default(),
    };
    let project = block_on(store.create_project(new, &tenant())).unwrap();
    let new = format!(r#"{{"projectId":"{}","currentActor":null}}"#, project.id);
    let new = NewSession::from_payload(&new).unwrap();
    let session = block_on(store.create_session(new, &tenant())).unwrap();
    (store, session.id.to_string())
}

fn log_of(tree: &RecordTree) -> String {
    let log = tree.iter().find(|(path, _)| path.ends_with("messages.jsonl"));
    log.map(|(_, text)| text.clone()).unwrap_or_default()
}

/// Appends race with two closes and with another store that is opened anew.
#[test]
fn a_close_finishes_what_was_asked_for_before_it_and_refuses_the_rest() {
    fn scenario(durability: Durability) {
        let disk = SimulatedDisk::default();
        let (store, session) = with_session(&disk, durability);
        let appends: Vec<_> = (0..2)
            .map(|thread| {
                let (store, session) = (store.clone(), session.clone());
                spawn(move || {
                    let append = |n: u8| {
                        let text = format!(r#"{{"content":"{thread}.{n}"}}"#);
                        let message = Message::from_payload(&text).unwrap();
                        store.append_message(&session, message, &tenant())
                    };
                    let asked = [append(0), append(1)];
                    asked.map(|answer| block_on(answer).map(|id| id.to_string()))
                })
            })
            .collect();
        let closes: Vec<_> = (0..2)
            .map(|_| {
                let (store, disk) = (store.clone(), disk.clone());
                spawn(move || {
                    block_on(store.close()).unwrap();
                    // Closed: what is there stays as it is.
                    log_of(&record_tree(&disk))
                })
            })
            .collect();
        let reopened = {
            let (disk, session) = (disk.clone(), session.clone());
            spawn(move || {
                let store = DiskStore::over(&disk);
                let read = block_on(store.load_messages(&session, &tenant())).unwrap();
                block_on(store.close()).unwrap();
                read
            })
        };
        let answers: Vec<_> = appends.into_iter().flat_map(|t| t.join().unwrap()).collect();
        let seen: Vec<String> = closes.into_iter().map(|thread| thread.join().unwrap()).collect();
        drop(reopened.join().unwrap());
        let log = log_of(&record_tree(&disk));
        for before in seen {
            assert_eq!(before, log, "a close was answered before everything was done");
        }
        let mut acknowledged = 0;
        for answer in &answers {
            match answer {
                Ok(id) => {
                    assert!(log.contains(id.as_str()), "{id} is not in {log}");
                    acknowledged += 1;
                }
                Err(Error::StoreClosed { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(log.lines().count(), acknowledged);
    }
    in_many_orders(|| scenario(Durability::Full));
    in_many_orders(|| scenario(Durability::Relaxed));
}
