//! Searches for a key in the sorted part of an index file, by a few short reads.
//!
//! What it answers is as sure as after a load of the whole file. The part was written in
//! order, so its lines about a key stand together, between one that is less and one that is
//! more. A search ends only when it has read all of these, each right behind the other, and
//! the checksum of each holds: whatever else of the file may be damaged, none of its lines
//! is about this key. It looks at nothing else than whole lines that hold, and that are in
//! order with all those it has seen: where one is not, where a line is longer than a window
//! or the key's lines are many, it does not answer, and the file is to be loaded.

use memchr::{memchr, memchr_iter, memrchr};

use super::{
    disk::{During as _, FileError, OpenFile},
    entry::{self, BODY},
    index::{HEAD_LEN, Head},
    path::INDEX,
    tail::Tail,
};

/// How much is read at once: a whole line is in it, wherever it starts, when none is longer
/// than half of it.
const WINDOW: u64 = 1024;
/// A key whose lines are longer in all is one for the locator.
const LONGEST: u64 = 64 * WINDOW;

/// An index file for several reads, all of them of this file: another may get its name.
#[derive(Debug)]
pub(super) struct OpenIndex {
    file: Box<dyn OpenFile>,
    pub(super) head: Head,
}

impl OpenIndex {
    /// Reads its first line; `None` where it does not hold.
    pub(super) fn new(file: Box<dyn OpenFile>) -> Result<Option<Self>, FileError> {
        let head = Head::read(&file.read_at(0, HEAD_LEN).during("read", INDEX)?);
        Ok(head.map(|head| Self { file, head }))
    }

    /// What is between two places; `None` where it is not there.
    pub(super) fn between(&self, start: u64, end: u64) -> Result<Option<Vec<u8>>, FileError> {
        let there = start <= end && end <= self.file.len().during("stat", INDEX)?;
        let len = usize::try_from(end.saturating_sub(start)).ok().filter(|_| there);
        let Some(len) = len else { return Ok(None) };
        let bytes = self.file.read_at(start, len).during("read", INDEX)?;
        Ok((bytes.len() == len).then_some(bytes))
    }

    /// Few bytes from `start` on, as far as they are there.
    fn window(&self, start: u64, len: u64) -> Result<Vec<u8>, FileError> {
        self.file.read_at(start, usize::try_from(len).unwrap_or(0)).during("read", INDEX)
    }

    /// What the lines say that were added up to `end`; `None` where one does not hold or is
    /// not there.
    pub(super) fn tail(&self, end: u64) -> Result<Option<Tail>, FileError> {
        Ok(self.between(self.head.sorted_end(), end)?.and_then(Tail::of))
    }

    /// The values of the sorted part's lines whose bodies start with `prefix`, in order;
    /// `None` where a search cannot say.
    pub(super) fn search(&self, prefix: &str) -> Result<Option<Vec<String>>, FileError> {
        let mut search = Search::new(self);
        while search.end - search.start > WINDOW {
            if search.narrow(prefix)?.is_none() {
                return Ok(None);
            }
        }
        search.collect(prefix)
    }
}

/// Where the lines about a key can still start.
struct Search<'i> {
    index: &'i OpenIndex,
    /// Where the first line starts that may be one.
    start: u64,
    /// The body of the line before, which is less.
    before: String,
    /// Where a line starts of which the ones behind cannot be the first, or the part's end.
    end: u64,
    /// The body of that line, if it is one.
    after: Option<String>,
}

impl<'i> Search<'i> {
    fn new(index: &'i OpenIndex) -> Self {
        let (start, end) = (HEAD_LEN as u64, index.head.sorted_end());
        Self { index, start, before: String::new(), end, after: None }
    }

    /// Looks at a window in the middle of where the lines can start.
    fn narrow(&mut self, prefix: &str) -> Result<Option<()>, FileError> {
        let middle = self.start + (self.end - self.start - WINDOW) / 2;
        let bytes = self.index.window(middle, WINDOW)?;
        Ok(self.narrow_by(middle, &bytes, prefix))
    }

    fn narrow_by(&mut self, at: u64, bytes: &[u8], prefix: &str) -> Option<()> {
        if bytes.len() as u64 != WINDOW {
            return None;
        }
        let cut = if at == self.start { 0 } else { memchr(b'\n', bytes)? + 1 };
        let lines = lines(bytes.get(cut..=memrchr(b'\n', bytes)?)?, at + cut as u64)?;
        let (first, last) = (lines.first()?, lines.last()?);
        let below = self.after.as_deref().is_none_or(|after| last.body < after);
        if first.body <= self.before.as_str() || !below {
            return None;
        }
        let less = lines.partition_point(|line| line.body < prefix);
        if let Some(line) = lines.get(less) {
            (self.end, self.after) = (line.start, Some(line.body.to_owned()));
        }
        if let Some(line) = less.checked_sub(1).and_then(|less| lines.get(less)) {
            (self.start, self.before) = (line.end, line.body.to_owned());
        }
        Some(())
    }

    /// Reads on from the first line that may be one, up to the first behind them.
    fn collect(self, prefix: &str) -> Result<Option<Vec<String>>, FileError> {
        let rest = self.index.head.sorted_end() - self.start;
        let mut len = 2 * WINDOW;
        loop {
            let bytes = self.index.window(self.start, len.min(rest))?;
            match self.collect_from(&bytes, prefix) {
                Found::Values(values) => return Ok(Some(values)),
                Found::TooShort if len < rest.min(LONGEST) => len *= 2,
                _ => return Ok(None),
            }
        }
    }

    fn collect_from(&self, bytes: &[u8], prefix: &str) -> Found {
        let whole = memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let lines = bytes.get(..whole).and_then(|bytes| lines(bytes, self.start));
        let Some(lines) = lines else { return Found::Damage };
        let odd = |line: &Line<'_>| {
            let behind = self.after.as_deref().is_some_and(|after| line.body >= after);
            line.body <= self.before.as_str() || behind != (line.start >= self.end)
        };
        if lines.iter().any(odd) {
            return Found::Damage;
        }
        let less = lines.partition_point(|line| line.body < prefix);
        let more = lines.get(less..).unwrap_or_default();
        let about = more.iter().map_while(|line| line.body.strip_prefix(prefix));
        let values: Vec<String> = about.map(str::to_owned).collect();
        let end = self.start + whole as u64;
        if values.len() < more.len() || end == self.index.head.sorted_end() {
            Found::Values(values)
        } else {
            Found::TooShort
        }
    }
}

enum Found {
    Values(Vec<String>),
    /// The line behind them was not read yet.
    TooShort,
    Damage,
}

/// A line of the sorted part that holds.
struct Line<'t> {
    start: u64,
    end: u64,
    body: &'t str,
}

/// The lines that `bytes` are, which start at `at` in the file; `None` when one does not hold
/// or is not in its place.
fn lines(bytes: &[u8], at: u64) -> Option<Vec<Line<'_>>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes) {
        let line = text.get(start..end)?;
        let body = line.get(BODY..)?;
        let in_place = lines.last().is_none_or(|before| body > before.body);
        if !entry::decode(line)?.present || !in_place {
            return None;
        }
        lines.push(Line { start: at + start as u64, end: at + end as u64 + 1, body });
        start = end + 1;
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        Entry, Locator,
        disk::Disk as _,
        index,
        simulated::{Seed, SimulatedDisk},
    };

    fn searched(bytes: &[u8], kind: u8, key: &str) -> Option<Vec<String>> {
        let disk = SimulatedDisk::default();
        disk.write("index", bytes).unwrap();
        let file = disk.open_to_read("index").unwrap();
        let index = OpenIndex::new(file).unwrap()?;
        let found = index.search(&entry::prefix(kind, key)).unwrap();
        assert!(disk.calls() < 3 + 20, "{} calls", disk.calls());
        found
    }

    fn file(entries: &[Entry]) -> (Locator, Vec<u8>) {
        let mut locator = Locator::default();
        entries.iter().for_each(|entry| locator.apply(entry));
        let bytes = index::encode_all(&locator, 7);
        (locator, bytes)
    }

    #[test]
    fn a_search_finds_what_a_locator_has() {
        for seed in 0..40 {
            let random = &mut Seed::new(seed);
            let len = [0, 1, 2, 30, 300, 3000][random.below(6) as usize];
            let keys = 1 + random.below(2 * len + 1);
            let key = |n: u64| format!("k{}", "x".repeat(n as usize % 90) + &n.to_string());
            let entries: Vec<Entry> = (0..len)
                .map(|_| {
                    let kind = [b'e', b's'][random.below(2) as usize];
                    Entry::add(kind, &key(random.below(keys)), &format!("v{}", random.below(9)))
                })
                .collect();
            let (locator, bytes) = file(&entries);
            for kind in [b'a', b'e', b's', b'z'] {
                for key in (0..keys.min(200)).map(key).chain(["".to_owned(), "~".to_owned()]) {
                    let found = searched(&bytes, kind, &key).unwrap();
                    assert!(found.iter().eq(locator.get(kind, &key)), "seed {seed}, {key}");
                }
            }
        }
    }

    #[test]
    fn a_key_of_too_many_values_is_left_to_the_locator() {
        let of = |key: &str, count| -> Vec<Entry> {
            (0..count).map(|n| Entry::add(b's', key, &format!("{n:050}"))).collect()
        };
        let entries = [of("a", 10), of("few", 900), of("many", 1000), of("z", 10)].concat();
        let (_, bytes) = file(&entries);
        assert_eq!(searched(&bytes, b's', "few").map(|values| values.len()), Some(900));
        assert_eq!(searched(&bytes, b's', "many"), None);
        assert_eq!(searched(&bytes, b's', "z").map(|values| values.len()), Some(10));
        let long = "k".repeat(2000);
        let (_, bytes) = file(&[of("a", 10), of(&long, 1), of("z", 30)].concat());
        assert_eq!(searched(&bytes, b's', &long), None, "it is in no window");
    }

    #[test]
    fn a_file_that_ends_early_is_not_believed() {
        let entries: Vec<_> = (0..100).map(|n| Entry::add(b's', &format!("k{n}"), "v")).collect();
        let (locator, bytes) = file(&entries);
        for len in HEAD_LEN..bytes.len() {
            for key in ["k0", "k50", "k99", "z"] {
                if let Some(found) = searched(&bytes[..len], b's', key) {
                    assert!(found.iter().eq(locator.get(b's', key)), "{len}, {key}");
                }
            }
            assert_eq!(searched(&bytes[..len], b's', "z"), None, "{len}: its end is gone");
        }
    }

    #[test]
    fn lines_in_disorder_are_not_believed_where_they_are_met() {
        let entries: Vec<_> =
            (0..200).map(|n| Entry::add(b's', &format!("k{n:03}"), "v")).collect();
        let (_, bytes) = file(&entries);
        let line = (bytes.len() - HEAD_LEN) / entries.len();
        let at = |n: usize| HEAD_LEN + n * line..HEAD_LEN + (n + 1) * line;
        for key in [0, 50, 100, 150, 199] {
            let mut swapped = bytes.clone();
            let (here, there) = (at(key), at(199 - key));
            swapped[here.clone()].copy_from_slice(&bytes[there.clone()]);
            swapped[there].copy_from_slice(&bytes[here]);
            let found = searched(&swapped, b's', &format!("k{key:03}"));
            assert!(found.is_none_or(|found| found == ["v"]), "{key}");
        }
    }
}
