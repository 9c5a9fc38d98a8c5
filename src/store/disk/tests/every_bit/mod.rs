//! Flips every bit of every file of a small root, one at a time, and looks at what each
//! read answers then.
//!
//! Files of the engine have checksums, and are derived or can be done without: reads
//! answer as before. Records have none, as their format has no place for one: reads
//! answer as before, or with an error, or what the flipped text says when it is a text
//! of the same form. `docs/testing.md` tells what cannot be noticed.
//!
//! Every seventeenth bit is flipped, which over the files meets each bit of a byte, and all
//! of them where `NAMZU_EVERY_BIT` is set.

mod answers;
mod damage;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::{
    answers::{Answers, Names, answers, tenant},
    damage::{Damage, concerned},
};
use super::scenario::{
    Run, Step, append_batch, append_number, archive_edge, begin_handoff, create_edge,
    create_project, create_session, evict, now, record_summary, update_session,
};
use crate::{
    engine::simulated::{Fault, SimulatedDisk},
    error::Error,
    id::repeat_ids,
    model::{Message, NewSession},
    store::{DiskStore, Durability, SessionStore as _},
    verify::{FindingKind, verify_view},
};

const MAKING: &[Step] = &[
    create_project,
    create_session,
    create_session,
    create_edge,
    append_number::<0>,
    append_number::<1>,
    update_session,
    append_batch,
    archive_edge,
    evict,
    begin_handoff,
    record_summary,
];

fn opened(disk: &SimulatedDisk) -> DiskStore {
    Run::new(disk, Durability::Full).store
}

/// What is answered before the first step and after each.
fn history(names: &Names) -> Vec<Answers> {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    // Opening one starts the ids again: not while they are being made.
    let mut disks = vec![disk.after_kill()];
    for step in MAKING {
        step(&mut run).unwrap();
        disks.push(disk.after_kill());
    }
    disks.iter().map(|disk| answers(&opened(disk), names)).collect()
}

fn made() -> (SimulatedDisk, Names) {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    MAKING.iter().for_each(|step| step(&mut run).unwrap());
    (disk, Names::of(&run))
}

/// Everything is in the tree, and the journal is empty. An append once met the end of a
/// message that was cut short.
fn at_rest() -> (SimulatedDisk, Names) {
    let (disk, names) = made();
    opened(&disk).engine().unwrap().settle().unwrap();
    let log = format!("projects/{}/sessions/{}/messages.jsonl", names.project, names.parent);
    disk.damage(&log, |bytes| bytes.extend_from_slice(b"{\"id\":\"msg_torn\",\"mess"));
    repeat_ids(98);
    let message = Message::from_payload(r#"{"content":"next"}"#).unwrap();
    now(opened(&disk).append_message(&names.parent, message, &tenant())).unwrap();
    opened(&disk).engine().unwrap().settle().unwrap();
    (disk.after_kill(), names)
}

/// The process died right after the last step was committed.
fn died_after_commit() -> (SimulatedDisk, Names) {
    let (whole, names) = made();
    let after = answers(&opened(&whole), &names);
    (1..)
        .map(|at| {
            let disk = SimulatedDisk::default();
            let mut run = Run::new(&disk, Durability::Full);
            let (last, before) = MAKING.split_last().unwrap();
            before.iter().for_each(|step| step(&mut run).unwrap());
            disk.set_fault(Some(Fault::stop(at)));
            assert!(last(&mut run).is_err(), "it is committed at last");
            disk.after_kill()
        })
        .find(|disk| same(&answers(&opened(&disk.after_kill()), &names), &after))
        .map(|disk| (disk, names))
        .unwrap()
}

fn same(some: &Answers, others: &Answers) -> bool {
    some.iter().zip(others).all(|(one, other)| match (one, other) {
        ((_, Ok(one)), (_, Ok(other))) => one == other,
        _ => false,
    })
}

/// The root with each bit flipped that this run flips: where that was, and the root.
fn flipped(
    disk: &SimulatedDisk,
    of: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (String, usize, SimulatedDisk)> {
    let step = if std::env::var_os("NAMZU_EVERY_BIT").is_some() { 1 } else { 17 };
    let files: Vec<_> = disk.files().into_iter().filter(|(path, _)| of(path)).collect();
    assert!(!files.is_empty());
    files.into_iter().flat_map(move |(path, bytes)| {
        // Room that the journal has ahead is NULs; one head's length of it says enough.
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let bits = (end + 16).min(bytes.len()) * 8;
        let disk = disk.clone();
        (0..bits).step_by(step).map(move |bit| {
            let damaged = disk.after_kill();
            damaged.damage(&path, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
            (path.clone(), bit, damaged)
        })
    })
}

/// The machine starts anew, with all that was written.
fn rebooted(disk: &SimulatedDisk) -> SimulatedDisk {
    disk.after_power_cut(|_, _| Some(usize::MAX))
}

/// Whether a file can be done without: what is kept of handoffs and of torn logs cannot.
fn is_of_the_engine(path: &str) -> bool {
    let kept = [".store/intents/", ".store/salvage/"];
    path.starts_with(".store/") && !kept.iter().any(|folder| path.starts_with(folder))
}

/// The reads that a message to the parent and a new session change nothing of.
const UNTOUCHED: &[&str] = &[
    "project",
    "parent",
    "child",
    "edge",
    "children",
    "ancestry",
    "drill",
    "summary",
    "projects",
    "evicted messages",
    "evicted count",
    "eviction",
    "intent",
    "intended",
];

/// A root whose engine's files are damaged answers as before, and is whole again after
/// a write.
#[track_caller]
fn check_as_before(disk: &SimulatedDisk, names: &Names, expected: &Answers, what: &str) {
    let store = opened(disk);
    for (read, answer) in answers(&store, names) {
        let before = expected[read].as_ref().unwrap();
        assert!(answer.as_ref().is_ok_and(|answer| answer == before), "{what}: {read}: {answer:?}");
    }
    let message = Message::from_payload(r#"{"content":"after"}"#).unwrap();
    let appended = now(store.append_message(&names.parent, message, &tenant()));
    appended.unwrap_or_else(|error| panic!("{what}: append: {error}"));
    // What the index has to know makes it anew, where it does not hold.
    repeat_ids(99);
    let new = format!(r#"{{"projectId":"{}","currentActor":null}}"#, names.project);
    let created = now(store.create_session(NewSession::from_payload(&new).unwrap(), &tenant()));
    created.unwrap_or_else(|error| panic!("{what}: create: {error}"));
    let engine = store.engine().unwrap();
    engine.checkpoint().unwrap_or_else(|error| panic!("{what}: checkpoint: {error}"));
    let mut findings = verify_view(&engine).unwrap();
    findings.retain(|finding| finding.kind != FindingKind::Salvaged);
    assert_eq!(findings, [], "{what}");
    let after = answers(&opened(&rebooted(disk)), names);
    let count = expected["count"].as_ref().unwrap().as_u64().unwrap() + 1;
    assert_eq!(after["count"].as_ref().unwrap(), &json!(count), "{what}");
    for read in UNTOUCHED {
        let answer = after[read].as_ref().unwrap();
        assert_eq!(answer, expected[read].as_ref().unwrap(), "{what}: {read}, after a write");
    }
}

#[test]
fn a_root_at_rest_does_not_need_its_engines_files() {
    let (disk, names) = at_rest();
    let expected = answers(&opened(&disk.after_kill()), &names);
    for (path, bit, damaged) in flipped(&disk, is_of_the_engine) {
        check_as_before(&rebooted(&damaged), &names, &expected, &format!("{path}:{bit}, rebooted"));
        check_as_before(&damaged, &names, &expected, &format!("{path}:{bit}"));
    }
}

#[test]
fn a_root_in_use_does_not_need_its_engines_files() {
    let (disk, names) = made();
    let expected = answers(&opened(&disk.after_kill()), &names);
    check_whichever_is_damaged(&disk, &names, &expected);
}

#[test]
fn what_a_dead_process_committed_survives_damage_elsewhere() {
    let (disk, names) = died_after_commit();
    let expected = answers(&opened(&disk.after_kill()), &names);
    check_whichever_is_damaged(&disk, &names, &expected);
}

/// Flips bits of the engine's files, one after the other.
#[track_caller]
fn check_whichever_is_damaged(disk: &SimulatedDisk, names: &Names, expected: &Answers) {
    let history = history(names);
    for (path, bit, damaged) in flipped(disk, is_of_the_engine) {
        let what = format!("{path}:{bit}");
        if path == ".store/frames" && bit >= 64 * 8 {
            // Who opens a root believes its journal, as far as it holds, and not its tree.
            check_of_history(&rebooted(&damaged), names, &history, &what);
            check_of_history(&damaged, names, &history, &what);
        } else {
            check_as_before(&rebooted(&damaged), names, expected, &format!("{what}, rebooted"));
            check_as_before(&damaged, names, expected, &what);
        }
    }
}

/// Each answer is one that was right once, record by record; so is each error.
#[track_caller]
fn check_of_history(disk: &SimulatedDisk, names: &Names, history: &[Answers], what: &str) {
    for (read, answer) in answers(&opened(disk), names) {
        let mut once = history.iter().map(|answers| &answers[read]);
        match answer {
            Ok(answer) => {
                let right: Vec<_> = once.flatten().flat_map(|right| parts(read, right)).collect();
                let known = parts(read, &answer).iter().all(|part| right.contains(part));
                assert!(known, "{what}: {read}: {answer}");
            }
            Err(error) => {
                let is_same = |right: &Result<_, Error>| {
                    right.as_ref().is_err_and(|right| right.name() == error.name())
                };
                assert!(once.any(is_same), "{what}: {read}: {error}");
            }
        }
    }
}

/// What an answer says of each record that it is made of: of files that a damaged frame
/// and the later ones touched, each may be as of another time.
fn parts(read: &str, answer: &Value) -> Vec<Value> {
    match read {
        "drill" => answer.as_object().map_or(vec![answer.clone()], |view| {
            view.iter().map(|(key, part)| json!({ key: part })).collect()
        }),
        "projects" | "sessions" => answer["items"].as_array().unwrap().clone(),
        _ => vec![answer.clone()],
    }
}

/// Whether a list says that the record of this file is damaged, and no other.
fn names_damage(read: &str, answer: &Value, path: &str) -> bool {
    let is_list = matches!(read, "projects" | "sessions");
    let damaged = answer["damaged"].as_array().filter(|_| is_list);
    damaged.is_some_and(|damaged| matches!(damaged.as_slice(), [one] if one["path"] == path))
}

#[test]
fn a_damaged_record_answers_an_error_or_what_it_says() {
    let (disk, names) = at_rest();
    let expected = answers(&opened(&disk.after_kill()), &names);
    let before: BTreeMap<String, Vec<u8>> = disk.files().into_iter().collect();
    let (mut refused, mut unnoticed) = (0, 0);
    for (path, bit, damaged) in flipped(&disk, |path| !is_of_the_engine(path)) {
        let what = format!("{path}:{bit}");
        let text = damaged.files().into_iter().find(|(name, _)| *name == path).unwrap().1;
        let damage = Damage { text: &text, was: &before[&path] };
        let store = opened(&damaged);
        let mut failed = false;
        for (read, answer) in answers(&store, &names) {
            let right = expected[read].as_ref().unwrap();
            match answer {
                Ok(answer) if answer == *right => {}
                Ok(answer) if names_damage(read, &answer, &path) => {
                    assert!(concerned(&path, &names).contains(&read), "{what}: {read}: {answer}");
                    let known = parts(read, right);
                    assert!(parts(read, &answer).iter().all(|part| known.contains(part)), "{what}");
                    failed = true;
                }
                Ok(answer) => {
                    let said = concerned(&path, &names).contains(&read)
                        && damage.says(read, &answer, right, &names);
                    assert!(said, "{what}: {read}: {answer}\n{}", String::from_utf8_lossy(&text));
                    unnoticed += 1;
                }
                Err(error) => {
                    assert!(concerned(&path, &names).contains(&read), "{what}: {read}: {error}");
                    // To be another tenant's, or another message, is no damage.
                    let reads = matches!(
                        error,
                        Error::TenantIsolation { .. } | Error::InvalidArgument { .. }
                    );
                    failed |= !reads;
                }
            }
        }
        let findings = verify_view(&store.engine().unwrap()).unwrap();
        assert!(!failed || !findings.is_empty(), "{what}: an error that verify does not find");
        refused += usize::from(failed);
    }
    assert!(refused > 0 && unnoticed > 0, "{refused} refused, {unnoticed} unnoticed");
}
