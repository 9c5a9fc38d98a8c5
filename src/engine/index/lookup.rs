//! The index in memory, and how it follows its file.

use std::sync::PoisonError;

use super::{
    Entry, Found, Table,
    file::{self, HEAD_LEN, Head},
};
use crate::{
    engine::{
        Engine, FileError,
        disk::{During as _, OpenFile, optional_regular},
        files::Files,
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
    /// How much of which file was read; none where there is none.
    mark: Option<IndexMark>,
    /// That file did not hold: the table knows what was found since.
    is_broken: bool,
    /// The table knows what the file does not.
    is_ahead: bool,
    /// Grows when what was known is forgotten.
    epoch: u64,
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
            self.fill(&mut located)?;
        }
        Ok(get(located.table.get_or_insert_with(Table::begun)))
    }

    /// Reads the index, up to where it counts. Where there is none, or one that does not hold
    /// and is to be written anew, nothing is known: a look finds it in the tree.
    fn fill(&self, located: &mut Located) -> Result<(), FileError> {
        let mut wanted = self.index_mark()?;
        let mut attempts = 0;
        while let Some(mark) = wanted {
            if let Some(table) = self.load_index(mark)? {
                located.fill(table, mark);
                return Ok(());
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
        located.forget();
        (located.table, located.mark) = (Some(Table::begun()), wanted);
        located.is_broken = wanted.is_some();
        Ok(())
    }

    /// Which state of what is known this is.
    pub(super) fn located_epoch(&self) -> u64 {
        self.with_located(|located| located.epoch)
    }

    /// What the marks say of the index. The caller has the table locked: that the files are
    /// another root's by now, for which everything is to be forgotten, is left to the next
    /// call to notice.
    fn index_mark(&self) -> Result<Option<IndexMark>, FileError> {
        // Never by `files`, which has everything forgotten when another thread opened those of
        // another root this very moment, and would wait for the table that the caller holds.
        let files = match self.kept_files() {
            Some(files) => Some(files),
            None => Files::open(&*self.named)?.map(|files| self.keep(files)),
        };
        let marks = files.map_or(Ok(None), |files| self.marks(&files))?;
        Ok(marks.map(|marks| marks.index))
    }

    fn open_index(&self) -> Result<Option<Box<dyn OpenFile>>, FileError> {
        optional_regular(self.disk().open_to_read(INDEX)).during("open", INDEX)
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
        match taken_in {
            Some(()) => located.mark = Some(mark),
            None => located.read_anew(),
        }
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
            let next = self.rewrite_index_with(IndexMark::NONE, entries)?;
            self.index_broken.store(false, Ordering::Relaxed);
            return Ok(next);
        }
        let chunk = file::encode(entries);
        self.disk().write_tail(INDEX, mark.len, &chunk).during("append", INDEX)?;
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
    /// counts of it, and what `entries` say. The caller has the root's lock.
    pub(in crate::engine) fn new_index(
        &self,
        index: IndexMark,
        entries: &[Entry],
        generation: u64,
    ) -> Result<Vec<u8>, FileError> {
        if index != IndexMark::NONE {
            self.follow_index(index)?;
        }
        let mut located = self.write_located();
        if index == IndexMark::NONE && located.mark.is_some() && !located.is_broken {
            // How much of that file counted is not known.
            located.forget();
        }
        if located.table.is_none() {
            let loaded = if index == IndexMark::NONE { None } else { self.load_index(index)? };
            match loaded {
                Some(table) => located.fill(table, index),
                None => located.forget(),
            }
        }
        let table = located.table.get_or_insert_with(Table::begun);
        entries.iter().for_each(|entry| table.apply(entry));
        Ok(file::encode_all(table, generation))
    }

    /// The index was written anew from the table.
    pub(in crate::engine) fn index_rewritten(&self, mark: IndexMark) {
        let mut located = self.write_located();
        (located.mark, located.is_broken, located.is_ahead) = (Some(mark), false, false);
    }

    /// Takes in what reading the tree found; the index need not know.
    pub(in crate::engine) fn learn(&self, entry: &Entry) {
        self.write_located().apply(entry);
    }

    /// Takes in what a look found and the index does not get to know.
    pub(super) fn keep_found(&self, found: &[Found]) {
        let mut located = self.write_located();
        let Located { table: Some(table), is_ahead, .. } = &mut *located else { return };
        for Found { before, entries } in found {
            let Some(first) = entries.first() else { continue };
            if table.data(first.kind, &first.key, &first.value) == before.as_deref() {
                entries.iter().for_each(|entry| table.apply(entry));
                *is_ahead = true;
            }
        }
    }

    /// The root is another one: nothing is known of it.
    pub(in crate::engine) fn forget_located(&self) {
        self.write_located().forget();
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

    fn fill(&mut self, table: Table, mark: IndexMark) {
        if !table.is_complete() {
            self.epoch += 1;
        }
        *self = Self { table: Some(table), mark: Some(mark), epoch: self.epoch, ..Self::default() };
    }

    fn forget(&mut self) {
        *self = Self { epoch: self.epoch + 1, ..Self::default() };
    }

    /// The file is another one, which says what was committed to the one before it.
    fn read_anew(&mut self) {
        let epoch = self.epoch + u64::from(self.is_ahead);
        *self = Self { epoch, ..Self::default() };
    }
}

#[cfg(test)]
mod tests;
