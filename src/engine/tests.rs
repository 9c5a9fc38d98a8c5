//! Two engines over one disk, as two processes have them.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use super::{
    Engine, FileError, Op, Plan, RelPath, View, barrier,
    journal::{Room, frame},
    marks::Marks,
    simulated::{Fault, SimulatedDisk},
    submission,
};
use crate::error::Outcome;

pub(super) fn engine(disk: &SimulatedDisk) -> Arc<Engine> {
    Engine::over(disk, |_, _, _| Ok(Vec::new()))
}

/// Makes a transaction of which all is done at once, as there is no runtime here.
pub(super) fn transact<T: Send + 'static>(
    engine: &Arc<Engine>,
    plan: impl FnOnce(&View<'_>) -> Result<Plan<T>, FileError> + Send + 'static,
) -> Result<T, FileError> {
    let (transaction, answer) = submission(true, plan);
    engine.submit(std::iter::once(transaction));
    engine.attend();
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("without a runtime every transaction is done at once"),
    }
}

/// Carries out these operations as one transaction.
pub(super) fn commit(engine: &Arc<Engine>, ops: Vec<Op>) {
    transact(engine, |_| Ok(Plan { ops, answer: () })).unwrap();
}

/// Waits for all that was asked for before, as a store does when it is closed.
fn wait(engine: &Arc<Engine>) -> Result<(), FileError> {
    let (barrier, answer) = barrier();
    engine.submit(std::iter::once(barrier));
    engine.attend();
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("without a runtime every transaction is done at once"),
    }
}

pub(super) fn put(text: &str) -> Vec<Op> {
    vec![Op::Put { path: RelPath::of("record"), bytes: text.as_bytes().to_vec() }]
}

#[test]
fn nobody_writes_while_another_process_is_at_it() {
    let disk = SimulatedDisk::default();
    let (first, second) = (engine(&disk), engine(&disk));
    transact(&first, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    let intruder = Arc::clone(&second);
    let (inner, held) = transact(&first, move |view| {
        // A simulated lock that would have to be waited for answers an error.
        let inner = transact(&intruder, |_| Ok(Plan { ops: put("intruder"), answer: () }));
        let held = view.read(&RelPath::of("record"))?;
        Ok(Plan { ops: put("new"), answer: (inner, held) })
    })
    .unwrap();
    assert_eq!(inner.unwrap_err().op, "lock");
    assert_eq!(held.as_deref(), Some(b"old".as_slice()));
    let read = |view: &View<'_>| view.read(&RelPath::of("record"));
    assert_eq!(second.read(read).unwrap().as_deref(), Some(b"new".as_slice()));
    transact(&second, |_| Ok(Plan { ops: put("last"), answer: () })).unwrap();
    assert_eq!(first.read(read).unwrap().as_deref(), Some(b"last".as_slice()));
}

#[test]
fn a_reader_sees_nothing_of_what_is_written_and_not_committed() {
    let disk = SimulatedDisk::default();
    let (first, second) = (engine(&disk), engine(&disk));
    transact(&first, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    let files = first.files(false).unwrap().unwrap();
    let locked = Arc::clone(&files).acquire(&*first.named).unwrap();
    let marks = first.marks(&files).unwrap().unwrap();
    // The first process applies "new", and "newest" is in the journal without a sync.
    let mut frames = Vec::new();
    frame::encode(&mut frames, marks.seq + 1, &put("new"));
    let end = marks.end + frames.len() as u64;
    frame::encode(&mut frames, marks.seq + 2, &put("newest"));
    files.journal.write(marks.end, &frames, Room::WithoutSpare).unwrap();
    first.set_marks(&files, Marks { seq: marks.seq + 1, end, ..marks }).unwrap();
    let read = |view: &View<'_>| view.read(&RelPath::of("record"));
    assert_eq!(second.read(read).unwrap().as_deref(), Some(b"new".as_slice()));
    drop(locked);
    // Its writer is gone: what was written counts, as after a kill.
    assert_eq!(second.read(read).unwrap().as_deref(), Some(b"newest".as_slice()));
}

#[test]
fn a_root_that_could_only_be_read_is_closed_and_written_to_when_that_is_over() {
    let disk = SimulatedDisk::default();
    let read = |view: &View<'_>| view.read(&RelPath::of("record"));
    transact(&engine(&disk), |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    for closed_before in [false, true] {
        if closed_before {
            engine(&disk).settle().unwrap();
        }
        let elsewhere = disk.after_kill();
        elsewhere.set_read_only(true);
        let reader = engine(&elsewhere);
        assert_eq!(reader.read(read).unwrap().as_deref(), Some(b"old".as_slice()));
        // It has nothing to write.
        let before = elsewhere.progress();
        wait(&reader).unwrap();
        reader.settle().unwrap();
        reader.checkpoint().unwrap();
        assert_eq!(elsewhere.progress(), before);
        let refused = transact(&reader, |_| Ok(Plan { ops: put("new"), answer: () }));
        assert_eq!(refused.unwrap_err().source.kind(), std::io::ErrorKind::ReadOnlyFilesystem);
        reader.settle().unwrap();
        elsewhere.set_read_only(false);
        wait(&reader).unwrap();
        reader.settle().unwrap();
        assert!(reader.files(false).unwrap().unwrap().journal.is_bare().unwrap());
        transact(&reader, |_| Ok(Plan { ops: put("new"), answer: () })).unwrap();
        reader.settle().unwrap();
    }
}

/// Makes a transaction that is answered before it is synced; it is under way then, until
/// another process finishes it.
fn relax(engine: &Arc<Engine>, ops: Vec<Op>) {
    engine.finish_late(true);
    let (transaction, answer) = submission(false, |_| Ok::<_, FileError>(Plan { ops, answer: () }));
    engine.submit(std::iter::once(transaction));
    engine.attend();
    let answer = pin!(answer).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(answer, Poll::Ready(Ok(()))), "{answer:?}");
}

pub(super) fn record(view: &View<'_>) -> Result<Option<String>, FileError> {
    let bytes = view.read(&RelPath::of("record"))?;
    Ok(bytes.map(|bytes| String::from_utf8(bytes).unwrap()))
}

#[test]
fn what_was_written_is_not_closed_silently_where_it_cannot_be_synced() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    relax(&writer, put("new"));
    let fault = |at| Fault { at, for_ever: true, error: QUOTA, written: 0 };
    disk.set_fault(Some(fault(1)));
    assert!(writer.flush().is_err());
    disk.set_fault(None);
    writer.forget_files();
    disk.set_read_only(true);
    assert!(writer.settle().is_err());
    disk.set_read_only(false);
    writer.settle().unwrap();
    let found = engine(&disk.after_power_cut(|_, _| None)).read(record).unwrap();
    assert_eq!(found.as_deref(), Some("new"));
}

#[test]
fn everybody_sees_what_is_answered_and_not_synced_and_a_flush_makes_it_last() {
    let disk = SimulatedDisk::default();
    let (writer, reader) = (engine(&disk), engine(&disk));
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    assert_eq!(reader.read(record).unwrap().as_deref(), Some("old"));
    for text in ["new", "newer"] {
        relax(&writer, put(text));
        for engine in [&writer, &reader] {
            assert_eq!(engine.read(record).unwrap().as_deref(), Some(text));
            // Kept in memory, so at once as well.
            assert_eq!(engine.read_now(record).unwrap().as_deref(), Some(text));
        }
        let in_tree = writer.view().read(&RelPath::of("record")).unwrap();
        assert_eq!(in_tree.as_deref(), Some(b"old".as_slice()), "it is not synced");
    }
    let lost = engine(&disk.after_power_cut(|_, _| None));
    assert_eq!(lost.read(record).unwrap().as_deref(), Some("old"));
    assert_eq!(
        transact(&reader, |_| Ok(Plan { ops: put("x"), answer: () })).unwrap_err().op,
        "lock"
    );
    writer.flush().unwrap();
    let kept = engine(&disk.after_power_cut(|_, _| None));
    assert_eq!(kept.read(record).unwrap().as_deref(), Some("newer"));
    assert_eq!(writer.view().read(&RelPath::of("record")).unwrap().as_deref(), Some(&b"newer"[..]));
}

#[test]
fn a_folder_for_a_new_record_is_there_when_that_is_answered() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    let path = RelPath::of("a").at("b").at("record");
    relax(&writer, vec![Op::Put { path: path.clone(), bytes: b"new".to_vec() }]);
    assert_eq!(writer.view().list(&RelPath::of("a").at("b")).unwrap(), [""; 0]);
    assert_eq!(writer.disk().stat("a/b").map(|stat| stat.is_dir).ok(), Some(true));
    writer.flush().unwrap();
    assert!(writer.view().exists(&path).unwrap());
}

/// As a sync that failed may have dropped what was written, it is written again.
#[test]
fn a_failed_sync_of_what_was_answered_is_told_once_and_made_good_for() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    relax(&writer, put("new"));
    disk.set_fault(Some(Fault { at: 1, for_ever: false, error: QUOTA, written: 0 }));
    let known = writer.failed_syncs();
    writer.flush().unwrap();
    let failed = writer.failed_sync_since(known).unwrap();
    assert_eq!((failed.op, failed.outcome), ("sync", Outcome::Unknown));
    assert!(writer.failed_sync_since(writer.failed_syncs()).is_none());
    let kept = engine(&disk.after_power_cut(|_, _| None));
    assert_eq!(kept.read(record).unwrap().as_deref(), Some("new"));
}

#[test]
fn what_a_dead_process_answered_is_synced_before_it_is_applied() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    writer.checkpoint().unwrap();
    let other = Op::Put { path: RelPath::of("other"), bytes: b"new".to_vec() };
    relax(&writer, [put("new"), vec![other]].concat());
    let mut at = 0;
    loop {
        at += 1;
        let disk = disk.after_kill().with_bystander();
        disk.set_fault(Some(Fault::stop(at)));
        let done = engine(&disk).read(record).is_ok();
        // The system makes names and lengths survive, and none of the journal's frames.
        let after = disk.after_power_cut(|_, kind| (kind == "link").then_some(usize::MAX));
        engine(&after).checkpoint().unwrap();
        let found = ["record", "other"].map(|path| engine(&after).disk().read(path).ok());
        let is = |text: &str| Some(text.as_bytes().to_vec());
        let whole = [[is("old"), None], [is("new"), is("new")]];
        assert!(whole.contains(&found), "stopped at {at}: {found:?}");
        if done && at > 40 {
            break;
        }
    }
}

/// Frames that a process left unsynced although its marks say that they are in the tree.
#[test]
fn a_checkpoint_syncs_the_journal_before_the_tree() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    let path = RelPath::of("record");
    transact(&writer, |_| Ok(Plan { ops: put("old"), answer: () })).unwrap();
    writer.checkpoint().unwrap();
    let files = writer.files(false).unwrap().unwrap();
    let marks = writer.marks(&files).unwrap().unwrap();
    let mut frames = Vec::new();
    let ops = [put("new"), vec![Op::Put { path: RelPath::of("other"), bytes: b"new".to_vec() }]];
    frame::encode(&mut frames, marks.seq + 1, &ops.concat());
    files.journal.write(marks.end, &frames, Room::WithoutSpare).unwrap();
    let end = marks.end + frames.len() as u64;
    let written = Marks { seq: marks.seq + 1, end, ..marks }.all_applied();
    writer.set_marks(&files, written).unwrap();
    for path in [path.as_str(), "other"] {
        writer.disk().write(path, b"new").unwrap();
    }
    let mut at = 0;
    loop {
        at += 1;
        let disk = disk.after_kill().with_bystander();
        disk.set_fault(Some(Fault::stop(at)));
        let done = engine(&disk).checkpoint().is_ok();
        let after = disk.after_power_cut(|_, _| None);
        engine(&after).checkpoint().unwrap();
        let found = ["record", "other"].map(|path| engine(&after).disk().read(path).ok());
        let is = |text: &str| Some(text.as_bytes().to_vec());
        let whole = [[is("old"), None], [is("new"), is("new")]];
        assert!(whole.contains(&found), "stopped at {at}: {found:?}");
        if done {
            break;
        }
    }
}

#[test]
fn a_look_that_fails_is_no_answer() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    transact(&writer, |_| Ok(Plan { ops: put("a file"), answer: () })).unwrap();
    writer.settle().unwrap();
    // A file where a folder belongs: every call of the lookup fails in turn.
    for path in ["record", "record/below"] {
        let list = |disk: &SimulatedDisk| engine(disk).view().list(&RelPath::of(path));
        disk.set_fault(None);
        let refused = list(&disk).unwrap_err();
        assert_eq!(refused.source.kind(), std::io::ErrorKind::NotADirectory);
        let calls = disk.calls();
        assert!(calls > 1);
        for at in 1..=calls {
            disk.set_fault(Some(Fault { at, for_ever: false, error: QUOTA, written: 0 }));
            assert_eq!(list(&disk).unwrap_err().source.kind(), QUOTA, "call {at} of {path}");
        }
    }
    // A root whose redo log cannot be looked at was not replaced for that.
    let files = writer.files(false).unwrap().unwrap();
    disk.set_fault(Some(Fault { at: 1, for_ever: false, error: QUOTA, written: 0 }));
    assert_eq!(files.are_current(&*writer.named).unwrap_err().source.kind(), QUOTA);
    assert!(files.are_current(&*writer.named).unwrap());
}

const QUOTA: std::io::ErrorKind = std::io::ErrorKind::QuotaExceeded;

/// A record is removed and made again since the last checkpoint, every write `full`
/// and answered; the power cut keeps nothing that was not synced.
#[test]
fn a_record_removed_and_made_again_survives_a_power_cut() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    commit(&writer, put("first"));
    writer.checkpoint().unwrap();
    commit(&writer, vec![Op::Remove { path: RelPath::of("record") }]);
    commit(&writer, put("second"));
    let after = disk.after_power_cut(|_, _| None);
    let found = engine(&after).read(record).unwrap();
    let kept = after.files().into_iter().filter(|f| f.0.contains("salvage")).collect::<Vec<_>>();
    assert_eq!(found.as_deref(), Some("second"), "answered `full`, and lost; {kept:?}");
}

/// A log is removed (evicted), put back from a bundle with other bytes (a replacement
/// line resolved), then appended to; the power cut keeps nothing that was not synced.
#[test]
fn a_log_evicted_and_restored_survives_a_power_cut() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    let log = RelPath::of("log");
    let append = |offset, bytes: &[u8]| {
        vec![Op::Append { path: RelPath::of("log"), offset, bytes: bytes.to_vec() }]
    };
    commit(&writer, append(0, b"old\nreplaced by one\n"));
    writer.checkpoint().unwrap();
    commit(&writer, vec![Op::Remove { path: log.clone() }]);
    commit(&writer, append(0, b"one\n"));
    commit(&writer, append(4, b"answered\n"));
    let after = disk.after_power_cut(|_, _| None);
    let found = engine(&after).read(move |view: &View<'_>| view.read(&log)).unwrap();
    assert_eq!(found.as_deref(), Some(&b"one\nanswered\n"[..]), "answered `full`, and lost");
}

/// Another program appends a whole line before it is applied.
#[test]
fn a_line_that_another_program_adds_before_ours_is_applied_stays() {
    let disk = SimulatedDisk::default();
    let writer = engine(&disk);
    let append = |offset, bytes: &[u8]| {
        vec![Op::Append { path: RelPath::of("log"), offset, bytes: bytes.to_vec() }]
    };
    commit(&writer, append(0, b"1\n"));
    writer.finish_late(true);
    relax(&writer, append(2, b"ours\n"));
    writer.disk().write_tail("log", 2, b"theirs, longer than ours\n").unwrap();
    writer.flush().unwrap();
    let now = String::from_utf8(writer.disk().read("log").unwrap()).unwrap();
    assert!(now.contains("theirs") && now.contains("ours\n"), "{now:?}");
}
