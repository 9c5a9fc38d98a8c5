//! The index in memory, and how it follows its file.

use std::sync::PoisonError;

use super::{
    Entry, Table,
    file::{self, HEAD_LEN, Head},
};
use crate::{
    engine::{
        Engine, FileError, KeptProgress,
        disk::{During as _, OpenFile, strange_as_none},
        files::{Files, blocking},
        marks::IndexMark,
        path::INDEX,
    },
    sync::{RwLockWriteGuard, atomic::Ordering, yield_now},
};

/// What is known of the index at this moment.
#[derive(Debug, Default)]
pub(in crate::engine) struct Located {
    /// None before the first lookup.
    table: Option<Table>,
    /// How much of which file is in the table; none where a root without one was surveyed.
    mark: Option<IndexMark>,
}

/// What was added to an index file is sorted in by the next checkpoint when it is longer than
/// this.
const LONG_TAIL: u64 = 1 << 20;
/// Unless it is a smaller part than this of the sorted part: so each entry is written only so
/// many times more, however many there are.
const TAIL_PART: u64 = 16;
/// How often the index is looked at again that is being replaced this very moment.
const ATTEMPTS: usize = 16;

fn is_long(tail: u64, sorted: u64) -> bool {
    tail > LONG_TAIL && tail > sorted / TAIL_PART
}

impl Engine {
    fn write_located(&self) -> RwLockWriteGuard<'_, Located> {
        self.locator.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `read` over what is known, as others do at the same time.
    fn with_located<T>(&self, read: impl FnOnce(&Located) -> T) -> T {
        read(&self.locator.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the table knows what the index says up to `mark`, or is not asked.
    pub(in crate::engine) fn follows_index_now(&self, mark: IndexMark) -> bool {
        let located = self.locator.try_read();
        located.is_ok_and(|located| located.table.is_none() || located.follows(mark))
    }

    /// What the table says, if it is there and can be asked without waiting.
    pub(in crate::engine) fn if_located_now<T>(&self, get: impl FnOnce(&Table) -> T) -> Option<T> {
        self.locator.try_read().ok()?.table.as_ref().map(get)
    }

    /// What the table says; reads the index first where that was not done.
    pub(in crate::engine) fn look_up<T>(&self, get: impl Fn(&Table) -> T) -> Result<T, FileError> {
        if let Some(found) = self.with_located(|located| located.table.as_ref().map(&get)) {
            return Ok(found);
        }
        let mut located = self.write_located();
        if located.table.is_none() {
            let (table, mark) = self.filled()?;
            *located = Located { table: Some(table), mark };
        }
        Ok(get(located.table.get_or_insert_default()))
    }

    /// What the index says, up to where it counts; a survey's findings where there is no
    /// index, or one that does not hold and is to be written anew.
    fn filled(&self) -> Result<(Table, Option<IndexMark>), FileError> {
        let mut wanted = self.index_mark()?;
        let mut attempts = 0;
        while let Some(mark) = wanted {
            if let Some(table) = self.load_index(mark)? {
                return Ok((table, Some(mark)));
            }
            // It may have been written anew this very moment, and the marks not yet say so.
            let now = self.index_mark()?;
            if now == wanted {
                attempts += 1;
                let found = self.index_head()?.map(|head| head.generation);
                let same = found.is_none_or(|found| found == mark.generation);
                if same || mark == IndexMark::NONE || attempts == ATTEMPTS {
                    self.index_broken.store(true, Ordering::Relaxed);
                    break;
                }
                yield_now();
            }
            wanted = now;
        }
        Ok((self.surveyed()?, wanted))
    }

    /// What the marks say of the index. The caller has the table locked: that the files are
    /// another root's by now, for which everything is to be forgotten, is left to the next
    /// call to notice.
    fn index_mark(&self) -> Result<Option<IndexMark>, FileError> {
        // Never by `files`, which has everything forgotten when another thread opened those of
        // another root this very moment, and would wait for the table that the caller holds.
        let files = match self.kept_files() {
            Some(files) => Some(files),
            None => Files::open(&*self.disk)?.map(|files| self.keep(files)),
        };
        let marks = files.map_or(Ok(None), |files| self.marks(&files))?;
        Ok(marks.map(|marks| marks.index))
    }

    fn surveyed(&self) -> Result<Table, FileError> {
        let mut table = Table::default();
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let report = |done, total| {
            if let Some(KeptProgress(progress)) = &progress {
                progress(done, total);
            }
        };
        for entry in blocking(|| (self.survey)(&self.view(), &report))? {
            table.apply(&entry);
        }
        Ok(table)
    }

    fn open_index(&self) -> Result<Option<Box<dyn OpenFile>>, FileError> {
        strange_as_none(self.disk.open_to_read(INDEX)).during("open", INDEX)
    }

    /// What the index file starts with; `None` where it is missing or its head does not hold.
    pub(in crate::engine) fn index_head(&self) -> Result<Option<Head>, FileError> {
        let Some(file) = self.open_index()? else { return Ok(None) };
        Ok(Head::read(&file.read_at(0, HEAD_LEN).during("read", INDEX)?))
    }

    /// Reads as much of the index as counts; `None` where that is not there or does not
    /// hold.
    fn load_index(&self, mark: IndexMark) -> Result<Option<Table>, FileError> {
        let Some(file) = self.open_index()? else { return Ok(None) };
        let there = file.len().during("stat", INDEX)?;
        let Some(len) = usize::try_from(mark.len).ok().filter(|_| mark.len <= there) else {
            return Ok(None);
        };
        let bytes = file.read_at(0, len).during("read", INDEX)?;
        Ok(file::load_all(bytes, mark))
    }

    /// What was added to the index of `known` up to `mark`; `None` where that is not there.
    fn added_between(
        &self,
        known: IndexMark,
        mark: IndexMark,
    ) -> Result<Option<Vec<u8>>, FileError> {
        let Some(file) = self.open_index()? else { return Ok(None) };
        let head = Head::read(&file.read_at(0, HEAD_LEN).during("read", INDEX)?);
        let len = mark.len.checked_sub(known.len).and_then(|len| usize::try_from(len).ok());
        let same = head.is_some_and(|head| head.generation == mark.generation);
        let (Some(len), true) = (len, same) else { return Ok(None) };
        let there = file.len().during("stat", INDEX)?;
        if mark.len > there {
            return Ok(None);
        }
        let added = file.read_at(known.len, len).during("read", INDEX)?;
        Ok(Some(added))
    }

    /// Takes in what other processes added to the index, up to `mark`; forgets everything
    /// when the index is another one.
    pub(in crate::engine) fn follow_index(&self, mark: IndexMark) -> Result<(), FileError> {
        let follows = |located: &Located| located.table.is_none() || located.follows(mark);
        if self.with_located(follows) {
            return Ok(());
        }
        let mut located = self.write_located();
        if follows(&located) {
            return Ok(());
        }
        let added = match located.mark {
            Some(known) if known.generation == mark.generation => {
                self.added_between(known, mark)?
            }
            _ => None,
        };
        let table = located.table.as_mut();
        let taken_in = table.zip(added).and_then(|(table, added)| file::extend(table, &added));
        *located = match taken_in {
            Some(()) => Located { table: located.table.take(), mark: Some(mark) },
            None => Located::default(),
        };
        Ok(())
    }

    /// Adds changes at the end of the index file and to the table; the caller has the root's
    /// lock and has followed the index up to `mark`.
    pub(in crate::engine) fn extend_index(
        &self,
        mark: IndexMark,
        entries: &[Entry],
    ) -> Result<IndexMark, FileError> {
        let broken = mark == IndexMark::NONE || self.index_broken.load(Ordering::Relaxed);
        if broken || !self.has_index(mark)? {
            // The tree shows the changes already.
            let next = self.rewrite_index(IndexMark::NONE)?;
            self.index_broken.store(false, Ordering::Relaxed);
            return Ok(next);
        }
        let chunk = file::encode(entries);
        self.disk.write_tail(INDEX, mark.len, &chunk).during("append", INDEX)?;
        let next = IndexMark { len: mark.len + chunk.len() as u64, ..mark };
        let mut located = self.write_located();
        if located.mark == Some(mark) {
            entries.iter().for_each(|entry| located.apply(entry));
            located.mark = Some(next);
        }
        Ok(next)
    }

    /// Whether a checkpoint is to write the index anew: so much was added to it, or it does
    /// not hold.
    pub(in crate::engine) fn has_outgrown(&self, index: IndexMark) -> Result<bool, FileError> {
        if index.len < LONG_TAIL {
            return Ok(false);
        }
        let Some(head) = self.index_head()? else { return Ok(true) };
        let tail = index.len.saturating_sub(head.sorted_end());
        Ok(is_long(tail, head.sorted) || head.generation != index.generation)
    }

    /// A new index file that says everything that the one there says, as far as `index`
    /// counts of it, or the tree. The caller has the root's lock.
    pub(in crate::engine) fn new_index(
        &self,
        index: IndexMark,
        generation: u64,
    ) -> Result<Vec<u8>, FileError> {
        if index != IndexMark::NONE {
            self.follow_index(index)?;
        }
        let mut located = self.write_located();
        if index == IndexMark::NONE && located.mark.is_some() {
            // Only one that was surveyed before anybody had an index here need not be again.
            *located = Located::default();
        }
        if located.table.is_none() {
            let loaded = if index == IndexMark::NONE { None } else { self.load_index(index)? };
            *located = match loaded {
                Some(table) => Located { table: Some(table), mark: Some(index) },
                None => Located { table: Some(self.surveyed()?), mark: None },
            };
        }
        Ok(located.table.as_ref().map(|t| file::encode_all(t, generation)).unwrap_or_default())
    }

    /// The index was written anew from the table.
    pub(in crate::engine) fn index_rewritten(&self, mark: IndexMark) {
        self.write_located().mark = Some(mark);
    }

    /// Takes in what reading the tree found; the index need not know.
    pub(in crate::engine) fn learn(&self, entry: &Entry) {
        self.write_located().apply(entry);
    }
}

impl Located {
    /// Whether the table knows what the index says up to `mark`, or more: the engine that adds
    /// to the index knows that before the marks say so.
    fn follows(&self, mark: IndexMark) -> bool {
        self.mark.is_some_and(|known| known.generation == mark.generation && known.len >= mark.len)
    }

    fn apply(&mut self, entry: &Entry) {
        if let Some(table) = &mut self.table {
            table.apply(entry);
        }
    }
}

#[cfg(test)]
mod tests;
