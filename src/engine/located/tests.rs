//! What is looked up, searched for and filled, over a simulated disk.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use super::*;
use crate::engine::{
    Op, Plan, Progress, RelPath, View,
    disk::Disk as _,
    files::Files,
    index::{HEAD_LEN, Head},
    marks::Marks,
    path::LOCK,
    simulated::{Seed, SimulatedDisk},
    submission,
};

fn empty(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
    Ok(Vec::new())
}

fn unneeded(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
    panic!("the index says it all")
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
    let files = engine.files().unwrap().unwrap();
    let marks = engine.marks(&files).unwrap().unwrap();
    (files, marks)
}

/// Writes the index anew, however short it is.
fn rewrite(engine: &Engine) {
    let (files, marks) = marks_of(engine);
    let index = engine.rewrite_index(marks.index).unwrap();
    engine.set_marks(&files, Marks { index, ..marks }).unwrap();
}

#[test]
fn the_first_lookups_do_not_fill_the_locator() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, empty), sessions(9));
    let engine = Engine::over(&disk.after_kill(), unneeded);
    for n in 0..FEWEST_FIRST_LOOKUPS as usize / 4 {
        assert_eq!(engine.first_located(b's', &key(n)).unwrap().as_deref(), Some("prj_a"));
        assert_eq!(engine.located(b's', &key(n)).unwrap(), ["prj_a"]);
        assert_eq!(engine.first_located(b's', &key(9 + n)).unwrap(), None);
        assert!(engine.spares_locator());
        assert!(!engine.is_located());
    }
    assert_eq!(engine.located(b's', &key(8)).unwrap(), ["prj_a"]);
    assert!(engine.is_located(), "by whoever goes on asking");
    assert!(!engine.spares_locator());
}

#[test]
fn the_longer_an_index_is_the_more_lookups_do_without_the_locator() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, empty);
    commit(&engine, sessions(40_000));
    let (_, marks) = marks_of(&engine);
    let expected = first_lookups(marks.index);
    assert!(expected > 2 * FEWEST_FIRST_LOOKUPS);
    let engine = Engine::over(&disk.after_kill(), unneeded);
    let mut lookups = 0;
    while !engine.is_located() {
        engine.located(b's', &key(lookups as usize)).unwrap();
        lookups += 1;
    }
    assert_eq!(lookups, expected + 1);
    let of_len = |len| first_lookups(IndexMark { generation: 1, len });
    assert_eq!((of_len(0), of_len(u64::MAX)), (FEWEST_FIRST_LOOKUPS, MOST_FIRST_LOOKUPS));
}

#[test]
fn who_has_asked_often_fills_the_locator_of_another_index_at_once() {
    let disk = SimulatedDisk::default();
    let (writer, reader) = (Engine::over(&disk, empty), Engine::over(&disk, unneeded));
    commit(&writer, sessions(9));
    let read = |n| reader.read(|view| view.located(b's', &key(n))).unwrap();
    (0..=FEWEST_FIRST_LOOKUPS).for_each(|_| assert_eq!(read(0), ["prj_a"]));
    assert!(reader.is_located());
    rewrite(&writer);
    assert_eq!(read(1), ["prj_a"]);
    assert!(reader.is_located());
}

#[test]
fn nobody_looks_up_what_no_index_tells() {
    let engine = Engine::over(&SimulatedDisk::default(), unneeded);
    for _ in 0..2 * MOST_FIRST_LOOKUPS {
        assert!(engine.spares_locator(), "a survey would take longer than what is spared");
    }
}

#[test]
fn a_root_that_is_replaced_while_the_locator_is_filled_keeps_nobody_waiting() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, empty), sessions(9));
    let disk = disk.after_kill();
    let engine = Engine::over(&disk, empty);
    let read = |engine: &Arc<Engine>, replace: bool| {
        engine.read(|view| {
            if replace {
                disk.remove_file(LOCK).unwrap();
                commit(&Engine::over(&disk, empty), sessions(1));
            }
            engine.write_located().lookups = AtomicU32::new(MOST_FIRST_LOOKUPS);
            view.located(b's', &key(0))
        })
    };
    read(&engine, true).unwrap();
    assert_eq!(read(&engine, false).unwrap(), ["prj_a"]);
}

#[test]
fn an_index_that_outgrew_its_use_is_written_anew() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, empty);
    let all = sessions(10_000);
    commit(&engine, all.clone());
    engine.checkpoint().unwrap();
    assert_eq!(head_of(&disk).sorted, 0, "it is short");
    commit(&engine, removed(&all[5..]));
    assert!(index_file(&disk).len() > 1 << 20);
    engine.checkpoint().unwrap();
    let fresh = index_file(&disk);
    assert_eq!(fresh.len(), HEAD_LEN + index::encode(&all[..5]).len());
    assert_eq!(head_of(&disk).sorted_end(), fresh.len() as u64);

    commit(&engine, removed(&all[..1]));
    for engine in [engine, Engine::over(&disk.after_kill(), unneeded)] {
        let found = |n| engine.located(b's', &key(n)).unwrap();
        assert!(found(0).is_empty() && found(5).is_empty());
        assert_eq!(found(4), ["prj_a"]);
        engine.checkpoint().unwrap();
    }
    assert!(index_file(&disk).starts_with(&fresh), "it was only added to");
}

#[test]
fn a_tail_is_sorted_in_when_it_is_long_for_its_index() {
    let disk = SimulatedDisk::default();
    let line = index::encode(&sessions(1)).len();
    let long = usize::try_from(LONG_TAIL).unwrap() / line + 1;
    let all = sessions(3 * long);
    let mut lens = Vec::new();
    for added in all.chunks(long) {
        // By a process that has looked nothing up.
        let engine = Engine::over(&disk, empty);
        engine.checkpoint().unwrap();
        commit(&engine, added.to_vec());
        engine.checkpoint().unwrap();
        lens.push(usize::try_from(head_of(&disk).sorted).unwrap() / line / long);
        assert_eq!(engine.located(b's', &added[0].key).unwrap(), ["prj_a"]);
    }
    assert_eq!(lens, [1, 2, 3]);
    let engine = Engine::over(&disk.after_kill(), unneeded);
    for entry in all.iter().step_by(all.len() / 15) {
        assert_eq!(engine.located(b's', &entry.key).unwrap(), ["prj_a"]);
    }
    assert!(!engine.is_located());
}

#[test]
fn sorting_tails_in_writes_each_line_a_bounded_number_of_times() {
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
        let crowded = key == "l";
        let value = format!("v{}", random.below(if crowded { 90 } else { 3 }));
        Entry { present: random.below(3) > 0, ..Entry::add(kind, key, &value) }
    };
    (0..len).map(|_| entry(random)).collect()
}

#[test]
fn a_search_answers_what_a_locator_does() {
    for seed in 0..30 {
        let random = &mut Seed::new(seed);
        let disk = SimulatedDisk::default();
        let mut model = Locator::default();
        let writer = Engine::over(&disk, empty);
        commit(&writer, sessions(1));
        sessions(1).iter().for_each(|entry| model.apply(entry));
        let mut follower = Engine::over(&disk, unneeded);
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
            for (kind, key) in ["", "k", "k1", "k10", "k2", "l", "z"].map(|k| (b's', k)) {
                let expected: Vec<&str> = model.get(kind, key).collect();
                let fresh = Engine::over(&disk, unneeded);
                for engine in [&fresh, &follower] {
                    let found = engine.read(|view| view.located(kind, key)).unwrap();
                    assert_eq!(found, expected, "seed {seed}, {key:?}");
                    let first = engine.read(|view| view.first_located(kind, key)).unwrap();
                    assert_eq!(first.as_deref(), expected.first().copied());
                }
                assert!(!fresh.is_located());
            }
            if follower.is_located() {
                follower = Engine::over(&disk, unneeded);
            }
        }
    }
}

/// What the files say in the next test.
fn all_there_is(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
    let few = (0..60).map(|n| Entry::add(b's', &format!("k{n}"), "v"));
    Ok(few.chain([Entry::add(b's', "k2", "w"), Entry::add(b's', "new", "v")]).collect())
}

#[test]
fn any_wrong_bit_of_an_index_is_noticed_or_changes_no_answer() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, empty);
    let all = all_there_is(&engine.view(), &|_, _| ()).unwrap();
    let gone = [Entry::add(b's', "k29", "w"), Entry::add(b's', "k3", "a")];
    commit(&engine, [&all[..61], &gone].concat());
    rewrite(&engine);
    commit(&engine, [&all[61..], &removed(&gone)].concat());
    let file = index_file(&disk);
    let head = Head::read(&file).unwrap();
    assert!(head.sorted > 1024, "one window is not enough");
    assert!(head.sorted_end() < file.len() as u64);
    let mut model = Locator::default();
    all.iter().for_each(|entry| model.apply(entry));
    for bit in 0..file.len() * 8 {
        let damaged = disk.after_kill();
        damaged.damage(INDEX, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
        let engine = Engine::over(&damaged, all_there_is);
        for key in ["k0", "k2", "k29", "k3", "new", "k", "none"] {
            let found = engine.read(|view| view.located(b's', key)).unwrap();
            assert!(found.iter().eq(model.get(b's', key)), "bit {bit}, {key}: {found:?}");
        }
    }
}

#[test]
fn an_index_that_is_replaced_meanwhile_is_not_mixed_with_another() {
    let disk = SimulatedDisk::default();
    let (writer, reader) = (Engine::over(&disk, empty), Engine::over(&disk, unneeded));
    commit(&writer, sessions(9));
    let found = |n| reader.search_index(b's', &key(n)).unwrap();
    assert_eq!(found(8), Some(vec!["prj_a".to_owned()]));
    let old = reader.open_index().unwrap().unwrap();

    commit(&writer, removed(&sessions(1)));
    rewrite(&writer);
    let says = || reader.tail_says(&old, b's', &key(0)).unwrap();
    let there = vec![("prj_a".to_owned(), true)];
    assert_eq!(says(), TailSays::Values(there), "as it was then");
    assert_eq!(found(0), Some(vec![]), "of the new one, which was not followed");
    assert_eq!(says(), TailSays::AnotherFile);

    // It has its name, and the marks do not know it yet.
    let (_, marks) = marks_of(&writer);
    writer.rewrite_index(marks.index).unwrap();
    let fresh = Engine::over(&disk, unneeded);
    assert_eq!(fresh.search_index(b's', &key(0)).unwrap(), None);
    assert_eq!(reader.search_index(b's', &key(0)).unwrap(), None);
}

#[test]
fn lookups_and_rewrites_at_the_same_time_do_not_harm_each_other() {
    let disk = SimulatedDisk::default();
    let writer = Engine::over(&disk, empty);
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
                    let engine = Engine::over(&disk, |_, _| Ok(sessions(40)));
                    let found = engine.read(|view| view.located(b's', &key(n))).unwrap();
                    assert_eq!(found, ["prj_a"], "{n}");
                }
            });
        }
    });
}

#[test]
fn what_was_learned_from_the_tree_is_known_until_it_is_taken_back() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, empty), sessions(2));
    let engine = Engine::over(&disk.after_kill(), unneeded);
    let by_hand = Entry::add(b's', &key(1), "prj_0");
    engine.learn(&by_hand);
    assert_eq!(engine.located(b's', &key(1)).unwrap(), ["prj_a"], "no index was seen yet");
    engine.learn(&by_hand);
    engine.learn(&Entry::add(b's', &key(0), "prj_0"));
    let found = |n| engine.located(b's', &key(n)).unwrap();
    assert_eq!(found(1), ["prj_0", "prj_a"]);
    commit(&engine, vec![Entry::remove(b's', &key(0), "prj_0")]);
    assert!(!engine.is_located());
    while !engine.is_located() {
        assert_eq!((found(0), found(1).len()), (vec!["prj_a".to_owned()], 2));
    }
    assert_eq!((found(0), found(1).len()), (vec!["prj_a".to_owned()], 2));
}

#[test]
fn what_was_learned_before_any_lookup_is_known_as_well() {
    let disk = SimulatedDisk::default();
    commit(&Engine::over(&disk, empty), sessions(3));
    for lookups in [1, FEWEST_FIRST_LOOKUPS + 1] {
        let engine = Engine::over(&disk.after_kill(), unneeded);
        engine.read(|view| view.len(&RelPath::of("a"))).unwrap();
        for _ in 0..2 {
            (0..2).for_each(|n| engine.learn(&Entry::add(b's', &key(n), "prj_0")));
        }
        commit(&engine, vec![Entry::remove(b's', &key(0), "prj_0")]);
        (0..lookups).for_each(|_| drop(engine.located(b's', &key(2)).unwrap()));
        assert_eq!(engine.is_located(), lookups > FEWEST_FIRST_LOOKUPS);
        assert_eq!(engine.located(b's', &key(0)).unwrap(), ["prj_a"]);
        assert_eq!(engine.located(b's', &key(1)).unwrap(), ["prj_0", "prj_a"]);
    }
}

#[test]
fn a_long_index_outlives_a_power_cut_without_a_survey() {
    let disk = SimulatedDisk::default();
    let engine = Engine::over(&disk, empty);
    commit(&engine, sessions(20_000));
    engine.checkpoint().unwrap();
    commit(&engine, vec![Entry::add(b's', "ses_new", "prj_b")]);
    let disk = disk.after_power_cut(|_, _| None);
    let engine = Engine::over(&disk, unneeded);
    engine.checkpoint().unwrap();
    for (session, project) in [("ses_new", "prj_b"), (&key(7), "prj_a")] {
        assert_eq!(engine.located(b's', session).unwrap(), [project]);
    }
}
