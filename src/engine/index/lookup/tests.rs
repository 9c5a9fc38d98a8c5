//! What is looked up, followed and written anew, over a simulated disk.

use std::{
    cell::Cell,
    future::Future as _,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use super::*;
use crate::engine::Kind;
use crate::engine::{
    Op, Plan, Progress, View,
    disk::Disk as _,
    files::Files,
    marks::Marks,
    path::LOCK,
    simulated::{Seed, SimulatedDisk},
    submission,
};

fn nothing(_: &View<'_>, _: &Table, _: Progress<'_>) -> Result<Vec<Found>, FileError> {
    Ok(Vec::new())
}

/// What of these entries the index does not have.
fn missing(table: &Table, entries: Vec<Entry>) -> Vec<Found> {
    let missing = entries.into_iter().filter(|e| !table.has(e.kind, &e.key, &e.value));
    missing.map(|entry| Found { before: None, entries: vec![entry] }).collect()
}

fn commit(engine: &Arc<Engine>, entries: Vec<Entry>) {
    let (transaction, answer) = submission(true, |_| {
        let ops = entries.into_iter().map(Op::Locate).collect();
        Ok::<_, FileError>(Plan { ops, answer: () })
    });
    engine.submit([transaction].into_iter());
    engine.attend();
    let answer = pin!(answer).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(answer, Poll::Ready(Ok(()))), "{answer:?}");
}

fn key(n: usize) -> String {
    format!("ses_{n:032}")
}

fn sessions(count: usize) -> Vec<Entry> {
    (0..count).map(|n| Entry::add(b's', &key(n), "prj_a")).collect()
}

fn removed(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().map(|entry| Entry { present: false, ..entry.clone() }).collect()
}

fn index_file(disk: &SimulatedDisk) -> Vec<u8> {
    disk.files().into_iter().find(|(path, _)| path == INDEX).unwrap().1
}

fn head_of(disk: &SimulatedDisk) -> Head {
    Head::read(&index_file(disk)).unwrap()
}

fn marks_of(engine: &Engine) -> (Arc<Files>, Marks) {
    let files = engine.files(false).unwrap().unwrap();
    let marks = engine.marks(&files).unwrap().unwrap();
    (files, marks)
}

/// Writes the index anew, however short it is.
fn rewrite(engine: &Engine) {
    let (files, marks) = marks_of(engine);
    let index = engine.rewrite_index(marks.index).unwrap();
    engine.set_marks(&files, Marks { index, ..marks }).unwrap();
}

fn values(engine: &Engine, kind: Kind, key: &str) -> Vec<String> {
    engine.read(|view| view.located(kind, key)).unwrap()
}

#[test]
fn a_root_that_is_replaced_while_the_index_is_read_keeps_no_caller_waiting() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, nothing), sessions(9));
    let disk = disk.after_kill();
    let engine = Engine::over(&disk, nothing);
    let read = |engine: &Arc<Engine>, replace: bool| {
        engine.read(|view| {
            if replace {
                disk.remove_file(LOCK).unwrap();
                commit(&Engine::over(&disk, nothing), sessions(1));
            }
            view.located(b's', &key(0))
        })
    };
    read(&engine, true).unwrap();
    assert_eq!(read(&engine, false).unwrap(), ["prj_a"]);
}

#[test]
fn an_index_that_outgrew_its_use_is_written_anew() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, nothing);
    let all = sessions(13_000);
    commit(&engine, all.clone());
    engine.checkpoint().unwrap();
    assert!(head_of(&disk).sorted < 20, "it is short: only its number is sorted in");
    commit(&engine, removed(&all[5..]));
    assert!(index_file(&disk).len() > 1 << 20);
    engine.checkpoint().unwrap();
    let fresh = index_file(&disk);
    assert!(fresh.len() < 500);
    assert_eq!(head_of(&disk).sorted_end(), fresh.len() as u64);

    commit(&engine, removed(&all[..1]));
    for engine in [engine, Engine::over(&disk.after_kill(), nothing)] {
        let found = |n| values(&engine, b's', &key(n));
        assert!(found(0).is_empty() && found(5).is_empty());
        assert_eq!(found(4), ["prj_a"]);
        engine.checkpoint().unwrap();
    }
    assert!(index_file(&disk).starts_with(&fresh), "it was only added to");
}

#[test]
fn sorting_tails_in_writes_each_entry_a_bounded_number_of_times() {
    let (mut sorted, mut tail, mut written) = (0, 0, 0);
    while sorted < 1 << 32 {
        tail += 100_000;
        if is_long(tail, sorted) {
            (sorted, tail) = (sorted + tail, 0);
            written += sorted;
        }
        assert!(tail <= LONG_TAIL.max(sorted / TAIL_PART));
    }
    assert!(written < (TAIL_PART + 3) * sorted, "{written} for {sorted}");
}

/// Changes of few keys, some the beginnings of others, one of them with many values.
fn history(random: &mut Seed, len: u64) -> Vec<Entry> {
    let entry = |random: &mut Seed| {
        let kind = [b's', b'e'][random.below(2) as usize];
        let key = ["k", "k1", "k10", "k2", "l", "k-"][random.below(6) as usize];
        let value = format!("v{}", random.below(if key == "l" { 90 } else { 3 }));
        let data = vec![1; random.below(3) as usize];
        Entry { present: random.below(3) > 0, data, ..Entry::add(kind, key, &value) }
    };
    (0..len).map(|_| entry(random)).collect()
}

#[test]
fn every_process_finds_what_was_committed() {
    for seed in 0..30 {
        let random = &mut Seed::new(seed);
        let disk = SimulatedDisk::default();
        let mut model = Table::default();
        let writer = Engine::over(&disk, nothing);
        commit(&writer, sessions(1));
        sessions(1).iter().for_each(|entry| model.apply(entry));
        let follower = Engine::over(&disk, nothing);
        for _ in 0..8 {
            match random.below(4) {
                0 => rewrite(&writer),
                1 => writer.checkpoint().unwrap(),
                _ => {
                    let len = 1 + random.below(60);
                    let changes = history(random, len);
                    changes.iter().for_each(|entry| model.apply(entry));
                    commit(&writer, changes);
                }
            }
            for engine in [&writer, &follower, &Engine::over(&disk, nothing)] {
                for key in ["", "k", "k1", "k10", "k2", "l", "z"] {
                    let expected = model.get(b's', key);
                    assert_eq!(values(engine, b's', key), expected, "seed {seed}, {key:?}");
                    let first = engine.read(|view| view.first_located(b's', key)).unwrap();
                    assert_eq!(first, expected.first().cloned());
                }
                let mut known: Vec<_> = engine.look_up(|table| table.entries().collect()).unwrap();
                known.retain(|entry: &Entry| entry.kind >= b'a'); // without what the engine keeps
                assert!(known.into_iter().eq(model.entries()), "seed {seed}");
            }
        }
    }
}

/// What the files say in the next test.
fn all_there_is() -> Vec<Entry> {
    let few = (0..60).map(|n| Entry::add(b's', &format!("k{n}"), "v"));
    few.chain([Entry::add(b's', "k2", "w"), Entry::add(b's', "new", "v")]).collect()
}

#[test]
fn any_wrong_bit_of_an_index_is_noticed_or_changes_no_answer() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, nothing);
    let all = all_there_is();
    engine.look(false).unwrap();
    let gone = [Entry::add(b's', "k29", "w"), Entry::add(b's', "k3", "a")];
    commit(&engine, [&all[..61], &gone].concat());
    rewrite(&engine);
    commit(&engine, [&all[61..], &removed(&gone)].concat());
    let file = index_file(&disk);
    assert!(Head::read(&file).unwrap().sorted_end() < file.len() as u64);
    let mut model = Table::default();
    all.iter().for_each(|entry| model.apply(entry));
    for bit in 0..file.len() * 8 {
        let damaged = disk.after_kill();
        damaged.damage(INDEX, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
        let engine = Engine::over(&damaged, |_, table, _| Ok(missing(table, all_there_is())));
        engine.look(false).unwrap();
        for key in ["k0", "k2", "k29", "k3", "new", "k", "none"] {
            assert_eq!(values(&engine, b's', key), model.get(b's', key), "bit {bit}, {key}");
        }
    }
}

#[test]
fn lookups_and_rewrites_at_the_same_time_do_not_harm_each_other() {
    let disk = SimulatedDisk::default();
    let writer = Engine::over(&disk, nothing);
    commit(&writer, sessions(40));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 40..80 {
                commit(&writer, vec![Entry::add(b's', &key(n), "prj_a")]);
                rewrite(&writer);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                for n in (0..40).cycle().take(400) {
                    let find = |_: &View<'_>, table: &Table, _: Progress<'_>| {
                        Ok(missing(table, sessions(40)))
                    };
                    let engine = Engine::over(&disk, find);
                    engine.look(false).unwrap();
                    assert_eq!(values(&engine, b's', &key(n)), ["prj_a"], "{n}");
                }
            });
        }
    });
}

thread_local! {
    /// What happens to the index while it is looked at.
    static LOSS: Cell<Option<Box<dyn FnOnce()>>> = Cell::default();
}

/// Which of eight sessions are unknown after a look at a root to which four were committed,
/// and where the index is lost meanwhile.
fn unknown_after(loss: impl FnOnce(SimulatedDisk) + 'static) -> Vec<usize> {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, nothing), sessions(4));
    let find = |_: &View<'_>, table: &Table, _: Progress<'_>| {
        let found = if table.is_complete() { Vec::new() } else { missing(table, sessions(8)) };
        LOSS.take().into_iter().for_each(|loss| loss());
        Ok(found)
    };
    let met = disk.clone();
    LOSS.set(Some(Box::new(move || loss(met))));
    Engine::over(&disk, find).look(false).unwrap();
    let later = Engine::over(&disk, find);
    later.look(false).unwrap();
    (0..8).filter(|n| values(&later, b's', &key(*n)) != ["prj_a"]).collect()
}

#[test]
fn what_a_look_found_beside_a_lost_index_does_not_count_for_the_next() {
    let begun_anew = |disk: SimulatedDisk| {
        let engine = Engine::over(&disk, nothing);
        let (files, marks) = marks_of(&engine);
        let index = engine.rewrite_index(IndexMark::NONE).unwrap();
        engine.set_marks(&files, Marks { index, ..marks }).unwrap();
    };
    assert_eq!(unknown_after(begun_anew), [0; 0]);
    let removed = |disk: SimulatedDisk| disk.remove_file(INDEX).unwrap();
    assert_eq!(unknown_after(removed), [0; 0]);
}

#[test]
fn what_was_learned_from_the_tree_is_known_until_it_is_taken_back() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, nothing), sessions(2));
    let engine = Engine::over(&disk.after_kill(), nothing);
    let found = |n| values(&engine, b's', &key(n));
    assert_eq!(found(0), ["prj_a"]);
    engine.learn(&Entry::add(b's', &key(1), "prj_0"));
    engine.learn(&Entry::add(b's', &key(0), "prj_0"));
    assert_eq!(found(1), ["prj_0", "prj_a"]);
    commit(&engine, vec![Entry::remove(b's', &key(0), "prj_0")]);
    assert_eq!((found(0), found(1).len()), (vec!["prj_a".to_owned()], 2));
}

#[test]
fn a_long_index_outlives_a_power_cut() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, nothing);
    commit(&engine, sessions(20_000));
    engine.checkpoint().unwrap();
    commit(&engine, vec![Entry::add(b's', "ses_new", "prj_b")]);
    let disk = disk.after_power_cut(|_, _| None);
    let engine = Engine::over(&disk, nothing);
    engine.checkpoint().unwrap();
    for (session, project) in [("ses_new", "prj_b"), (&key(7), "prj_a")] {
        assert_eq!(values(&engine, b's', session), [project]);
    }
}

thread_local! {
    /// The disk that another process writes to in the next test.
    static DISK: std::cell::RefCell<SimulatedDisk> = std::cell::RefCell::default();
}

#[test]
fn a_look_is_taken_in_where_no_transaction_knows_better() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, nothing), sessions(3));
    let disk = disk.after_kill();
    DISK.set(disk.clone());
    let engine = Engine::over(&disk, |view, table, _| {
        let with =
            |n: usize, data: &[u8]| Entry { data: data.to_vec(), ..sessions(n + 1).remove(n) };
        let was = |n| table.data(b's', &key(n), "prj_a").map(<[u8]>::to_vec);
        let found = (0..3).map(|n| Found { before: was(n), entries: vec![with(n, b"found")] });
        let found = found.chain(missing(table, vec![Entry::add(b's', "new", "v")])).collect();
        // Meanwhile, another process:
        if view.kept(b's', "done", "")?.is_none() {
            let other = Engine::over(&DISK.with_borrow(SimulatedDisk::clone), nothing);
            let done = Entry::add(b's', "done", "");
            commit(&other, vec![with(0, b"known"), Entry::remove(b's', &key(1), "prj_a"), done]);
        }
        Ok(found)
    });
    assert!(!engine.has_looked());
    engine.look(false).unwrap();
    assert!(engine.has_looked());
    for engine in [&engine, &Engine::over(&disk, nothing)] {
        let kept = |n| engine.read(|view| view.kept(b's', &key(n), "prj_a")).unwrap();
        assert_eq!(kept(0).as_deref(), Some(&b"known"[..]));
        assert_eq!(kept(1), None);
        assert_eq!(kept(2).as_deref(), Some(&b"found"[..]));
        assert_eq!(values(engine, b's', "new"), ["v"]);
        assert!(engine.look_up(Table::is_complete).unwrap());
    }
}

#[test]
fn a_root_that_can_only_be_read_is_looked_at_by_each_process() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, nothing), sessions(3));
    let find = |_: &View<'_>, table: &Table, _: Progress<'_>| Ok(missing(table, sessions(5)));
    let disk = disk.after_kill();
    disk.set_read_only(true);
    let before = disk.files();
    for _ in 0..2 {
        let engine = Engine::over(&disk, find);
        assert_eq!(values(&engine, b's', &key(4)), Vec::<String>::new());
        engine.look(false).unwrap();
        assert_eq!(values(&engine, b's', &key(4)), ["prj_a"]);
        assert!(engine.has_looked());
        assert_eq!(disk.files(), before);
    }
}

#[test]
fn looking_at_a_folder_that_is_empty_makes_nothing_in_it() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, nothing);
    engine.look(false).unwrap();
    assert!(engine.has_looked());
    assert!(disk.files().is_empty());
    commit(&engine, sessions(1));
    assert!(engine.has_looked(), "it has known all since");
}

#[test]
fn an_index_that_is_lost_is_looked_for_again() {
    let disk = SimulatedDisk::default();
    let find = |_: &View<'_>, table: &Table, _: Progress<'_>| Ok(missing(table, sessions(5)));
    let engine = Engine::over(&disk, find);
    commit(&engine, vec![Entry::add(b's', "first", "v")]);
    engine.look(false).unwrap();
    commit(&engine, vec![Entry::add(b's', "first", "v")]);
    engine.checkpoint().unwrap();
    let disk = disk.after_kill();
    disk.damage(INDEX, |bytes| bytes[40] ^= 1);
    let engine = Engine::over(&disk, find);
    assert!(!engine.read(|view| view.knows_all(true)).unwrap());
    commit(&engine, vec![Entry::add(b's', "new", "v")]);
    assert!(!engine.read(|view| view.knows_all(true)).unwrap(), "it was written anew");
    engine.look(false).unwrap();
    let other = Engine::over(&disk, nothing);
    assert!(other.read(|view| view.knows_all(true)).unwrap());
    assert!(!other.read(|view| view.knows_all(false)).unwrap());
    assert_eq!(values(&other, b's', &key(4)), ["prj_a"]);
    assert_eq!(values(&other, b's', "new"), ["v"]);
}
