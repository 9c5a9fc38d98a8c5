//! Where things are, for questions that the tree of files answers only by a walk.
//!
//! A map from a key to the values that were located under it, each key of one
//! [`Kind`]. What keys and values mean is the user's own affair. It only says where
//! to look: whoever asks reads the file and believes that.
//!
//! It keeps the lines of the index as they are, with a [`Table`] of where the line of each
//! entry is: so filling it from a file costs little more than reading the file.

use std::ops::Range;

use memchr::memchr_iter;

use super::{
    Entry, Kind,
    entry::{self, BODY, Line},
    table::{Statement, Table},
};

/// The values located under each key, without repetition.
#[derive(Debug, Default)]
pub struct Locator {
    /// Lines as those of the index.
    text: String,
    table: Table,
}

/// Lines are looked at this many at a time, then put into the table: so the processor
/// waits for many places of a large table at once.
const BATCH: usize = 1024;
/// A line of two ids, in bytes, is hardly shorter.
const SHORT_LINE: usize = 48;

impl Locator {
    /// What the lines of `text` say from `lines.start` on, each of them whole, of which those
    /// before `lines.end` are in order; `None` when one does not hold or is not in its place.
    pub(super) fn over(text: String, lines: Range<usize>) -> Option<Self> {
        let table = Table::for_lines(text.len() / SHORT_LINE);
        let rest = lines.end..text.len();
        let mut locator = Self { text, table };
        locator.take_in(lines, true)?;
        locator.take_in(rest, false)?;
        Some(locator)
    }

    /// Applies more whole lines; `None` when one does not hold.
    pub(super) fn extend(&mut self, lines: &str) -> Option<()> {
        let from = self.text.len();
        self.text.push_str(lines);
        self.take_new(from)
    }

    /// Applies a change; one that is made already changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        let from = self.text.len();
        entry::push_line(&mut self.text, entry.present, &entry.body());
        let holds = self.take_new(from);
        debug_assert!(holds.is_some(), "{entry:?} is no line");
    }

    /// Applies the text's lines from `from` on, and keeps them where one is new.
    fn take_new(&mut self, from: usize) -> Option<()> {
        let known = self.table.len();
        self.take_in(from..self.text.len(), false)?;
        if self.table.len() == known {
            self.text.truncate(from);
        }
        Some(())
    }

    /// Applies the whole lines in a part of the text. Those in order are of bodies that grow,
    /// and each says that something is there.
    fn take_in(&mut self, part: Range<usize>, in_order: bool) -> Option<()> {
        let Self { text, table } = self;
        let lines = text.as_bytes().get(part.clone())?;
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            return None;
        }
        let mut statements = Vec::new();
        let mut before = "";
        let mut start = part.start;
        for end in memchr_iter(b'\n', lines) {
            let end = part.start + end;
            let line = text.get(start..end)?;
            let Line { present, prefix } = entry::decode(line)?;
            if in_order {
                let body = line.get(BODY..)?;
                if !present || body <= before {
                    return None;
                }
                before = body;
            }
            statements.push(Statement {
                hash: table.hash_of(prefix),
                at: start + BODY,
                len: end - start - BODY,
                present,
            });
            start = end + 1;
            if statements.len() == BATCH {
                table.take_in(text, &statements);
                statements.clear();
            }
        }
        table.take_in(text, &statements);
        Some(())
    }

    /// The values under a key, in the order of their text.
    pub fn get(&self, kind: Kind, key: &str) -> impl Iterator<Item = &str> {
        let prefix = entry::prefix(kind, key);
        let mut values: Vec<&str> = self.values(&prefix).collect();
        values.sort_unstable();
        values.into_iter()
    }

    /// The smallest value under a key, as [`Self::get`] would answer it first.
    #[must_use]
    pub fn first(&self, kind: Kind, key: &str) -> Option<&str> {
        self.values(&entry::prefix(kind, key)).min()
    }

    /// Whether a value is located under a key.
    #[must_use]
    pub fn has(&self, kind: Kind, key: &str, value: &str) -> bool {
        let prefix = entry::prefix(kind, key);
        self.table.has(&self.text, &prefix, &(prefix.clone() + value))
    }

    fn values<'l>(&'l self, prefix: &str) -> impl Iterator<Item = &'l str> {
        let bodies = self.table.about(&self.text, self.table.hash_of(prefix));
        bodies.filter_map(move |body| body.strip_prefix(prefix))
    }

    /// Everything it knows, as the changes that lead there.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.bodies().filter_map(|body| {
            let (kind, rest) = body.split_at_checked(2)?;
            let (key, value) = rest.split_once(' ')?;
            Some(Entry::add(*kind.as_bytes().first()?, key, value))
        })
    }

    /// Everything it knows, as the bodies of lines.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &str> {
        self.table.all(&self.text)
    }

    /// Whether less than half of its text is needed.
    pub(super) fn is_mostly_waste(&self) -> bool {
        self.text.len() as u64 > 2 * self.needed_len()
    }

    /// How many bytes the lines are that an index needs to say everything.
    pub(super) fn needed_len(&self) -> u64 {
        let (lines, bytes) = self.table.present();
        (lines * (BODY + 1) + bytes) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::engine::{index, simulated::Seed};

    type Model = BTreeMap<(Kind, String), BTreeSet<String>>;

    fn values(locator: &Locator, kind: Kind, key: &str) -> Vec<String> {
        locator.get(kind, key).map(str::to_owned).collect()
    }

    /// Changes of few keys, one of them with many values.
    fn history(random: &mut Seed, len: u64) -> Vec<Entry> {
        let entry = |random: &mut Seed| {
            let kind = [b's', b'e'][random.below(2) as usize];
            let crowded = random.below(3) == 0;
            let key = if crowded { "k".to_owned() } else { format!("k{}", random.below(40)) };
            let value = format!("v{}", random.below(if crowded { 200 } else { 3 }));
            Entry { present: random.below(3) > 0, ..Entry::add(kind, &key, &value) }
        };
        (0..len).map(|_| entry(random)).collect()
    }

    fn model(history: &[Entry]) -> Model {
        let mut model = Model::new();
        for Entry { kind, key, value, present } in history {
            let values = model.entry((*kind, key.clone())).or_default();
            if *present {
                values.insert(value.clone());
            } else {
                values.remove(value);
            }
        }
        model
    }

    fn check(locator: &Locator, model: &Model) {
        for ((kind, key), expected) in model {
            let found = values(locator, *kind, key);
            assert!(found.iter().eq(expected), "{key}: {found:?} for {expected:?}");
            assert_eq!(locator.first(*kind, key), expected.first().map(String::as_str));
            for n in 0..200 {
                let value = format!("v{n}");
                assert_eq!(locator.has(*kind, key, &value), expected.contains(&value), "{key}");
            }
        }
        let entry = |((kind, key), values): (&(Kind, String), &BTreeSet<String>)| {
            values.iter().map(|value| Entry::add(*kind, key, value)).collect::<Vec<_>>()
        };
        let expected: Vec<Entry> = model.iter().flat_map(entry).collect();
        let mut entries: Vec<Entry> = locator.entries().collect();
        entries.sort_by_key(Entry::body);
        let mut sorted = expected.clone();
        sorted.sort_by_key(Entry::body);
        assert_eq!(entries, sorted);
        assert_eq!(locator.needed_len(), index::encode(&expected).len() as u64);
    }

    #[test]
    fn keeps_values_sorted_and_once() {
        let mut locator = Locator::default();
        for value in ["c", "a", "b", "a"] {
            locator.apply(&Entry::add(b's', "k", value));
        }
        locator.apply(&Entry::add(b'e', "k", "z"));
        assert_eq!(values(&locator, b's', "k"), ["a", "b", "c"]);
        assert_eq!(values(&locator, b'e', "k"), ["z"]);
        locator.apply(&Entry::remove(b's', "k", "b"));
        locator.apply(&Entry::remove(b's', "k", "missing"));
        assert_eq!(values(&locator, b's', "k"), ["a", "c"]);
        locator.apply(&Entry::remove(b's', "k", "a"));
        locator.apply(&Entry::remove(b's', "k", "c"));
        locator.apply(&Entry::remove(b'e', "k", "z"));
        assert!(values(&locator, b's', "k").is_empty() && values(&locator, b'e', "k").is_empty());
        assert_eq!(locator.first(b's', "k"), None);
    }

    #[test]
    fn knows_what_a_map_of_sets_knows() {
        for seed in 0..20 {
            let random = &mut Seed::new(seed);
            let len = 1 + random.below(3000);
            let history = history(random, len);
            let expected = model(&history);
            let mut applied = Locator::default();
            history.iter().for_each(|entry| applied.apply(entry));
            check(&applied, &expected);
            let lines = String::from_utf8(index::encode(&history)).unwrap();
            check(&Locator::over(lines.clone(), 0..0).unwrap(), &expected);

            // In parts whose last line is not whole yet, as a file is followed.
            let mut followed = Locator::default();
            let mut read = 0;
            while read < lines.len() {
                let end = (read + random.below(2000) as usize).min(lines.len());
                read += index::load(&lines.as_bytes()[read..end], &mut followed).unwrap();
            }
            check(&followed, &expected);
        }
    }

    #[test]
    fn a_change_that_comes_back_takes_no_room() {
        let mut locator = Locator::default();
        let entries: Vec<_> =
            (0..20_000).map(|n| Entry::add(b's', "k", &format!("v{n:05}"))).collect();
        entries.iter().for_each(|entry| locator.apply(entry));
        let room = (locator.text.len(), locator.table.len());
        for entry in &entries {
            locator.apply(entry);
            locator.apply(&Entry { present: false, ..entry.clone() });
        }
        locator.apply(&Entry::remove(b's', "k", "never there"));
        assert!(values(&locator, b's', "k").is_empty());
        entries.iter().rev().for_each(|entry| locator.apply(entry));
        assert_eq!((locator.text.len(), locator.table.len()), room);
        assert_eq!(locator.first(b's', "k"), Some("v00000"));
        assert!(values(&locator, b's', "k").iter().eq(entries.iter().map(|entry| &entry.value)));
    }

    #[test]
    fn a_line_that_does_not_hold_is_noticed_wherever_it_is() {
        let entries: Vec<_> = (0..5000).map(|n| Entry::add(b's', &format!("k{n}"), "v")).collect();
        let lines = String::from_utf8(index::encode(&entries)).unwrap();
        let random = &mut Seed::new(1);
        for _ in 0..50 {
            let mut bytes = lines.clone().into_bytes();
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            assert!(Locator::over(String::from_utf8(bytes).unwrap(), 0..0).is_none(), "byte {at}");
        }
    }
}
