//! Flips every bit of every file of a small root, one at a time, and looks at what each
//! read answers then.
//!
//! Files of the engine have checksums, and are derived or can be done without: reads
//! answer as before. Records have none, as their format has no place for one: reads
//! answer as before, or with an error, or what the flipped text says when it is a text
//! of the same form. `docs/testing.md` tells what cannot be noticed.
//!
//! Every seventh bit is flipped, which over the files meets each bit of a byte, and all
//! of them where `NAMZU_EVERY_BIT` is set.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::scenario::{
    Run, Step, append_number, create_edge, create_project, create_session, now, record_summary,
    update_session,
};
use crate::{
    engine::simulated::{Fault, SimulatedDisk},
    error::Error,
    id::{TenantId, repeat_ids},
    model::{Entity, Message, NewSession},
    store::{
        DiskStore, Durability, ExtendedSessionStore as _, Log, SessionStore as _,
        disk::verify::verify_view,
    },
    timestamp::Timestamp,
};

const MAKING: &[Step] = &[
    create_project,
    create_session,
    create_session,
    create_edge,
    append_number::<0>,
    append_number::<1>,
    update_session,
    record_summary,
];

/// The ids of what is in the root.
struct Names {
    project: String,
    parent: String,
    child: String,
    edge: String,
}

impl Names {
    fn of(run: &Run) -> Self {
        Self {
            project: run.project.as_ref().unwrap().id.to_string(),
            parent: run.sessions[0].id.to_string(),
            child: run.sessions[1].id.to_string(),
            edge: run.edges[0].id.to_string(),
        }
    }
}

type Answers = BTreeMap<&'static str, Result<Value, Error>>;

fn tenant() -> TenantId {
    TenantId::new("tnt_a").unwrap()
}

fn value(entity: Option<impl Entity>) -> Value {
    entity.map_or(Value::Null, |entity| serde_json::from_str(&entity.to_json()).unwrap())
}

fn list(log: Log) -> Value {
    let chunks = log.into_iter().map(|text| serde_json::from_str::<Vec<Value>>(&text).unwrap());
    Value::Array(chunks.flatten().collect())
}

/// What every kind of read answers.
fn answers(store: &DiskStore, names: &Names) -> Answers {
    let tenant = &tenant();
    let Names { project, parent, child, edge } = names;
    BTreeMap::from([
        ("project", now(store.get_project(project, tenant)).map(value)),
        ("parent", now(store.get_session(parent, tenant)).map(value)),
        ("child", now(store.get_session(child, tenant)).map(value)),
        ("edge", now(store.get_sub_session(edge, tenant)).map(value)),
        ("children", now(store.get_children(parent, tenant)).map(|edges| value(Some(edges)))),
        ("ancestry", now(store.get_ancestry(child, tenant)).map(|ids| json!(ids))),
        ("drill", now(store.drill(parent, tenant)).map(value)),
        ("summary", now(store.get_summary(parent, tenant)).map(value)),
        ("messages", now(store.load_messages(parent, tenant)).map(list)),
        ("envelopes", now(store.load_session_messages(parent, tenant)).map(list)),
        ("count", now(store.count_messages(parent, tenant)).map(|count| json!(count))),
    ])
}

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

/// Everything is in the tree, and the journal is empty.
fn at_rest() -> (SimulatedDisk, Names) {
    let (disk, names) = made();
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
    let step = if std::env::var_os("NAMZU_EVERY_BIT").is_some() { 1 } else { 7 };
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

fn is_of_the_engine(path: &str) -> bool {
    path.starts_with(".store/")
}

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
    assert_eq!(verify_view(&engine).unwrap(), [], "{what}");
    let after = answers(&opened(&rebooted(disk)), names);
    assert_eq!(after["count"].as_ref().unwrap(), &json!(3), "{what}");
    for read in ["project", "parent", "child", "edge", "children", "ancestry", "drill", "summary"] {
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
        if path == ".store/journal" && bit >= 64 * 8 {
            // Who opens a root believes its journal, as far as it holds, and not its tree.
            check_of_history(&rebooted(&damaged), names, &history, &what);
            check_of_history(&damaged, names, &history, &what);
        } else {
            check_as_before(&rebooted(&damaged), names, expected, &format!("{what}, rebooted"));
            check_as_before(&damaged, names, expected, &what);
        }
    }
}

/// Each answer is one that was right once, or an error.
#[track_caller]
fn check_of_history(disk: &SimulatedDisk, names: &Names, history: &[Answers], what: &str) {
    for (read, answer) in answers(&opened(disk), names) {
        let Ok(answer) = answer else { continue };
        let mut right = history.iter().filter_map(|answers| answers[read].as_ref().ok());
        assert!(right.any(|right| *right == answer), "{what}: {read}: {answer}");
    }
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
                Ok(answer) => {
                    let said = concerned(&path, &names).contains(&read)
                        && damage.says(read, &answer, right, &names);
                    assert!(said, "{what}: {read}: {answer}\n{}", String::from_utf8_lossy(&text));
                    unnoticed += 1;
                }
                Err(error) => {
                    assert!(concerned(&path, &names).contains(&read), "{what}: {read}: {error}");
                    // To be somebody else's is no damage.
                    failed |= !matches!(error, Error::TenantIsolation { .. });
                }
            }
        }
        let findings = verify_view(&store.engine().unwrap()).unwrap();
        assert!(!failed || !findings.is_empty(), "{what}: an error that verify does not find");
        refused += usize::from(failed);
    }
    assert!(refused > 0 && unnoticed > 0, "{refused} refused, {unnoticed} unnoticed");
}

/// The reads that the record of a path concerns; all others answer as before.
fn concerned(path: &str, names: &Names) -> &'static [&'static str] {
    match path.rsplit('/').next().unwrap() {
        "project.json" => &["project"],
        "session.json" if path.contains(&names.child) => &["child", "ancestry"],
        "session.json" => &[
            "parent",
            "children",
            "ancestry",
            "drill",
            "summary",
            "messages",
            "envelopes",
            "count",
        ],
        "subsession.json" => &["edge", "children", "ancestry", "drill"],
        "messages.jsonl" => &["messages", "envelopes", "count"],
        "summary.json" => &["summary"],
        other => panic!("{other}"),
    }
}

/// A record, before and after a bit of it was flipped.
struct Damage<'t> {
    text: &'t [u8],
    was: &'t [u8],
}

impl Damage<'_> {
    /// Whether an answer is what the damaged text says; read by other code than ours.
    fn says(&self, read: &str, answer: &Value, right: &Value, names: &Names) -> bool {
        match read {
            "messages" | "envelopes" | "count" => return self.log_says(read, answer),
            _ => {}
        }
        let Ok(record) = serde_json::from_slice::<Value>(self.text) else { return false };
        let was: Value = serde_json::from_slice(self.was).unwrap();
        let differs = |keys: &[&str]| keys.iter().any(|key| record[key] != was[key]);
        // An edge that is another's is left out.
        let left_out = differs(&["tenantId", "parentSessionId", "childSessionId"]);
        let edges = |edges: &Value| match edges.as_array().unwrap().as_slice() {
            [] => left_out,
            [edge] => says_record(edge, &record),
            _ => false,
        };
        match read {
            "children" => edges(answer),
            "ancestry" => {
                let child = json!(names.child);
                *answer == json!([child]) && left_out
                    || *answer == json!([record["parentSessionId"], child])
            }
            "drill" => {
                let session = answer["session"] == right["session"]
                    || says_record(&answer["session"], &record);
                let children =
                    answer["children"] == right["children"] || edges(&answer["children"]);
                session && children && answer["ancestry"] == right["ancestry"]
            }
            _ => says_record(answer, &record),
        }
    }

    /// The lines of the damaged log; its last one is left out when it is not ended.
    fn log_says(&self, read: &str, answer: &Value) -> bool {
        let text = String::from_utf8_lossy(self.text);
        let (mut messages, mut broken) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            match serde_json::from_str::<Value>(line) {
                Ok(message) => messages.push(message),
                Err(_) if !line.ends_with('\n') || line.trim().is_empty() => {}
                Err(_) => broken += 1,
            }
        }
        match read {
            // Lines are counted, whatever they say: `docs/messages.md` tells.
            "count" => *answer == json!(messages.len() + broken),
            _ if broken > 0 => false,
            "messages" => {
                let bare = messages.iter().map(|line| line["message"].clone());
                *answer == Value::Array(bare.collect())
            }
            _ => {
                let found = answer.as_array().unwrap();
                found.len() == messages.len()
                    && found.iter().zip(&messages).all(|(found, line)| says_record(found, line))
            }
        }
    }
}

/// Whether an entity is what a record says: the same under every key, dates in either
/// of their forms.
fn says_record(answer: &Value, record: &Value) -> bool {
    let Some(fields) = answer.as_object() else { return false };
    fields.iter().all(|(key, value)| {
        let said = &record[key];
        let date = said.as_str().and_then(Timestamp::parse);
        value == said
            || date.is_some_and(|date| {
                *value == json!(date.as_millis()) || *value == json!(date.to_string())
            })
            || value.is_object() && says_record(value, said)
    })
}
