//! One batch of transactions, from the lock to the answers.

use std::{mem::take, sync::Arc};

use super::{
    Engine, FileError, Op,
    apply::{Leftovers, apply, empty_trash},
    committer::Job,
    files::{Files, Locked},
    journal::{Room, frame},
    laid::Laid,
    marks::{Doubts, IndexMark, Marks},
    obstacles::Obstacles,
    overlay::Overlay,
    pipeline::{Jobs, Pipeline, Turn, answer},
};
use crate::{error::Outcome, sync::atomic::Ordering};

/// A checkpoint is due when the journal is longer than this, in bytes.
pub(super) const CHECKPOINT_AT: u64 = 8 << 20;

/// A transaction, and how it went.
pub(super) type Answer = (Box<dyn Job>, Result<(), FileError>);

/// A transaction whose frame is written.
#[derive(Debug)]
pub(super) struct Committed {
    pub(super) ops: Vec<Op>,
    /// Where its frame ends.
    pub(super) end: u64,
}

/// A batch's transactions that have something to write, in order.
#[derive(Default)]
pub(super) struct Planned {
    pub(super) jobs: Vec<Box<dyn Job>>,
    pub(super) ops: Vec<Vec<Op>>,
    frames: Vec<u8>,
    /// Where each one's frame ends in `frames`.
    ends: Vec<u64>,
}

impl Planned {
    /// Whether nothing is written but what is gone.
    pub(super) fn removes_alone(&self) -> bool {
        self.ops.iter().all(|ops| removes_alone(ops))
    }

    /// What is committed, in frames that begin at `start`.
    fn committed(self, start: u64) -> Vec<Committed> {
        let ends = self.ends.into_iter().map(|end| start + end);
        self.ops.into_iter().zip(ends).map(|(ops, end)| Committed { ops, end }).collect()
    }
}

/// Whether a transaction writes nothing but what is gone.
pub(super) fn removes_alone(ops: &[Op]) -> bool {
    ops.iter().all(|op| match op {
        Op::Remove { .. } | Op::Found { .. } => true,
        Op::Locate(entry) => !entry.present,
        Op::Put { .. } | Op::Append { .. } => false,
    })
}

impl Engine {
    pub(super) fn batch(self: &Arc<Self>, jobs: Jobs) {
        self.activity.fetch_add(1, Ordering::Relaxed);
        // A transaction beside one that must last shares its sync.
        let relaxed = !jobs.iter().any(|job| job.must_last());
        let mut turn = if relaxed { self.turn_or_pipeline() } else { self.turn() };
        if let Some(pipeline) = turn.as_mut() {
            let answers = self.take_in(pipeline, jobs);
            let unmarked = pipeline.is_unmarked();
            drop(turn);
            return if unmarked { self.answer_when_applied(answers) } else { answer(answers) };
        }
        let may_write = jobs.iter().any(|job| job.may_write());
        match self.lock_root(may_write) {
            Ok(Some(files)) if may_write || !files.are_read_only() => {
                self.carry_out(turn, files, jobs, relaxed);
            }
            // There is nothing, or it can only be read, and nothing is to be written.
            Ok(_) => {
                for mut job in jobs {
                    job.plan(&self.view());
                    job.answer(Ok(()));
                }
            }
            Err(error) => answer_all(jobs, &error),
        }
    }

    /// Takes the root's lock; `None` where the root has no files of ours and `create`
    /// is not said.
    pub(super) fn lock_root(&self, create: bool) -> Result<Option<Locked>, FileError> {
        self.forget_read_only();
        loop {
            let files = match self.kept_files() {
                Some(files) => files,
                None => match self.files(true)? {
                    Some(files) => files,
                    None if create => self.keep(Files::create(&*self.named)?),
                    None => return Ok(None),
                },
            };
            if let Some(locked) = files.acquire(&*self.named)? {
                return Ok(Some(locked));
            }
            self.forget_files();
        }
    }

    fn carry_out(self: &Arc<Self>, turn: Turn<'_>, files: Locked, jobs: Jobs, relaxed: bool) {
        let answers = match self.catch_up(&files).and_then(|marks| self.follow(marks)) {
            Ok(Some(marks)) if relaxed => {
                return self.begin(turn, Pipeline::new(files, marks), jobs);
            }
            Ok(marks) => self.plan_and_commit(&files, marks, jobs),
            Err(error) if error.is_for_room() => self.make_room(&files, jobs, &error),
            Err(error) => jobs.into_iter().map(|job| (job, Err(error.clone()))).collect(),
        };
        drop(files);
        answer(answers);
        if self.trash.swap(false, Ordering::Relaxed) {
            empty_trash(&*self.disk());
        }
        drop(turn);
    }

    fn plan_and_commit(&self, files: &Files, marks: Option<Marks>, jobs: Jobs) -> Vec<Answer> {
        let (planned, mut answers) =
            self.plan(jobs, marks.map_or(0, |marks| marks.seq), Overlay::default());
        if planned.jobs.is_empty() {
            if marks.is_none() {
                files.remove(&*self.named);
                self.forget_files();
            }
            return answers;
        }
        answers.extend(self.commit(files, marks, planned));
        answers
    }

    fn follow(&self, marks: Option<Marks>) -> Result<Option<Marks>, FileError> {
        if let Some(marks) = marks {
            self.follow_index(marks.index)?;
        }
        Ok(marks)
    }

    /// Runs the closures in order, each over what those before it decided; answers those
    /// as well that have nothing to write or cannot.
    pub(super) fn plan(
        &self,
        jobs: Jobs,
        mut seq: u64,
        overlay: Overlay,
    ) -> (Planned, Vec<Answer>) {
        let laid = Laid::of(overlay);
        let mut planned = Planned::default();
        let mut answers = Vec::new();
        let disk = self.disk();
        let mut obstacles = Obstacles::new(&*disk);
        let several = jobs.len() > 1;
        for mut job in jobs {
            let (ops, checked) = self.decide(&mut *job, seq + 1, &laid, &mut obstacles);
            if ops.is_empty() || checked.is_err() {
                answers.push((job, checked));
                continue;
            }
            seq += 1;
            frame::encode(&mut planned.frames, seq, &ops);
            planned.ends.push(planned.frames.len() as u64);
            if several {
                laid.apply(&ops);
            }
            planned.jobs.push(job);
            planned.ops.push(ops);
        }
        if mutant!(ForgetLastFrame) {
            let end = planned.ends.iter().nth_back(1).copied().unwrap_or(0);
            planned.frames.truncate(usize::try_from(end).unwrap_or(0));
        }
        (planned, answers)
    }

    /// Commits planned transactions, then applies them.
    fn commit(&self, files: &Files, marks: Option<Marks>, mut planned: Planned) -> Vec<Answer> {
        let mut jobs = take(&mut planned.jobs);
        if mutant!(AnswerBeforeCommit) {
            jobs.drain(..).for_each(|job| job.answer(Ok(())));
        }
        let committed = match marks {
            Some(marks) => Ok(marks),
            None => self.initialise(files).inspect_err(|_| {
                // A sync that failed may have lost the names too: they are made anew.
                files.remove(&*self.named);
                self.forget_files();
            }),
        }
        .and_then(|marks| self.write_journal(files, marks, &planned));
        let marks = match committed {
            Ok(marks) => marks,
            Err(error) => return jobs.into_iter().map(|job| (job, Err(error.clone()))).collect(),
        };
        let start = marks.end - planned.frames.len() as u64;
        let before = marks.applied;
        let (marks, failed) = self.apply_all(marks, planned.committed(start));
        let _ = self.set_marks(files, marks);
        if failed.is_none() && marks.end > CHECKPOINT_AT {
            // What fails here is tried again at the next one; nothing is lost meanwhile.
            let _ = self.checkpoint_at(files, marks);
        }
        let answer = |(n, job)| match &failed {
            Some(error) if before + n >= marks.applied => (job, Err(error.clone())),
            _ => (job, Ok(())),
        };
        (0..).zip(jobs).map(answer).collect()
    }

    /// The commit point.
    pub(super) fn write_journal(
        &self,
        files: &Files,
        mut marks: Marks,
        planned: &Planned,
    ) -> Result<Marks, FileError> {
        let room = if planned.removes_alone() { Room::WithSpare } else { Room::WithoutSpare };
        files.journal.write(marks.end, &planned.frames, room)?;
        if mutant!(ApplyBeforeDurable) {
            for ops in &planned.ops {
                apply(&*self.disk(), marks.seq + 1, ops.clone(), &mut Leftovers::default())?;
            }
        }
        if let Err(error) = files.journal.sync() {
            return Err(self.journal_not_synced(files, marks, error));
        }
        marks.end += planned.frames.len() as u64;
        marks.seq += planned.ops.len() as u64;
        self.behind.store(true, Ordering::Relaxed);
        // If this write fails, the next reader scans past their end and recovers.
        let _ = self.set_marks(files, marks);
        Ok(marks)
    }

    /// A failed sync may have dropped what was written: it is written again before it is
    /// synced, and never through a handle that has swallowed the error.
    pub(super) fn journal_not_synced(
        &self,
        files: &Files,
        marks: Marks,
        error: FileError,
    ) -> FileError {
        let doubts = Doubts { journal: true, ..marks.doubts };
        let _ = self.set_marks(files, Marks { doubts, ..marks });
        self.forget_files();
        error.with_outcome(Outcome::Unknown)
    }

    /// Applies committed transactions in order, up to the first that fails: it and those
    /// behind it stay committed, and are applied before anything else is. Answers how far
    /// that came.
    pub(super) fn apply_all(
        &self,
        mut marks: Marks,
        committed: Vec<Committed>,
    ) -> (Marks, Option<FileError>) {
        let before = marks;
        let removes_alone = committed.iter().all(|committed| removes_alone(&committed.ops));
        let mut leftovers = Leftovers::default();
        let mut failed = None;
        for Committed { ops, end } in committed {
            if let Err(error) = apply(&*self.disk(), marks.applied + 1, ops, &mut leftovers) {
                failed = Some(error);
                break;
            }
            marks.applied += 1;
            marks.applied_end = end;
        }
        if !leftovers.entries.is_empty() {
            let extended = match self.extend_index(marks.index, &leftovers.entries) {
                // What was removed may have made the room.
                Err(error) if error.is_for_room() && leftovers.trash => {
                    empty_trash(&*self.disk());
                    self.extend_index(marks.index, &leftovers.entries)
                }
                extended => extended,
            };
            match extended {
                Ok(index) => marks.index = index,
                // It can be made anew when there is room again.
                Err(error) if error.is_for_room() && removes_alone => marks.index = IndexMark::NONE,
                Err(error) => {
                    marks = before;
                    failed = Some(error);
                }
            }
        }
        if leftovers.trash {
            self.trash.store(true, Ordering::Relaxed);
        }
        (marks, failed.map(|error| error.with_outcome(Outcome::Done)))
    }
}

fn answer_all(jobs: Jobs, error: &FileError) {
    for job in jobs {
        job.answer(Err(error.clone()));
    }
}
