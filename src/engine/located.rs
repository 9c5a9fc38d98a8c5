//! The locator in memory, and how it follows the index file.

use std::{collections::BTreeSet, mem::take, sync::PoisonError};

use super::{
    Engine, Entry, FileError, KeptProgress, Kind, Locator,
    disk::{During as _, strange_as_none},
    entry::prefix,
    files::blocking,
    index,
    marks::IndexMark,
    path::INDEX,
    sorted::OpenIndex,
    tail::Tail,
};
use crate::sync::{
    RwLockWriteGuard,
    atomic::{AtomicU32, Ordering},
    yield_now,
};

/// What is known of the locator at this moment.
#[derive(Debug, Default)]
pub(super) struct Located {
    known: Known,
    /// The index, and how much of it is in `known`; none for a locator that was filled by a
    /// survey of a root without an index.
    mark: Option<IndexMark>,
    /// What reading the tree found before the locator was filled.
    learned: Vec<Entry>,
    /// How many lookups there were that are among the first.
    lookups: AtomicU32,
}

#[derive(Debug, Default)]
enum Known {
    #[default]
    Nothing,
    /// What was added to the index since it was written anew: a lookup searches in what was
    /// there before.
    Tail(Tail),
    All(Locator),
}

impl Known {
    /// Applies a change; one that is made already changes nothing.
    fn apply(&mut self, entry: &Entry) {
        match self {
            Self::Nothing => {}
            Self::Tail(tail) => tail.apply(entry),
            Self::All(locator) => locator.apply(entry),
        }
    }

    /// Applies whole lines; `None` when one does not hold: it is of no use then.
    fn extend(&mut self, lines: &str) -> Option<()> {
        match self {
            Self::Nothing => Some(()),
            Self::Tail(tail) => tail.extend(lines),
            Self::All(locator) => locator.extend(lines),
        }
    }

    fn all(&self) -> Option<&Locator> {
        match self {
            Self::All(locator) => Some(locator),
            Self::Nothing | Self::Tail(_) => None,
        }
    }
}

/// One of a process's first lookups takes as much longer than a later one as it takes to fill
/// the locator with so much of an index: so many of them do without as there are such parts.
const LOOKUP_IN_BYTES: u64 = 1 << 16;
/// But no fewer: it takes a little more than that to fill one at all.
pub(super) const FEWEST_FIRST_LOOKUPS: u32 = 16;
/// And no more, nor where it is not known how long the index is: the tail grows meanwhile, and
/// what is read at once is answered by a locator alone.
const MOST_FIRST_LOOKUPS: u32 = 256;
/// A tail that is longer than this is sorted in by the next checkpoint: a process's first
/// lookup reads all of it, and checks each line.
const LONG_TAIL: u64 = 1 << 20;
/// Unless it is a smaller part than this of the sorted part: so each entry is written only so
/// many times more, however many there are.
const TAIL_PART: u64 = 16;
/// How often the index is looked at again that is being replaced this very moment.
const ATTEMPTS: usize = 16;

/// What the tail of an index says about a key.
#[derive(Debug, PartialEq, Eq)]
enum TailSays {
    /// These values, each of which is there or was taken back.
    Values(Vec<(String, bool)>),
    /// The marks tell of another file.
    AnotherFile,
    /// It does not hold, or the marks tell of none.
    Nothing,
}

/// How many lookups of a process are its first, by how long the index is.
fn first_lookups(index: IndexMark) -> u32 {
    let worth = u32::try_from(index.len / LOOKUP_IN_BYTES).unwrap_or(u32::MAX);
    worth.clamp(FEWEST_FIRST_LOOKUPS, MOST_FIRST_LOOKUPS)
}

fn is_long(tail: u64, sorted: u64) -> bool {
    tail > LONG_TAIL && tail > sorted / TAIL_PART
}

fn has(tail: &Tail, entry: &Entry) -> bool {
    tail.says(entry.kind, &entry.key).get(entry.value.as_str()) == Some(&true)
}

impl Located {
    /// Nothing known, by whoever has looked things up before.
    fn forget(&mut self) {
        let lookups = take(&mut self.lookups);
        *self = Self { lookups, ..Self::default() };
    }

    /// All that there is to know, up to `mark`; with what was found in the tree and is not
    /// taken back since.
    fn fill(&mut self, mut all: Locator, mark: Option<IndexMark>) {
        for entry in take(&mut self.learned) {
            let taken_back = matches!(&self.known, Known::Tail(tail) if !has(tail, &entry));
            if !taken_back {
                all.apply(&entry);
            }
        }
        self.known = Known::All(all);
        self.mark = mark;
        // Whoever had need of it once has need of the next one.
        self.lookups = AtomicU32::new(MOST_FIRST_LOOKUPS);
    }
}

impl Engine {
    fn write_located(&self) -> RwLockWriteGuard<'_, Located> {
        self.locator.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `look` over what is known, as others do at the same time.
    fn with_located<T>(&self, look: impl FnOnce(&Located) -> T) -> T {
        look(&self.locator.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the locator is filled.
    pub(super) fn is_located(&self) -> bool {
        self.if_located(|_| ()).is_some()
    }

    /// Whether the locator knows what the index says up to `mark`, or is not asked.
    pub(super) fn follows_index_now(&self, mark: IndexMark) -> bool {
        let located = self.locator.try_read();
        located.is_ok_and(|located| located.known.all().is_none() || located.mark == Some(mark))
    }

    /// What the locator says, if it is filled and can be asked without waiting.
    pub(super) fn if_located_now<T>(&self, get: impl FnOnce(&Locator) -> T) -> Option<T> {
        self.locator.try_read().ok()?.known.all().map(get)
    }

    /// The values under a key, in the order of their text. Fills the locator first where it
    /// is not, unless this is one of the first lookups and a search in the index can tell.
    pub(super) fn located(&self, kind: Kind, key: &str) -> Result<Vec<String>, FileError> {
        let get = |locator: &Locator| locator.get(kind, key).map(str::to_owned).collect();
        self.look_up(kind, key, get, |values| values)
    }

    /// As [`Engine::located`], the smallest of the values.
    pub(super) fn first_located(&self, kind: Kind, key: &str) -> Result<Option<String>, FileError> {
        let first = |locator: &Locator| locator.first(kind, key).map(str::to_owned);
        self.look_up(kind, key, first, |values| values.into_iter().next())
    }

    fn look_up<T>(
        &self,
        kind: Kind,
        key: &str,
        of_locator: impl Fn(&Locator) -> T,
        of_values: impl FnOnce(Vec<String>) -> T,
    ) -> Result<T, FileError> {
        if let Some(found) = self.if_located(&of_locator) {
            return Ok(found);
        }
        if self.is_first_lookup()
            && let Some(values) = self.search_index(kind, key)?
        {
            return Ok(of_values(values));
        }
        let mut located = self.write_located();
        if located.known.all().is_none() {
            let (all, mark) = self.filled()?;
            located.fill(all, mark);
        }
        Ok(located.known.all().map_or_else(|| of_values(Vec::new()), of_locator))
    }

    fn if_located<T>(&self, get: impl FnOnce(&Locator) -> T) -> Option<T> {
        self.with_located(|located| located.known.all().map(get))
    }

    /// Whether what is asked now should be found without the locator; counts how often that
    /// was so.
    fn is_first_lookup(&self) -> bool {
        self.with_located(|located| {
            let most = located.mark.map_or(MOST_FIRST_LOOKUPS, first_lookups);
            located.lookups.load(Ordering::Relaxed) < most
                && located.lookups.fetch_add(1, Ordering::Relaxed) < most
        })
    }

    /// Whether the locator should stay as it is, not filled, for something that is found by
    /// a look at the tree as well: this is one of the first lookups, or there is no index.
    pub(super) fn spares_locator(&self) -> bool {
        !self.is_located() && (self.kept_files().is_none() || self.is_first_lookup())
    }

    /// The values under a key, by a search in the sorted part of the index and by its tail,
    /// which is kept; `None` where these do not say.
    fn search_index(&self, kind: Kind, key: &str) -> Result<Option<Vec<String>>, FileError> {
        for _ in 0..ATTEMPTS {
            let Some(index) = self.open_index()? else { return Ok(None) };
            let said = match self.tail_says(&index, kind, key)? {
                TailSays::Nothing => return Ok(None),
                TailSays::Values(said) => said,
                TailSays::AnotherFile => {
                    yield_now();
                    continue;
                }
            };
            let Some(values) = index.search(&prefix(kind, key))? else { return Ok(None) };
            if said.is_empty() {
                return Ok(Some(values));
            }
            let mut values: BTreeSet<String> = values.into_iter().collect();
            for (value, present) in said {
                if present {
                    values.insert(value);
                } else {
                    values.remove(&value);
                }
            }
            return Ok(Some(values.into_iter().collect()));
        }
        Ok(None)
    }

    /// The index as it is now; `None` where it is missing or its first line does not hold.
    pub(super) fn open_index(&self) -> Result<Option<OpenIndex>, FileError> {
        let open = strange_as_none(self.disk.open_to_read(INDEX)).during("open", INDEX)?;
        open.map_or(Ok(None), OpenIndex::new)
    }

    /// What the tail of an index says about a key. It is kept, and read where it is not.
    fn tail_says(&self, index: &OpenIndex, kind: Kind, key: &str) -> Result<TailSays, FileError> {
        let says = |tail: &Tail| {
            let said = tail.says(kind, key).into_iter();
            TailSays::Values(said.map(|(value, present)| (value.to_owned(), present)).collect())
        };
        let generation = index.head.generation;
        let is_kept = |located: &Located| located.mark.is_some_and(|m| m.generation == generation);
        let kept = self.with_located(|located| match &located.known {
            Known::Tail(tail) if is_kept(located) => Some(says(tail)),
            _ => None,
        });
        if let Some(said) = kept {
            return Ok(said);
        }
        let mark = self.index_mark()?.filter(|mark| *mark != IndexMark::NONE);
        let Some(mark) = mark else { return Ok(TailSays::Nothing) };
        if mark.generation != generation {
            return Ok(TailSays::AnotherFile);
        }
        let Some(mut tail) = index.tail(mark.len)? else { return Ok(TailSays::Nothing) };
        let mut located = self.write_located();
        if matches!(located.known, Known::Tail(_)) && !is_kept(&located) {
            located.forget();
        }
        located.learned.iter().for_each(|entry| tail.apply(entry));
        let said = says(&tail);
        if matches!(located.known, Known::Nothing) {
            located.known = Known::Tail(tail);
            located.mark = Some(mark);
        }
        Ok(said)
    }

    /// What the index says, up to where it counts; a survey's findings where there is no
    /// index, or one that does not hold and is to be written anew.
    fn filled(&self) -> Result<(Locator, Option<IndexMark>), FileError> {
        let mut wanted = self.index_mark()?;
        let mut attempts = 0;
        while let Some(mark) = wanted {
            if let Some(locator) = self.load_index(mark)? {
                return Ok((locator, Some(mark)));
            }
            // It may have been written anew this very moment, and the marks not yet say so.
            let now = self.index_mark()?;
            if now == wanted {
                attempts += 1;
                let found = self.open_index()?.map(|index| index.head.generation);
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

    /// What the marks say of the index. Whoever fills the locator has it locked and asks this:
    /// that the files are another root's by now, for which everything is to be forgotten, is
    /// left to the next call to notice.
    fn index_mark(&self) -> Result<Option<IndexMark>, FileError> {
        let files = match self.kept_files() {
            Some(files) => Some(files),
            None => self.files()?, // which only opens them
        };
        let marks = files.map_or(Ok(None), |files| self.marks(&files))?;
        Ok(marks.map(|marks| marks.index))
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
        let same = |index: &OpenIndex| index.head.generation == mark.generation;
        let Some(index) = self.open_index()?.filter(same) else { return Ok(None) };
        Ok(index.between(0, mark.len)?.and_then(|bytes| index::load_all(bytes, mark)))
    }

    /// Takes in what other processes added to the index, up to `mark`; forgets
    /// everything when the index is another one.
    pub(super) fn follow_index(&self, mark: IndexMark) -> Result<(), FileError> {
        let follows = |located: &Located| {
            matches!(located.known, Known::Nothing) || located.mark == Some(mark)
        };
        if self.with_located(follows) {
            return Ok(());
        }
        let mut located = self.write_located();
        let more = match located.mark {
            Some(known) if known.generation == mark.generation => {
                self.lines_between(known, mark)?
            }
            _ => None,
        };
        if more.is_some_and(|more| located.known.extend(&more).is_some()) {
            located.mark = Some(mark);
        } else {
            located.forget();
        }
        Ok(())
    }

    /// The lines of an index behind `known` up to `mark`; `None` where they are not there.
    fn lines_between(
        &self,
        known: IndexMark,
        mark: IndexMark,
    ) -> Result<Option<String>, FileError> {
        let same = |index: &OpenIndex| index.head.generation == mark.generation;
        let Some(index) = self.open_index()?.filter(same) else { return Ok(None) };
        let lines = index.between(known.len, mark.len)?;
        Ok(lines.and_then(|lines| String::from_utf8(lines).ok()))
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
            entries.iter().for_each(|entry| located.known.apply(entry));
            located.mark = Some(next);
        }
        if matches!(located.known, Known::Nothing) {
            located.learned.retain(|known| {
                !entries.iter().any(|entry| Entry { present: true, ..entry.clone() } == *known)
            });
        }
        Ok(next)
    }

    /// Whether a checkpoint is to write the index anew: so much was added to it that the
    /// first lookups of a process would take long over it, or it does not hold.
    pub(super) fn has_outgrown(&self, index: IndexMark) -> Result<bool, FileError> {
        if index.len < LONG_TAIL {
            return Ok(false);
        }
        let Some(OpenIndex { head, .. }) = self.open_index()? else { return Ok(true) };
        let tail = index.len.saturating_sub(head.sorted_end());
        Ok(is_long(tail, head.sorted) || head.generation != index.generation)
    }

    /// A new index file that says everything that the one there says, as far as `index`
    /// counts of it, or the tree. The caller has the root's lock.
    pub(super) fn new_index(
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
            located.forget();
        }
        if located.known.all().is_none() {
            let loaded = if index == IndexMark::NONE { None } else { self.load_index(index)? };
            match loaded {
                Some(all) => located.fill(all, Some(index)),
                None => {
                    let all = self.surveyed()?;
                    located.fill(all, None);
                }
            }
        }
        let all = located.known.all();
        Ok(all.map(|all| index::encode_all(all, generation)).unwrap_or_default())
    }

    /// The index was written anew with these bytes.
    pub(super) fn index_rewritten(&self, mark: IndexMark, bytes: Vec<u8>) {
        let mut located = self.write_located();
        // Where it is filled, the index was written from it.
        if located.known.all().is_none_or(Locator::is_mostly_waste) {
            located.forget();
            located.known = index::load_all(bytes, mark).map_or(Known::Nothing, Known::All);
        }
        located.mark = Some(mark);
    }

    /// Takes in what reading the tree found; the index need not know. What was answered by
    /// that is answered again when the locator is filled.
    pub(super) fn learn(&self, entry: &Entry) {
        let mut located = self.write_located();
        let is_new = match &located.known {
            // Without an index, nothing counts how often that is.
            Known::Nothing => self.kept_files().is_some() && !located.learned.contains(entry),
            Known::Tail(tail) => !has(tail, entry),
            Known::All(_) => false,
        };
        if is_new {
            located.learned.push(entry.clone());
        }
        if is_new || located.known.all().is_some() {
            located.known.apply(entry);
        }
    }
}

#[cfg(test)]
mod tests;
