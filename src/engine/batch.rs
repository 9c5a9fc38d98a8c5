//! One batch of transactions, from the lock to the answers.

use std::{mem::take, sync::PoisonError};

use super::{
    Engine, FileError, Op, View,
    apply::{Leftovers, apply, empty_trash},
    committer::Job,
    files::{Files, Locked},
    journal::{Room, frame},
    marks::{Doubts, IndexMark, Marks},
    obstacles::Obstacles,
    overlay::Overlay,
};
use crate::{
    error::Outcome,
    sync::{MutexGuard, atomic::Ordering},
};

/// A checkpoint is due when the journal is longer than this, in bytes.
const CHECKPOINT_AT: u64 = 8 << 20;

/// A transaction, and how it went.
pub(super) type Answer = (Box<dyn Job>, Result<(), FileError>);

/// A batch's transactions that have something to write, in order.
#[derive(Default)]
pub(super) struct Planned {
    pub(super) jobs: Vec<Box<dyn Job>>,
    pub(super) ops: Vec<Vec<Op>>,
    frames: Vec<u8>,
    /// Where each one's frame ends in `frames`.
    ends: Vec<u64>,
    must_last: bool,
}

impl Planned {
    /// Whether nothing is written but what is gone.
    pub(super) fn removes_alone(&self) -> bool {
        self.ops.iter().all(|ops| removes_alone(ops))
    }
}

/// Whether a transaction writes nothing but what is gone.
fn removes_alone(ops: &[Op]) -> bool {
    ops.iter().all(|op| match op {
        Op::Remove { .. } => true,
        Op::Locate(entry) => !entry.present,
        Op::Put { .. } | Op::Append { .. } => false,
    })
}

impl Engine {
    pub(super) fn batch(&self, jobs: Vec<Box<dyn Job>>) {
        let _turn = self.turn();
        self.activity.fetch_add(1, Ordering::Relaxed);
        let may_write = jobs.iter().any(|job| job.may_write());
        match self.lock_root(may_write) {
            Ok(Some(files)) if may_write || !files.are_read_only() => {
                let answers = self.carry_out(&files, jobs);
                drop(files);
                for (job, answer) in answers {
                    job.answer(answer);
                }
                if self.trash.swap(false, Ordering::Relaxed) {
                    empty_trash(&*self.disk);
                }
            }
            // There is nothing, or it can only be read, and nobody wants more.
            Ok(_) => {
                for mut job in jobs {
                    job.plan(&self.view());
                    job.answer(Ok(()));
                }
            }
            Err(error) => answer_all(jobs, &error),
        }
    }

    /// This process's turn with the root's files.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the root's lock; `None` where the root has no files of ours and `create`
    /// is not said.
    pub(super) fn lock_root(&self, create: bool) -> Result<Option<Locked>, FileError> {
        self.forget_read_only();
        loop {
            let files = match self.kept_files() {
                Some(files) => files,
                None => match self.files()? {
                    Some(files) => files,
                    None if create => self.keep(Files::create(&*self.disk)?),
                    None => return Ok(None),
                },
            };
            let locked = files.acquire()?;
            // They may have been removed, and made anew by others, while we waited.
            if locked.are_current(&*self.disk)? {
                return Ok(Some(locked));
            }
            self.forget_files();
        }
    }

    fn carry_out(&self, files: &Files, jobs: Vec<Box<dyn Job>>) -> Vec<Answer> {
        let marks = match self.catch_up(files).and_then(|marks| self.follow(marks)) {
            Ok(marks) => marks,
            Err(error) if error.is_for_room() => return self.make_room(files, jobs, &error),
            Err(error) => return jobs.into_iter().map(|job| (job, Err(error.clone()))).collect(),
        };
        let (planned, mut answers) =
            self.plan(jobs, marks.map_or(0, |marks| marks.seq), Overlay::default());
        if planned.jobs.is_empty() {
            if marks.is_none() {
                files.remove(&*self.disk);
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
        jobs: Vec<Box<dyn Job>>,
        mut seq: u64,
        mut overlay: Overlay,
    ) -> (Planned, Vec<Answer>) {
        let mut planned = Planned::default();
        let mut answers = Vec::new();
        let mut obstacles = Obstacles::new(&*self.disk);
        let several = jobs.len() > 1;
        for mut job in jobs {
            let ops = job.plan(&View::new(self, Some(&overlay)));
            let checked = obstacles.check(&ops, &overlay);
            if ops.is_empty() || checked.is_err() {
                answers.push((job, checked));
                continue;
            }
            seq += 1;
            frame::encode(&mut planned.frames, seq, &ops);
            planned.ends.push(planned.frames.len() as u64);
            if several {
                ops.iter().for_each(|op| overlay.apply(op));
            }
            planned.must_last |= job.must_last();
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
                files.remove(&*self.disk);
                self.forget_files();
            }),
        }
        .and_then(|marks| self.write_journal(files, marks, &planned));
        let marks = match committed {
            Ok(marks) => marks,
            Err(error) => return jobs.into_iter().map(|job| (job, Err(error.clone()))).collect(),
        };
        let (applied, failed) = self.apply_all(files, marks, planned);
        let answer = |(n, job)| match &failed {
            Some(error) if n >= applied => (job, Err(error.clone())),
            _ => (job, Ok(())),
        };
        jobs.into_iter().enumerate().map(answer).collect()
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
                apply(&*self.disk, marks.seq + 1, ops.clone(), &mut Leftovers::default())?;
            }
        }
        if planned.must_last {
            if let Err(error) = files.journal.sync() {
                let doubts = Doubts { journal: true, ..marks.doubts };
                let _ = self.set_marks(files, Marks { doubts, ..marks });
                // Never again through a handle that has swallowed the error.
                self.forget_files();
                return Err(error.with_outcome(Outcome::Unknown));
            }
            self.unsynced.store(false, Ordering::Relaxed);
        } else {
            self.unsynced.store(true, Ordering::Relaxed);
        }
        marks.end += planned.frames.len() as u64;
        marks.seq += planned.ops.len() as u64;
        // Whoever finds marks that could not be written looks behind their end.
        let _ = self.set_marks(files, marks);
        Ok(marks)
    }

    /// Applies committed transactions in order, up to the first that fails: it and those
    /// behind it stay committed, and are applied before anything else is.
    fn apply_all(
        &self,
        files: &Files,
        mut marks: Marks,
        planned: Planned,
    ) -> (usize, Option<FileError>) {
        let before = marks;
        let removes_alone = planned.removes_alone();
        let mut leftovers = Leftovers::default();
        let mut failed = None;
        let mut applied = 0;
        for (ops, end) in planned.ops.into_iter().zip(planned.ends) {
            if let Err(error) = apply(&*self.disk, marks.applied + 1, ops, &mut leftovers) {
                failed = Some(error);
                break;
            }
            marks.applied += 1;
            marks.applied_end = before.applied_end + end;
            applied += 1;
        }
        if !leftovers.entries.is_empty() {
            let extended = match self.extend_index(marks.index, &leftovers.entries) {
                // What was removed may have made the room.
                Err(error) if error.is_for_room() && leftovers.trash => {
                    empty_trash(&*self.disk);
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
                    applied = 0;
                    failed = Some(error);
                }
            }
        }
        if leftovers.trash {
            self.trash.store(true, Ordering::Relaxed);
        }
        let _ = self.set_marks(files, marks);
        if failed.is_none() && marks.end > CHECKPOINT_AT {
            // What fails here is tried again at the next one; nothing is lost meanwhile.
            let _ = self.checkpoint_at(files, marks);
        }
        (applied, failed.map(|error| error.with_outcome(Outcome::Done)))
    }
}

fn answer_all(jobs: Vec<Box<dyn Job>>, error: &FileError) {
    for job in jobs {
        job.answer(Err(error.clone()));
    }
}
