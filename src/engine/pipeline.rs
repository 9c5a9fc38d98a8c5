//! Relaxed transactions: answered when their frames are in the journal file, synced and
//! applied by the same batch afterwards, while it goes on to take more of them.
//!
//! The holder of the root's lock keeps it until everything that it wrote is synced and applied,
//! in this order. So what others find unsynced or unapplied while the lock is free was left
//! by a process that died.

use std::{
    mem::take,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use super::{
    Engine, Op,
    apply::empty_trash,
    batch::{Answer, CHECKPOINT_AT, Committed},
    committer::Job,
    files::Locked,
    journal::{Room, frame},
    laid::Laid,
    marks::Marks,
    obstacles::Obstacles,
};
use crate::sync::{MutexGuard, atomic::Ordering};

/// No more transactions are taken in after this time, so that other processes get their turn,
const LONGEST: Duration = Duration::from_millis(50);
/// nor after this many bytes of frames.
const MOST_BYTES: u64 = 8 << 20;

/// A batch that is answered, and not synced and applied yet.
#[derive(Debug)]
pub(super) struct Pipeline {
    files: Locked,
    /// How far it has come.
    marks: Marks,
    /// What it wrote, for those that follow and for readers.
    laid: Arc<Laid>,
    /// What is written and not applied.
    written: Vec<Committed>,
    began: Instant,
    bytes: u64,
    /// The marks do not say all that is written: readers may not look for it.
    unmarked: bool,
}

/// The process's turn with the root: the batch in it goes on in another thread.
pub(super) type Turn<'e> = MutexGuard<'e, Option<Pipeline>>;

impl Pipeline {
    pub(super) fn new(files: Locked, marks: Marks) -> Self {
        let laid = Arc::new(Laid::after(marks.seq, marks.end));
        let (written, began) = (Vec::new(), Instant::now());
        Self { files, marks, laid, written, began, bytes: 0, unmarked: false }
    }

    /// Whether readers may not see what was written.
    pub(super) fn is_unmarked(&self) -> bool {
        self.unmarked
    }

    fn takes_more(&self) -> bool {
        self.bytes < MOST_BYTES && self.began.elapsed() < LONGEST
    }
}

impl Engine {
    /// This process's turn with the root's files: nothing of it is under way any more.
    pub(super) fn turn(&self) -> Turn<'_> {
        self.wait_while(|_| true)
    }

    /// As [`Engine::turn`], or the turn of the batch under way, if it takes more.
    pub(super) fn turn_or_pipeline(&self) -> Turn<'_> {
        #[cfg(any(test, fuzzing))]
        if self.finishes_late.load(Ordering::Relaxed) {
            return self.wait_while(|pipeline| pipeline.written.len() == 3);
        }
        self.wait_while(|pipeline| !pipeline.takes_more())
    }

    /// Has a batch go on when the next one has to wait for it, or not at all.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn finish_late(&self, late: bool) {
        self.finishes_late.store(late, Ordering::Relaxed);
    }

    /// Whether something that was committed here may not be in the tree.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Relaxed)
    }

    fn wait_while(&self, wait: impl Fn(&Pipeline) -> bool) -> Turn<'_> {
        let lock = || self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let must_wait = |turn: &Turn<'_>| turn.as_ref().is_some_and(&wait);
        let turn = lock();
        if !must_wait(&turn) {
            return turn;
        }
        drop(turn);
        super::files::blocking(|| {
            let mut turn = lock();
            while must_wait(&turn) {
                #[cfg(any(test, fuzzing))]
                if self.finishes_late.load(Ordering::Relaxed) {
                    drop(turn);
                    self.finish();
                    turn = lock();
                    continue;
                }
                turn = self.finished.wait(turn).unwrap_or_else(PoisonError::into_inner);
            }
            turn
        })
    }

    /// Has a batch go on elsewhere, so that the caller gets its answer; here, where there is
    /// no runtime.
    pub(super) fn begin(self: &Arc<Self>, mut turn: Turn<'_>, mut pipeline: Pipeline, jobs: Jobs) {
        self.lay(Some(Arc::clone(&pipeline.laid)));
        let answers = self.take_in(&mut pipeline, jobs);
        let (wrote, unmarked) = (!pipeline.written.is_empty(), pipeline.unmarked);
        if wrote {
            *turn = Some(pipeline);
        } else {
            self.lay(None);
            drop(pipeline);
        }
        drop(turn);
        if !unmarked {
            answer(answers);
            if wrote {
                elsewhere(Finishing(Arc::clone(self)));
            }
            return;
        }
        elsewhere(Finishing(Arc::clone(self)));
        self.answer_when_applied(answers);
    }

    /// Answers what the marks do not say: a read that starts then must see it, and finds it in
    /// the tree.
    pub(super) fn answer_when_applied(&self, answers: Vec<Answer>) {
        drop(self.turn());
        answer(answers);
    }

    /// Commits relaxed transactions behind those that are under way; answers those that were
    /// refused or had nothing to write, as well.
    pub(super) fn take_in(&self, pipeline: &mut Pipeline, jobs: Jobs) -> Vec<Answer> {
        let disk = self.disk();
        let mut obstacles = Obstacles::new(&*disk);
        let commit = |mut job: Box<dyn Job>| {
            let seq = pipeline.marks.seq + 1;
            let (ops, checked) = self.decide(&mut *job, seq, &pipeline.laid, &mut obstacles);
            if ops.is_empty() || checked.is_err() {
                return (job, checked);
            }
            let mut bytes = Vec::new();
            frame::encode(&mut bytes, seq, &ops);
            let marks = pipeline.marks;
            let written = pipeline.files.journal.write(marks.end, &bytes, Room::of(&ops));
            if written.is_err() {
                return (job, written);
            }
            self.behind.store(true, Ordering::Relaxed);
            let end = marks.end + bytes.len() as u64;
            pipeline.marks = Marks { end, seq, ..marks };
            pipeline.bytes += bytes.len() as u64;
            let marked =
                pipeline.laid.add(&ops, end, || self.set_marks(&pipeline.files, pipeline.marks));
            pipeline.unmarked = marked.is_err();
            self.make_folders(obstacles.take_missing());
            if mutant!(ApplyUnsynced) {
                let _ = self.apply_all(pipeline.marks, vec![Committed { ops: ops.clone(), end }]);
            }
            pipeline.written.push(Committed { ops, end });
            (job, Ok(()))
        };
        jobs.into_iter().map(commit).collect()
    }

    /// Makes the folders that new records are to be in, so that their maker may use
    /// them: an empty one is no record. What fails here fails again when it is applied.
    fn make_folders(&self, folders: Vec<String>) {
        for folder in folders {
            let _ = self.disk().create_dir(&folder);
        }
    }

    /// Syncs and applies what the batch under way wrote, until it wrote no more.
    fn finish(&self) {
        while let Some((files, marks)) = self.written() {
            let synced = files.journal.sync();
            let mut turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(pipeline) = turn.as_mut() else { return };
            if let Err(error) = synced {
                let failed = self.journal_not_synced(&files, pipeline.marks, error);
                self.tell_failed_sync(failed);
                self.end(turn);
                return;
            }
            let all = take(&mut pipeline.written);
            let (synced, later) = all.into_iter().partition(|written| written.end <= marks.end);
            pipeline.written = later;
            let before = pipeline.marks;
            drop(turn);
            let (applied, failed) = self.apply_all(before, synced);
            let mut turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(pipeline) = turn.as_mut() else { return };
            pipeline.marks = Marks { end: pipeline.marks.end, seq: pipeline.marks.seq, ..applied };
            let _ = self.set_marks(&files, pipeline.marks);
            if failed.is_some() || pipeline.written.is_empty() {
                // What failed is tried again by the next writer.
                if failed.is_none() && pipeline.marks.end > CHECKPOINT_AT {
                    let _ = self.checkpoint_at(&files, pipeline.marks);
                }
                self.end(turn);
                return;
            }
        }
    }

    /// The files of the batch under way, and how far it has written.
    fn written(&self) -> Option<(Arc<super::files::Files>, Marks)> {
        let turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        turn.as_ref().map(|pipeline| (pipeline.files.shared(), pipeline.marks))
    }

    /// Lets go of the lock.
    fn end(&self, mut turn: Turn<'_>) {
        *turn = None;
        drop(turn);
        self.finished.notify_all();
        if self.trash.swap(false, Ordering::Relaxed) {
            empty_trash(&*self.disk());
        }
    }
}

/// Transactions in their order.
pub(super) type Jobs = Vec<Box<dyn Job>>;

pub(super) fn answer(answers: Vec<Answer>) {
    for (job, answer) in answers {
        job.answer(answer);
    }
}

impl Room {
    fn of(ops: &[Op]) -> Self {
        if super::batch::removes_alone(ops) { Self::WithSpare } else { Self::WithoutSpare }
    }
}

/// Finishes what is under way when it is dropped: by the thread that runs it, or by a runtime that
/// ends and drops what it would have run.
struct Finishing(Arc<Engine>);

impl Drop for Finishing {
    fn drop(&mut self) {
        #[cfg(any(test, fuzzing))]
        if self.0.finishes_late.load(Ordering::Relaxed) {
            return;
        }
        let finish = std::panic::AssertUnwindSafe(|| self.0.finish());
        if std::panic::catch_unwind(finish).is_err() {
            // A fault of ours: the next holder of the lock goes on as after a kill.
            let turn = self.0.writer.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.end(turn);
        }
    }
}

#[cfg(not(interleavings))]
fn elsewhere(finishing: Finishing) {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(move || drop(finishing))),
        Err(_) => drop(finishing),
    }
}

#[cfg(interleavings)]
fn elsewhere(finishing: Finishing) {
    drop(shuttle::thread::spawn(move || drop(finishing)));
}
