//! What still goes on where the disk is too full to apply what is committed: transactions
//! that only remove.

use super::{
    Engine, FileError,
    apply::{empty_trash, remove_all},
    batch::Answer,
    committer::Job,
    files::Files,
    marks::Marks,
    overlay::Overlay,
    pipeline::Jobs,
};
use crate::error::Outcome;

impl Engine {
    /// Commits the transactions that only remove behind those that cannot be applied for
    /// want of room, carries them out at once, and refuses the others.
    pub(super) fn make_room(&self, files: &Files, jobs: Jobs, full: &FileError) -> Vec<Answer> {
        let mut answers = Vec::new();
        for job in jobs {
            // One by one: those that are refused take no number.
            match self.marks(files) {
                Ok(Some(marks)) => answers.extend(self.remove_now(files, marks, job, full)),
                Ok(None) => answers.push((job, Err(full.clone()))),
                Err(error) => answers.push((job, Err(error))),
            }
        }
        empty_trash(&*self.disk());
        let _ = self.catch_up(files); // what still finds no room waits on
        answers
    }

    fn remove_now(
        &self,
        files: &Files,
        marks: Marks,
        job: Box<dyn Job>,
        full: &FileError,
    ) -> Vec<Answer> {
        let frames = match self.unapplied(files, marks) {
            Ok(frames) => frames,
            Err(error) => return vec![(job, Err(error))],
        };
        let (mut planned, mut answers) = self.plan(vec![job], marks.seq, Overlay::of(&frames));
        if planned.jobs.is_empty() {
            return answers;
        }
        let carried_out = match planned.removes_alone() {
            true => self.write_journal(files, marks, &planned).and_then(|marks| {
                let removed = planned
                    .ops
                    .iter()
                    .try_for_each(|ops| remove_all(&*self.disk(), marks.seq, ops));
                removed.map_err(|error| error.with_outcome(Outcome::Done))
            }),
            false => Err(full.clone()),
        };
        answers.extend(planned.jobs.drain(..).map(|job| (job, carried_out.clone())));
        answers
    }
}
