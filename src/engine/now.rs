//! Reads that are answered at once, on the caller's own thread: from what the system has in
//! memory, without a wait for a disk or a lock. Where that is not sure to be enough there is
//! no answer, and the caller asks again where waiting does no harm.

use std::{
    io,
    sync::{Arc, atomic::AtomicUsize},
};

use super::{
    Engine, FileError, View, disk::would_block, files::Files, laid::Laid, marks::Marks,
    path::FRAMES,
};
use crate::sync::atomic::Ordering;

/// How many files and bytes one answer may take: what is more keeps the caller's thread busy
/// for too long.
#[derive(Debug)]
pub(super) struct Allowance {
    files: AtomicUsize,
    bytes: AtomicUsize,
}

impl Allowance {
    /// 512 KiB are read from memory and looked through in half a millisecond, which is what
    /// JavaScript then takes to parse them.
    fn full() -> Self {
        Self { files: AtomicUsize::new(32), bytes: AtomicUsize::new(512 << 10) }
    }

    /// Whether so many bytes can still be read.
    pub(super) fn has(&self, bytes: u64) -> bool {
        self.bytes.load(Ordering::Relaxed) as u64 >= bytes
    }

    /// Uses `read` for a file, which is told how many bytes are left to it.
    pub(super) fn spend<T>(
        &self,
        len: impl Fn(&T) -> usize,
        read: impl FnOnce(usize) -> io::Result<T>,
    ) -> io::Result<T> {
        take(&self.files, 1)?;
        let answer = read(self.bytes.load(Ordering::Relaxed))?;
        take(&self.bytes, len(&answer))?;
        Ok(answer)
    }
}

fn take(left: &AtomicUsize, much: usize) -> io::Result<()> {
    let taken = left.load(Ordering::Relaxed).checked_sub(much);
    left.store(taken.ok_or_else(would_block)?, Ordering::Relaxed);
    Ok(())
}

impl Engine {
    /// As [`Engine::read`], without any waiting; `None` where that cannot be, and where `read`
    /// answers an error: what it says may come of that.
    pub fn read_now<T, E: From<FileError>>(
        &self,
        read: impl Fn(&View<'_>) -> Result<T, E>,
    ) -> Option<T> {
        let root = self.root_number();
        let (files, marks, laid) = self.standing_now()?;
        let allowance = Allowance::full();
        let answer = read(&View::now(self, laid.as_deref(), &allowance)).ok()?;
        // Several records are of one instant when nothing was committed meanwhile.
        let again = files.read_marks_now()?;
        (again.marks.seq == marks.seq && self.root_number() == root).then_some(answer)
    }

    /// The open files, the marks, and what is laid over the tree, where nothing is to be done
    /// before a read: they are those of the root, all that was committed is applied or in
    /// memory, and the index in memory knows it.
    fn standing_now(&self) -> Option<(Arc<Files>, Marks, Option<Arc<Laid>>)> {
        let files = self.files.try_read().ok()?.clone()?;
        if self.named.stat_now(FRAMES).ok()?.id != files.journal.id() {
            return None;
        }
        let found = files.read_marks_now()?;
        let marks = found.marks;
        let laid = match marks.settled() {
            true => None,
            false => Some(self.laid_now().filter(|laid| laid.covers_now(marks))?),
        };
        let ready = self.believes(&files, found)
            && !files.has_old_log.load(Ordering::Relaxed)
            && !files.journal.goes_on_now(marks.end, marks.seq)?
            && self.follows_index_now(marks.index);
        ready.then_some((files, marks, laid))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future as _,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;
    use crate::engine::{
        Entry, Op, Plan, RelPath,
        journal::{Room, frame},
        simulated::SimulatedDisk,
        submission,
    };

    fn engine(disk: &SimulatedDisk) -> Arc<Engine> {
        Engine::over(disk, |_, _, _| Ok(Vec::new()))
    }

    fn put(name: &'static str, len: usize) -> Op {
        Op::Put { path: RelPath::of(name), bytes: vec![b'x'; len] }
    }

    fn commit(engine: &Arc<Engine>, ops: Vec<Op>) {
        let (transaction, answer) =
            submission(true, |_| Ok::<_, FileError>(Plan { ops, answer: () }));
        engine.submit(std::iter::once(transaction));
        engine.attend();
        let answer = pin!(answer).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(answer, Poll::Ready(Ok(()))), "{answer:?}");
    }

    fn len_now(engine: &Engine, name: &'static str) -> Option<usize> {
        let read = |view: &View<'_>| view.read(&RelPath::of(name));
        engine.read_now(read).map(|bytes| bytes.map_or(0, |bytes| bytes.len()))
    }

    #[test]
    fn what_was_committed_is_answered_at_once_by_whoever_looked_before() {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        assert_eq!(len_now(&first, "a"), None, "nothing is open");
        commit(&first, vec![put("a", 3)]);
        assert_eq!(len_now(&first, "a"), Some(3));
        assert_eq!(len_now(&first, "b"), Some(0));
        assert_eq!(len_now(&second, "a"), None);
        second.read(|view| view.read(&RelPath::of("a"))).unwrap();
        commit(&first, vec![put("a", 4)]);
        assert_eq!(len_now(&second, "a"), Some(4));
    }

    #[test]
    fn nothing_is_answered_at_once_where_something_is_to_be_done_first() {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        commit(&first, vec![put("a", 3)]);
        second.read(|view| view.read(&RelPath::of("a"))).unwrap();
        let files = first.files(false).unwrap().unwrap();
        let marks = first.marks(&files).unwrap().unwrap();
        let mut frames = Vec::new();
        frame::encode(&mut frames, marks.seq + 1, &[put("a", 4)]);
        files.journal.write(marks.end, &frames, Room::WithoutSpare).unwrap();
        assert_eq!(len_now(&second, "a"), None, "a writer may have died at it");
        let end = marks.end + frames.len() as u64;
        first.set_marks(&files, Marks { seq: marks.seq + 1, end, ..marks }).unwrap();
        assert_eq!(len_now(&second, "a"), None, "it is not applied");
        drop(files);
        let read = |view: &View<'_>| view.read(&RelPath::of("a"));
        assert_eq!(second.read(read).unwrap().map(|bytes| bytes.len()), Some(4));
        assert_eq!(len_now(&second, "a"), Some(4));
    }

    #[test]
    fn nothing_is_answered_at_once_that_changes_meanwhile() {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        commit(&first, vec![put("a", 3), put("b", 3)]);
        let answer = first.read_now(|view| {
            let before = view.len(&RelPath::of("a"))?;
            commit(&second, vec![put("a", 4), put("b", 4)]);
            Ok::<_, FileError>((before, view.len(&RelPath::of("b"))?))
        });
        assert_eq!(answer, None);
    }

    #[test]
    fn nothing_is_answered_at_once_that_takes_long() {
        let disk = SimulatedDisk::default();
        let engine = engine(&disk);
        let half = (512 << 10) / 2;
        commit(&engine, vec![put("a", half), put("b", half), put("c", 1), put("d", 3 * half)]);
        let all = |names: &[&'static str]| {
            engine.read_now(|view| {
                names.iter().try_for_each(|name| view.read(&RelPath::of(name)).map(drop))
            })
        };
        assert!(all(&["a", "b"]).is_some());
        assert!(all(&["a", "b", "c"]).is_none());
        assert!(all(&["d"]).is_none());
        assert!(all(&["c"; 32]).is_some());
        assert!(all(&["c"; 33]).is_none());
        assert!(engine.read_now(|view| view.list(&RelPath::of("f"))).is_none());
    }

    #[test]
    fn what_the_index_in_memory_does_not_know_yet_is_not_answered_at_once() {
        let disk = SimulatedDisk::default();
        let (first, second) = (engine(&disk), engine(&disk));
        let locate = |key| vec![put("a", 1), Op::Locate(Entry::add(b's', key, "v"))];
        let now = |engine: &Engine, key| engine.read_now(|view| view.located(b's', key));
        commit(&first, locate("k"));
        assert_eq!(now(&first, "k"), Some(vec!["v".to_owned()]));
        second.read(|view| view.len(&RelPath::of("a"))).unwrap();
        assert_eq!(now(&second, "k"), None, "it was not read");
        let ask = |key| second.read(|view| view.located(b's', key)).unwrap();
        ask("k");
        assert_eq!(now(&second, "k"), Some(vec!["v".to_owned()]));
        commit(&first, locate("l"));
        assert_eq!(now(&second, "l"), None, "it has not followed");
        ask("l");
        assert_eq!(now(&second, "l"), Some(vec!["v".to_owned()]));
    }
}
