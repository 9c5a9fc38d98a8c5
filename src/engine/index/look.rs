//! The look: finds, once in each process, what other programs changed in the tree while no
//! process of ours had it open.
//!
//! The user of the engine walks the tree beside a copy of the index ([`super::super::Survey`]),
//! without a lock. What it finds is committed like a transaction, each part only where the
//! index still says what the walk compared with: a transaction that was committed meanwhile
//! knows better. A process that cannot write keeps what it finds.

use std::{iter::once, sync::Arc};

use super::{Entry, Kind, Table};
use crate::{
    engine::{Engine, FileError, KeptProgress, Op, Plan, View, files::blocking, submission},
    sync::{atomic::Ordering, wait},
};

/// Something that the tree says and the index does not.
#[derive(Debug)]
pub struct Found {
    /// What the index keeps with the first of the entries; `None` where it does not have it.
    pub before: Option<Vec<u8>>,
    /// What it is to say instead.
    pub entries: Vec<Entry>,
}

/// The kind of the entry that says that the whole tree was walked, and for which index: its
/// number. Users have other kinds.
const WALKED: Kind = 0;
/// The kind of the entry that keeps the number of an index.
const NUMBER: Kind = 1;
/// One transaction takes in this many findings, so that others get their turn.
const PART: usize = 4096;
/// How often a look is begun anew because the root is replaced meanwhile.
const ATTEMPTS: usize = 4;

impl Table {
    /// One that nothing is known of yet, with a number at random.
    pub(super) fn begun() -> Self {
        let mut table = Self::default();
        if let Ok(number) = getrandom::u64() {
            let data = number.to_le_bytes().to_vec();
            table.apply(&Entry { data, ..Entry::add(NUMBER, "", "") });
        }
        table
    }

    /// Whether everything is in it that was in the tree when it was last walked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let walked = self.data(WALKED, "", "");
        walked.is_some_and(|of| of == self.data(NUMBER, "", "").unwrap_or_default())
    }

    /// The number of the index. What a walk finds is worth something beside what was found
    /// before it, so it is to say this number with it: what it found may be taken in after the
    /// index was lost and another was begun.
    #[must_use]
    pub fn number(&self) -> u64 {
        let number = self.data(NUMBER, "", "").and_then(|data| data.try_into().ok());
        number.map_or(0, u64::from_le_bytes)
    }
}

impl Engine {
    /// Whether this process has looked for what other programs changed.
    pub fn has_looked(&self) -> bool {
        self.looks.load(Ordering::Acquire) == self.located_epoch()
    }

    /// Looks for what other programs changed, unless this process did so before; with `anew`,
    /// in any case. Others that look meanwhile are waited for.
    ///
    /// # Errors
    /// [`FileError`] when something of the tree cannot be read: what is not known then may be
    /// there.
    pub fn look(self: &Arc<Self>, anew: bool) -> Result<(), FileError> {
        blocking(|| {
            let _one_at_a_time = self.looking.lock();
            for _ in 0..ATTEMPTS {
                if !anew && self.has_looked() {
                    break;
                }
                self.committed(false)?;
                self.look_up(|_| ())?;
                let epoch = self.located_epoch();
                self.take_in_found(self.walk()?);
                self.looks.store(epoch, Ordering::Release);
                if self.has_looked() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// As [`Engine::look`], for a transaction that needs it after all, under the lock: what is
    /// found is known to this process.
    pub(in crate::engine) fn look_here(&self) -> Result<(), FileError> {
        self.look_up(|_| ())?;
        let epoch = self.located_epoch();
        self.keep_found(&self.walk()?);
        self.looks.store(epoch, Ordering::Release);
        Ok(())
    }

    /// What the tree says that the index does not; last, that it was walked.
    fn walk(&self) -> Result<Vec<Found>, FileError> {
        let table = self.look_up(Table::clone)?;
        let walked = table.is_complete();
        let progress = self.progress.lock().map_or(None, |progress| progress.clone());
        let report = |done, total| {
            if let Some(KeptProgress(progress)) = progress.as_ref().filter(|_| !walked) {
                progress(done, total);
            }
        };
        let mut found = (self.survey)(&self.view(), &table, &report)?;
        if !walked {
            let before = table.data(WALKED, "", "").map(<[u8]>::to_vec);
            let data = table.data(NUMBER, "", "").unwrap_or_default().to_vec();
            let all = Entry { data, ..Entry::add(WALKED, "", "") };
            found.push(Found { before, entries: vec![all] });
        }
        Ok(found)
    }

    /// Commits what was found, the parts one after the other; keeps what cannot be committed.
    fn take_in_found(self: &Arc<Self>, mut found: Vec<Found>) {
        // Reading makes no files in a folder, and waits for no writer, which may be stopped.
        if !self.is_free() {
            self.keep_found(&found);
            return;
        }
        while !found.is_empty() {
            let rest = found.split_off(PART.min(found.len()));
            let part = Arc::new(found);
            found = rest;
            if self.commit_found(Arc::clone(&part)).is_err() {
                self.keep_found(&part);
                self.keep_found(&found);
                return;
            }
        }
    }

    /// Whether the root has files of the engine, and no writer is at it at this moment.
    fn is_free(&self) -> bool {
        let Some(files) = self.kept_files() else { return false };
        // The lock belongs to the open file: it is asked for while no batch of ours holds it.
        let turn = self.writer.try_lock();
        let none_of_ours = turn.as_ref().is_ok_and(|pipeline| pipeline.is_none());
        none_of_ours && matches!(files.try_acquire(&*self.named), Ok(Some(_)))
    }

    fn commit_found(self: &Arc<Self>, found: Arc<Vec<Found>>) -> Result<(), FileError> {
        let plan = move |view: &View<'_>| {
            let mut ops = Vec::new();
            for Found { before, entries } in found.iter() {
                let Some(first) = entries.first() else { continue };
                if view.kept(first.kind, &first.key, &first.value)? == *before {
                    ops.extend(entries.iter().cloned().map(Op::Locate));
                }
            }
            Ok::<_, FileError>(Plan { ops, answer: () })
        };
        // Nothing is being written any more when the look is over: the caller may remove the root.
        let (transaction, answer) = submission(true, plan);
        self.submit(once(transaction));
        self.attend();
        wait(answer)
    }
}
