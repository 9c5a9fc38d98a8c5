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
mod tests {
    use std::{
        pin::pin,
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use super::*;
    use crate::engine::{
        Op, Plan, Progress, RelPath, View,
        disk::Disk as _,
        files::Files,
        index::{HEAD_LEN, Head},
        marks::Marks,
        path::LOCK,
        simulated::{Seed, SimulatedDisk},
        submission,
    };

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

    fn head_of(disk: &SimulatedDisk) -> Head {
        Head::read(&index_file(disk)).unwrap()
    }

    fn marks_of(engine: &Engine) -> (Arc<Files>, Marks) {
        let files = engine.files().unwrap().unwrap();
        let marks = engine.marks(&files).unwrap().unwrap();
        (files, marks)
    }

    /// Writes the index anew, however short it is.
    fn rewrite(engine: &Engine) {
        let (files, marks) = marks_of(engine);
        let index = engine.rewrite_index(marks.index).unwrap();
        engine.set_marks(&files, Marks { index, ..marks }).unwrap();
    }

    #[test]
    fn the_first_lookups_do_not_fill_the_locator() {
        let disk = SimulatedDisk::default();
        commit(&Engine::over(&disk, empty), sessions(9));
        let engine = Engine::over(&disk.after_kill(), unneeded);
        for n in 0..FEWEST_FIRST_LOOKUPS as usize / 4 {
            assert_eq!(engine.first_located(b's', &key(n)).unwrap().as_deref(), Some("prj_a"));
            assert_eq!(engine.located(b's', &key(n)).unwrap(), ["prj_a"]);
            assert_eq!(engine.first_located(b's', &key(9 + n)).unwrap(), None);
            assert!(engine.spares_locator());
            assert!(!engine.is_located());
        }
        assert_eq!(engine.located(b's', &key(8)).unwrap(), ["prj_a"]);
        assert!(engine.is_located(), "by whoever goes on asking");
        assert!(!engine.spares_locator());
    }

    #[test]
    fn the_longer_an_index_is_the_more_lookups_do_without_the_locator() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, empty);
        commit(&engine, sessions(40_000));
        let (_, marks) = marks_of(&engine);
        let expected = first_lookups(marks.index);
        assert!(expected > 2 * FEWEST_FIRST_LOOKUPS);
        let engine = Engine::over(&disk.after_kill(), unneeded);
        let mut lookups = 0;
        while !engine.is_located() {
            engine.located(b's', &key(lookups as usize)).unwrap();
            lookups += 1;
        }
        assert_eq!(lookups, expected + 1);
        let of_len = |len| first_lookups(IndexMark { generation: 1, len });
        assert_eq!((of_len(0), of_len(u64::MAX)), (FEWEST_FIRST_LOOKUPS, MOST_FIRST_LOOKUPS));
    }

    #[test]
    fn who_has_asked_often_fills_the_locator_of_another_index_at_once() {
        let disk = SimulatedDisk::default();
        let (writer, reader) = (Engine::over(&disk, empty), Engine::over(&disk, unneeded));
        commit(&writer, sessions(9));
        let read = |n| reader.read(|view| view.located(b's', &key(n))).unwrap();
        (0..=FEWEST_FIRST_LOOKUPS).for_each(|_| assert_eq!(read(0), ["prj_a"]));
        assert!(reader.is_located());
        rewrite(&writer);
        assert_eq!(read(1), ["prj_a"]);
        assert!(reader.is_located());
    }

    #[test]
    fn nobody_looks_up_what_no_index_tells() {
        let engine = Engine::over(&SimulatedDisk::default(), unneeded);
        for _ in 0..2 * MOST_FIRST_LOOKUPS {
            assert!(engine.spares_locator(), "a survey would take longer than what is spared");
        }
    }

    #[test]
    fn a_root_that_is_replaced_while_the_locator_is_filled_keeps_nobody_waiting() {
        let disk = SimulatedDisk::default();
        commit(&Engine::over(&disk, empty), sessions(9));
        let disk = disk.after_kill();
        let engine = Engine::over(&disk, empty);
        let read = |engine: &Arc<Engine>, replace: bool| {
            engine.read(|view| {
                if replace {
                    disk.remove_file(LOCK).unwrap();
                    commit(&Engine::over(&disk, empty), sessions(1));
                }
                engine.write_located().lookups = AtomicU32::new(MOST_FIRST_LOOKUPS);
                view.located(b's', &key(0))
            })
        };
        read(&engine, true).unwrap();
        assert_eq!(read(&engine, false).unwrap(), ["prj_a"]);
    }

    #[test]
    fn an_index_that_outgrew_its_use_is_written_anew() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, empty);
        let all = sessions(10_000);
        commit(&engine, all.clone());
        engine.checkpoint().unwrap();
        assert_eq!(head_of(&disk).sorted, 0, "it is short");
        commit(&engine, removed(&all[5..]));
        assert!(index_file(&disk).len() > 1 << 20);
        engine.checkpoint().unwrap();
        let fresh = index_file(&disk);
        assert_eq!(fresh.len(), HEAD_LEN + index::encode(&all[..5]).len());
        assert_eq!(head_of(&disk).sorted_end(), fresh.len() as u64);

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
    fn a_tail_is_sorted_in_when_it_is_long_for_its_index() {
        let disk = SimulatedDisk::default();
        let line = index::encode(&sessions(1)).len();
        let long = usize::try_from(LONG_TAIL).unwrap() / line + 1;
        let all = sessions(3 * long);
        let mut lens = Vec::new();
        for added in all.chunks(long) {
            // By a process that has looked nothing up.
            let engine = Engine::over(&disk, empty);
            engine.checkpoint().unwrap();
            commit(&engine, added.to_vec());
            engine.checkpoint().unwrap();
            lens.push(usize::try_from(head_of(&disk).sorted).unwrap() / line / long);
            assert_eq!(engine.located(b's', &added[0].key).unwrap(), ["prj_a"]);
        }
        assert_eq!(lens, [1, 2, 3]);
        let engine = Engine::over(&disk.after_kill(), unneeded);
        for entry in all.iter().step_by(all.len() / 15) {
            assert_eq!(engine.located(b's', &entry.key).unwrap(), ["prj_a"]);
        }
        assert!(!engine.is_located());
    }

    #[test]
    fn sorting_tails_in_writes_each_line_a_bounded_number_of_times() {
        let (mut sorted, mut tail, mut written) = (0, 0, 0);
        while sorted < 1 << 32 {
            tail += 100_000;
            if is_long(tail, sorted) {
                (sorted, tail) = (sorted + tail, 0);
                written += sorted;
            }
            assert!(tail <= LONG_TAIL.max(sorted / TAIL_PART));
        }
        assert!(written < (TAIL_PART + 3) * sorted, "{written} for {sorted}");
    }

    /// Changes of few keys, some the beginnings of others, one of them with many values.
    fn history(random: &mut Seed, len: u64) -> Vec<Entry> {
        let entry = |random: &mut Seed| {
            let kind = [b's', b'e'][random.below(2) as usize];
            let key = ["k", "k1", "k10", "k2", "l", "k-"][random.below(6) as usize];
            let crowded = key == "l";
            let value = format!("v{}", random.below(if crowded { 90 } else { 3 }));
            Entry { present: random.below(3) > 0, ..Entry::add(kind, key, &value) }
        };
        (0..len).map(|_| entry(random)).collect()
    }

    #[test]
    fn a_search_answers_what_a_locator_does() {
        for seed in 0..30 {
            let random = &mut Seed::new(seed);
            let disk = SimulatedDisk::default();
            let mut model = Locator::default();
            let writer = Engine::over(&disk, empty);
            commit(&writer, sessions(1));
            sessions(1).iter().for_each(|entry| model.apply(entry));
            let mut follower = Engine::over(&disk, unneeded);
            for _ in 0..8 {
                match random.below(4) {
                    0 => rewrite(&writer),
                    1 => writer.checkpoint().unwrap(),
                    _ => {
                        let len = 1 + random.below(60);
                        let changes = history(random, len);
                        changes.iter().for_each(|entry| model.apply(entry));
                        commit(&writer, changes);
                    }
                }
                for (kind, key) in ["", "k", "k1", "k10", "k2", "l", "z"].map(|k| (b's', k)) {
                    let expected: Vec<&str> = model.get(kind, key).collect();
                    let fresh = Engine::over(&disk, unneeded);
                    for engine in [&fresh, &follower] {
                        let found = engine.read(|view| view.located(kind, key)).unwrap();
                        assert_eq!(found, expected, "seed {seed}, {key:?}");
                        let first = engine.read(|view| view.first_located(kind, key)).unwrap();
                        assert_eq!(first.as_deref(), expected.first().copied());
                    }
                    assert!(!fresh.is_located());
                }
                if follower.is_located() {
                    follower = Engine::over(&disk, unneeded);
                }
            }
        }
    }

    /// What the files say in the next test.
    fn all_there_is(_: &View<'_>, _: Progress<'_>) -> Result<Vec<Entry>, FileError> {
        let few = (0..60).map(|n| Entry::add(b's', &format!("k{n}"), "v"));
        Ok(few.chain([Entry::add(b's', "k2", "w"), Entry::add(b's', "new", "v")]).collect())
    }

    #[test]
    fn any_wrong_bit_of_an_index_is_noticed_or_changes_no_answer() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, empty);
        let all = all_there_is(&engine.view(), &|_, _| ()).unwrap();
        let gone = [Entry::add(b's', "k29", "w"), Entry::add(b's', "k3", "a")];
        commit(&engine, [&all[..61], &gone].concat());
        rewrite(&engine);
        commit(&engine, [&all[61..], &removed(&gone)].concat());
        let file = index_file(&disk);
        let head = Head::read(&file).unwrap();
        assert!(head.sorted > 1024, "one window is not enough");
        assert!(head.sorted_end() < file.len() as u64);
        let mut model = Locator::default();
        all.iter().for_each(|entry| model.apply(entry));
        for bit in 0..file.len() * 8 {
            let damaged = disk.after_kill();
            damaged.damage(INDEX, |bytes| bytes[bit / 8] ^= 1 << (bit % 8));
            let engine = Engine::over(&damaged, all_there_is);
            for key in ["k0", "k2", "k29", "k3", "new", "k", "none"] {
                let found = engine.read(|view| view.located(b's', key)).unwrap();
                assert!(found.iter().eq(model.get(b's', key)), "bit {bit}, {key}: {found:?}");
            }
        }
    }

    #[test]
    fn an_index_that_is_replaced_meanwhile_is_not_mixed_with_another() {
        let disk = SimulatedDisk::default();
        let (writer, reader) = (Engine::over(&disk, empty), Engine::over(&disk, unneeded));
        commit(&writer, sessions(9));
        let found = |n| reader.search_index(b's', &key(n)).unwrap();
        assert_eq!(found(8), Some(vec!["prj_a".to_owned()]));
        let old = reader.open_index().unwrap().unwrap();

        commit(&writer, removed(&sessions(1)));
        rewrite(&writer);
        let says = || reader.tail_says(&old, b's', &key(0)).unwrap();
        let there = vec![("prj_a".to_owned(), true)];
        assert_eq!(says(), TailSays::Values(there), "as it was then");
        assert_eq!(found(0), Some(vec![]), "of the new one, which was not followed");
        assert_eq!(says(), TailSays::AnotherFile);

        // It has its name, and the marks do not know it yet.
        let (_, marks) = marks_of(&writer);
        writer.rewrite_index(marks.index).unwrap();
        let fresh = Engine::over(&disk, unneeded);
        assert_eq!(fresh.search_index(b's', &key(0)).unwrap(), None);
        assert_eq!(reader.search_index(b's', &key(0)).unwrap(), None);
    }

    #[test]
    fn lookups_and_rewrites_at_the_same_time_do_not_harm_each_other() {
        let disk = SimulatedDisk::default();
        let writer = Engine::over(&disk, empty);
        commit(&writer, sessions(40));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 40..80 {
                    commit(&writer, vec![Entry::add(b's', &key(n), "prj_a")]);
                    rewrite(&writer);
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    for n in (0..40).cycle().take(400) {
                        let engine = Engine::over(&disk, |_, _| Ok(sessions(40)));
                        let found = engine.read(|view| view.located(b's', &key(n))).unwrap();
                        assert_eq!(found, ["prj_a"], "{n}");
                    }
                });
            }
        });
    }

    #[test]
    fn what_was_learned_from_the_tree_is_known_until_it_is_taken_back() {
        let disk = SimulatedDisk::default();
        commit(&Engine::over(&disk, empty), sessions(2));
        let engine = Engine::over(&disk.after_kill(), unneeded);
        let by_hand = Entry::add(b's', &key(1), "prj_0");
        engine.learn(&by_hand);
        assert_eq!(engine.located(b's', &key(1)).unwrap(), ["prj_a"], "no index was seen yet");
        engine.learn(&by_hand);
        engine.learn(&Entry::add(b's', &key(0), "prj_0"));
        let found = |n| engine.located(b's', &key(n)).unwrap();
        assert_eq!(found(1), ["prj_0", "prj_a"]);
        commit(&engine, vec![Entry::remove(b's', &key(0), "prj_0")]);
        assert!(!engine.is_located());
        while !engine.is_located() {
            assert_eq!((found(0), found(1).len()), (vec!["prj_a".to_owned()], 2));
        }
        assert_eq!((found(0), found(1).len()), (vec!["prj_a".to_owned()], 2));
    }

    #[test]
    fn what_was_learned_before_any_lookup_is_known_as_well() {
        let disk = SimulatedDisk::default();
        commit(&Engine::over(&disk, empty), sessions(3));
        for lookups in [1, FEWEST_FIRST_LOOKUPS + 1] {
            let engine = Engine::over(&disk.after_kill(), unneeded);
            engine.read(|view| view.len(&RelPath::of("a"))).unwrap();
            for _ in 0..2 {
                (0..2).for_each(|n| engine.learn(&Entry::add(b's', &key(n), "prj_0")));
            }
            commit(&engine, vec![Entry::remove(b's', &key(0), "prj_0")]);
            (0..lookups).for_each(|_| drop(engine.located(b's', &key(2)).unwrap()));
            assert_eq!(engine.is_located(), lookups > FEWEST_FIRST_LOOKUPS);
            assert_eq!(engine.located(b's', &key(0)).unwrap(), ["prj_a"]);
            assert_eq!(engine.located(b's', &key(1)).unwrap(), ["prj_0", "prj_a"]);
        }
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
