//! The locator in memory, and how it follows the index file.

use std::sync::PoisonError;

use super::{
    Engine, Entry, FileError, KeptProgress, Kind, Locator,
    disk::{During as _, strange_as_none},
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
    /// How many lookups were answered by a glance at the index.
    glances: u8,
}

/// A glance costs a tenth of filling the locator, so a process that asks for little never
/// fills it.
const GLANCES: u8 = 4;

impl Engine {
    fn write_located(&self) -> RwLockWriteGuard<'_, Located> {
        self.locator.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_located(&self) -> bool {
        self.if_located(|_| ()).is_some()
    }

    /// Whether the locator knows what the index says up to `mark`, or is not asked.
    pub(super) fn follows_index_now(&self, mark: IndexMark) -> bool {
        let located = self.locator.try_read();
        located.is_ok_and(|located| located.locator.is_none() || located.mark == Some(mark))
    }

    /// What the locator says, if it is filled and can be asked without waiting.
    pub(super) fn if_located_now<T>(&self, get: impl FnOnce(&Locator) -> T) -> Option<T> {
        self.locator.try_read().ok()?.locator.as_ref().map(get)
    }

    /// The values under a key; fills the locator first where it is not.
    pub(super) fn located(&self, kind: Kind, key: &str) -> Result<Vec<String>, FileError> {
        let get = |locator: &Locator| locator.get(kind, key).map(str::to_owned).collect();
        if let Some(values) = self.if_located(get) {
            return Ok(values);
        }
        let mut located = self.write_located();
        Ok(get(self.fill(&mut located)?))
    }

    /// The smallest value under a key; fills the locator first where it is not, unless this
    /// is one of the first lookups and the index has the key.
    ///
    /// Then only the lines about this key were checked: where others are damaged, another
    /// value than the smallest may be answered.
    pub(super) fn first_located(&self, kind: Kind, key: &str) -> Result<Option<String>, FileError> {
        let first = |locator: &Locator| locator.first(kind, key).map(str::to_owned);
        if let Some(value) = self.if_located(first) {
            return Ok(value);
        }
        let mut located = self.write_located();
        if located.locator.is_none() && located.glances < GLANCES {
            located.glances += 1;
            if let Some(value) = self.glance(kind, key)? {
                return Ok(Some(value));
            }
        }
        Ok(first(self.fill(&mut located)?))
    }

    fn if_located<T>(&self, get: impl FnOnce(&Locator) -> T) -> Option<T> {
        let located = self.locator.read().unwrap_or_else(PoisonError::into_inner);
        located.locator.as_ref().map(get)
    }

    fn glance(&self, kind: Kind, key: &str) -> Result<Option<String>, FileError> {
        let Some(mark) = self.index_mark()? else { return Ok(None) };
        let bytes = self.read_index()?;
        Ok(bytes.and_then(|bytes| index::glance(&bytes, mark, kind, key)))
    }

    /// Fills the locator from the index where there is one, by a survey otherwise.
    fn fill<'l>(&self, located: &'l mut Located) -> Result<&'l mut Locator, FileError> {
        let Located { locator, mark, .. } = located;
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
        Ok(self.read_index()?.and_then(|bytes| index::load_all(bytes, mark)))
    }

    fn read_index(&self) -> Result<Option<Vec<u8>>, FileError> {
        strange_as_none(self.disk.read(INDEX)).during("read", INDEX)
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
        let Located { locator: Some(locator), mark: known, .. } = &mut *located else {
            return Ok(());
        };
        let followed = match known {
            Some(known) if known.generation == mark.generation && known.len <= mark.len => {
                let len = usize::try_from(mark.len - known.len).unwrap_or(usize::MAX);
                let tail = strange_as_none(self.disk.read_at(INDEX, known.len, len));
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
        let broken = mark == IndexMark::NONE || self.index_broken.load(Ordering::Relaxed);
        if broken || !self.has_index(mark)? {
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

    /// Everything that a new index file must say; `None` where the one there is, as far as
    /// `index` says, is not twice as long. The caller has the root's lock.
    pub(super) fn index_lines(&self, index: IndexMark) -> Result<Option<Vec<u8>>, FileError> {
        if index != IndexMark::NONE {
            self.follow_index(index)?;
        }
        let mut located = self.write_located();
        let Located { locator, mark, .. } = &mut *located;
        if index != IndexMark::NONE && locator.is_none() {
            *locator = self.load_index(index)?;
            *mark = locator.is_some().then_some(index);
        } else if index == IndexMark::NONE && mark.take().is_some() {
            // Only one that was surveyed before anybody had an index here need not be again.
            *locator = None;
        }
        let locator = match locator {
            Some(locator) => locator,
            None => locator.insert(self.surveyed()?),
        };
        let outgrown = mark.is_none() || index.len >= 2 * locator.needed_len();
        Ok(outgrown.then(|| index::encode_all(locator)))
    }

    /// The index was written anew with these bytes.
    pub(super) fn index_rewritten(&self, mark: IndexMark, bytes: Vec<u8>) {
        let locator = index::load_all(bytes, mark);
        *self.write_located() = Located { locator, mark: Some(mark), ..Located::default() };
    }

    /// Takes in what reading the tree found; the index need not know.
    pub(super) fn learn(&self, entry: &Entry) {
        if let Some(locator) = &mut self.write_located().locator {
            locator.apply(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use super::*;
    use crate::engine::{Op, Plan, Progress, View, simulated::SimulatedDisk, submission};

    fn empty(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
        Ok(Vec::new())
    }

    fn unneeded(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
        panic!("the index says it all")
    }

    fn commit(engine: &Arc<Engine>, entries: Vec<Entry>) {
        let (transaction, answer) = submission(true, |_| {
            let ops = entries.into_iter().map(Op::Locate).collect();
            Ok::<_, FileError>(Plan { ops, answer: () })
        });
        engine.submit([transaction].into_iter());
        engine.attend();
        let answer = pin!(answer).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(answer, Poll::Ready(Ok(()))), "{answer:?}");
    }

    fn key(n: usize) -> String {
        format!("ses_{n:032}")
    }

    fn sessions(count: usize) -> Vec<Entry> {
        (0..count).map(|n| Entry::add(b's', &key(n), "prj_a")).collect()
    }

    fn removed(entries: &[Entry]) -> Vec<Entry> {
        entries.iter().map(|entry| Entry { present: false, ..entry.clone() }).collect()
    }

    fn index_file(disk: &SimulatedDisk) -> Vec<u8> {
        disk.files().into_iter().find(|(path, _)| path == INDEX).unwrap().1
    }

    #[test]
    fn the_first_lookups_do_not_fill_the_locator() {
        let disk = SimulatedDisk::default();
        commit(&Engine::over(&disk, empty), sessions(9));
        let engine = Engine::over(&disk.after_kill(), unneeded);
        let first = |n| engine.first_located(b's', &key(n)).unwrap();
        for n in 0..usize::from(GLANCES) {
            assert_eq!(first(n).as_deref(), Some("prj_a"));
            assert!(!engine.is_located());
        }
        assert_eq!(first(8).as_deref(), Some("prj_a"));
        assert!(engine.is_located(), "by whoever goes on asking");

        let engine = Engine::over(&disk.after_kill(), unneeded);
        assert_eq!(engine.first_located(b's', &key(9)).unwrap(), None);
        assert!(engine.is_located(), "a glance does not say that there is nothing");
    }

    #[test]
    fn an_index_that_outgrew_its_use_is_written_anew() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, empty);
        let all = sessions(10_000);
        commit(&engine, all.clone());
        commit(&engine, removed(&all[5..]));
        let grown = index_file(&disk).len();
        assert!(grown > 1 << 20);
        engine.checkpoint().unwrap();
        let fresh = index_file(&disk);
        assert_eq!(fresh.len(), index::HEAD_LEN + index::encode(&all[..5]).len());

        commit(&engine, removed(&all[..1]));
        for engine in [engine, Engine::over(&disk.after_kill(), unneeded)] {
            let found = |n| engine.located(b's', &key(n)).unwrap();
            assert!(found(0).is_empty() && found(5).is_empty());
            assert_eq!(found(4), ["prj_a"]);
            engine.checkpoint().unwrap();
        }
        assert!(index_file(&disk).starts_with(&fresh), "it was only added to");
    }

    #[test]
    fn a_long_index_outlives_a_power_cut_without_a_survey() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, empty);
        commit(&engine, sessions(20_000));
        engine.checkpoint().unwrap();
        commit(&engine, vec![Entry::add(b's', "ses_new", "prj_b")]);
        let disk = disk.after_power_cut(|_, _| None);
        let engine = Engine::over(&disk, unneeded);
        engine.checkpoint().unwrap();
        for (session, project) in [("ses_new", "prj_b"), (&key(7), "prj_a")] {
            assert_eq!(engine.located(b's', session).unwrap(), [project]);
        }
    }
}
