//! The locator in memory, and how it follows the index file.

use std::sync::PoisonError;

use super::{
    Engine, Entry, FileError, KeptProgress, Kind, Locator,
    disk::{During as _, absent_as_none},
    files::blocking,
    index,
    marks::IndexMark,
    path::INDEX,
};
use crate::sync::{RwLockWriteGuard, atomic::Ordering};

/// What is known of the locator at this moment.
#[derive(Debug, Default)]
pub(super) struct Located {
    locator: Option<Locator>,
    /// The index, and how much of it is in `locator`; none for one that was filled by
    /// a survey of a root without an index.
    mark: Option<IndexMark>,
}

impl Engine {
    fn write_located(&self) -> RwLockWriteGuard<'_, Located> {
        self.locator.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_located(&self) -> bool {
        self.locator.read().unwrap_or_else(PoisonError::into_inner).locator.is_some()
    }

    /// The values under a key; fills the locator first where it is not.
    pub(super) fn located(&self, kind: Kind, key: &str) -> Result<Vec<String>, FileError> {
        let get = |locator: &Locator| locator.get(kind, key).map(str::to_owned).collect();
        {
            let located = self.locator.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(locator) = &located.locator {
                return Ok(get(locator));
            }
        }
        let mut located = self.write_located();
        Ok(get(self.fill(&mut located)?))
    }

    /// Fills the locator from the index where there is one, by a survey otherwise.
    fn fill<'l>(&self, located: &'l mut Located) -> Result<&'l mut Locator, FileError> {
        let Located { locator, mark } = located;
        match locator {
            Some(locator) => Ok(locator),
            None => {
                let (filled, filled_mark) = self.filled()?;
                *mark = filled_mark;
                Ok(locator.insert(filled))
            }
        }
    }

    /// What the index says, up to where it counts; a survey's findings where there is no
    /// index, or one that does not hold and is to be written anew.
    fn filled(&self) -> Result<(Locator, Option<IndexMark>), FileError> {
        let mut wanted = self.index_mark()?;
        while let Some(mark) = wanted {
            if let Some(locator) = self.load_index(mark)? {
                return Ok((locator, Some(mark)));
            }
            // It may have been written anew this very moment.
            let now = self.index_mark()?;
            if now == wanted {
                self.index_broken.store(true, Ordering::Relaxed);
                break;
            }
            wanted = now;
        }
        Ok((self.surveyed()?, wanted))
    }

    fn index_mark(&self) -> Result<Option<IndexMark>, FileError> {
        Ok(self.read_marks()?.map(|marks| marks.index))
    }

    fn surveyed(&self) -> Result<Locator, FileError> {
        let mut locator = Locator::default();
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let report = |done, total| {
            if let Some(KeptProgress(progress)) = &progress {
                progress(done, total);
            }
        };
        for entry in blocking(|| (self.survey)(&self.view(), &report))? {
            locator.apply(&entry);
        }
        Ok(locator)
    }

    /// Loads as much of the index as counts; `None` where that is not there or does not
    /// hold.
    fn load_index(&self, mark: IndexMark) -> Result<Option<Locator>, FileError> {
        let read = absent_as_none(self.disk.read(INDEX)).during("read", INDEX)?;
        Ok(read.and_then(|bytes| index::load_all(&bytes, mark)))
    }

    /// Takes in what other processes added to the index, up to `mark`; forgets
    /// everything when the index is another one.
    pub(super) fn follow_index(&self, mark: IndexMark) -> Result<(), FileError> {
        {
            let located = self.locator.read().unwrap_or_else(PoisonError::into_inner);
            if located.locator.is_none() || located.mark == Some(mark) {
                return Ok(());
            }
        }
        let mut located = self.write_located();
        let Located { locator: Some(locator), mark: known } = &mut *located else { return Ok(()) };
        let followed = match known {
            Some(known) if known.generation == mark.generation && known.len <= mark.len => {
                let len = usize::try_from(mark.len - known.len).unwrap_or(usize::MAX);
                let tail = absent_as_none(self.disk.read_at(INDEX, known.len, len));
                let tail = tail.during("read", INDEX)?.unwrap_or_default();
                index::load(&tail, locator).map(|read| known.len + read as u64) == Some(mark.len)
            }
            _ => false,
        };
        *located = if followed {
            Located { mark: Some(mark), ..std::mem::take(&mut *located) }
        } else {
            Located::default()
        };
        Ok(())
    }

    /// Adds changes at the end of the index file and to the locator; the caller has the
    /// root's lock and has followed the index up to `mark`.
    pub(super) fn extend_index(
        &self,
        mark: IndexMark,
        entries: &[Entry],
    ) -> Result<IndexMark, FileError> {
        let stat = absent_as_none(self.disk.stat(INDEX)).during("stat", INDEX)?;
        let whole = stat.is_some_and(|stat| stat.len >= mark.len);
        if self.index_broken.load(Ordering::Relaxed) || !whole {
            // The tree shows the changes already.
            let next = self.rewrite_index(IndexMark::NONE)?;
            self.index_broken.store(false, Ordering::Relaxed);
            return Ok(next);
        }
        let lines = index::encode(entries);
        self.disk.write_tail(INDEX, mark.len, &lines).during("append", INDEX)?;
        let next = IndexMark { len: mark.len + lines.len() as u64, ..mark };
        let mut located = self.write_located();
        if located.mark == Some(mark) {
            if let Some(locator) = &mut located.locator {
                entries.iter().for_each(|entry| locator.apply(entry));
            }
            located.mark = Some(next);
        }
        Ok(next)
    }

    /// Everything that a new index file must say; the caller has the root's lock.
    pub(super) fn index_lines(&self, index: IndexMark) -> Result<Vec<u8>, FileError> {
        if index == IndexMark::NONE {
            let unindexed = {
                let mut located = self.write_located();
                // Surveyed before anybody had an index here: that need not be done again.
                located.mark.is_none().then(|| located.locator.take()).flatten()
            };
            let locator = match unindexed {
                Some(locator) => locator,
                None => self.surveyed()?,
            };
            let lines = index::encode(locator.entries().collect::<Vec<_>>().iter());
            *self.write_located() = Located { locator: Some(locator), mark: None };
            return Ok(lines);
        }
        self.follow_index(index)?;
        let mut located = self.write_located();
        Ok(index::encode(self.fill(&mut located)?.entries().collect::<Vec<_>>().iter()))
    }

    /// The locator is what the index says that was just written.
    pub(super) fn index_rewritten(&self, mark: IndexMark) {
        self.write_located().mark = Some(mark);
    }

    /// Takes in what reading the tree found; the index need not know.
    pub(super) fn learn(&self, entry: &Entry) {
        if let Some(locator) = &mut self.write_located().locator {
            locator.apply(entry);
        }
    }
}
