//! The entries of an index in memory, compactly: the sorted part of the file as it was read,
//! in which a lookup searches, and a map of what changed since.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    iter::from_fn,
    ops::{Bound, Range},
    sync::Arc,
};

use super::{
    Entry, Kind,
    entry::{parts, prefix},
    file::{read_entry, write_entry},
};

/// With more changes than this, and than a quarter of what is sorted, all are sorted in.
const MOST_CHANGES: usize = 1024;

/// The values under each key, without repetition, and what is kept with them. Clones share
/// what is sorted.
#[derive(Debug, Clone, Default)]
pub struct Table {
    sorted: Arc<Sorted>,
    /// By name, what is kept with it; `None` for one that is gone.
    changes: BTreeMap<Box<[u8]>, Option<Box<[u8]>>>,
}

/// Entries in the order of their names, none twice.
#[derive(Debug, Default)]
struct Sorted {
    bytes: Vec<u8>,
    /// Where each entry starts in the bytes.
    starts: Vec<usize>,
}

impl Sorted {
    /// The entries in a part of `bytes`; `None` where they are not, or in no order.
    fn load(bytes: Vec<u8>, part: Range<usize>) -> Option<Self> {
        let mut starts = Vec::with_capacity(part.len() / 48);
        let mut before: &[u8] = &[];
        let mut at = part.start;
        while at < part.end {
            let (name, data, end) = read_entry(&bytes, at).filter(|(.., end)| *end <= part.end)?;
            if data.is_none() || name <= before {
                return None;
            }
            before = name;
            starts.push(at);
            at = end;
        }
        Some(Self { bytes, starts })
    }

    fn entry(&self, start: usize) -> (&[u8], &[u8]) {
        let entry = read_entry(&self.bytes, start);
        entry.map_or((&[], &[]), |(name, data, _)| (name, data.unwrap_or_default()))
    }

    /// The entries from a name on.
    fn from<'s>(&'s self, name: &[u8]) -> impl Iterator<Item = (&'s [u8], &'s [u8])> + use<'s> {
        let first = self.starts.partition_point(|start| self.entry(*start).0 < name);
        let rest = self.starts.get(first..).unwrap_or_default();
        rest.iter().map(|start| self.entry(*start))
    }

    fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.from(name).next().filter(|(found, _)| *found == name).map(|(_, data)| data)
    }
}

impl Table {
    /// The sorted entries in a part of `bytes`; `None` where they are not, or in no order.
    pub(super) fn load(bytes: Vec<u8>, part: Range<usize>) -> Option<Self> {
        Some(Self { sorted: Arc::new(Sorted::load(bytes, part)?), changes: BTreeMap::new() })
    }

    /// Applies a change.
    pub fn apply(&mut self, entry: &Entry) {
        self.change(&entry.name(), entry.present.then_some(&entry.data));
    }

    /// Says what is kept with the entry of a name, or that it is gone.
    pub(super) fn change(&mut self, name: &[u8], data: Option<&[u8]>) {
        if self.sorted.get(name) == data {
            self.changes.remove(name);
            return;
        }
        self.changes.insert(name.into(), data.map(Box::from));
        if self.changes.len() > MOST_CHANGES.max(self.sorted.starts.len() / 4) {
            self.sort_in();
        }
    }

    fn sort_in(&mut self) {
        let bytes = self.to_bytes();
        let part = 0..bytes.len();
        if let Some(sorted) = Sorted::load(bytes, part) {
            *self = Self { sorted: Arc::new(sorted), changes: BTreeMap::new() };
        }
    }

    /// All entries, in order, as the sorted part of a file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.sorted.bytes.len());
        self.named(Vec::new()).for_each(|(name, data)| write_entry(&mut bytes, name, Some(data)));
        bytes
    }

    /// The names that start with `start`, in order, each with what is kept with it.
    fn named(&self, start: Vec<u8>) -> impl Iterator<Item = (&[u8], &[u8])> {
        let sorted = self.sorted.from(&start);
        let changes = self.changes.range::<[u8], _>((Bound::Included(&*start), Bound::Unbounded));
        let (mut sorted, mut changes) = (sorted.peekable(), changes.peekable());
        let merged = from_fn(move || {
            loop {
                let order = match (sorted.peek(), changes.peek()) {
                    (None, None) => return None,
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (Some((sorted, _)), Some((changed, _))) => sorted.cmp(&&***changed),
                };
                if order == Ordering::Less {
                    return sorted.next();
                }
                if order == Ordering::Equal {
                    sorted.next();
                }
                if let (name, Some(data)) = changes.next()? {
                    return Some((&**name, &**data));
                }
            }
        });
        merged.take_while(move |(name, _)| name.starts_with(&start))
    }

    /// The values under a key, in the order of their text.
    #[must_use]
    pub fn get(&self, kind: Kind, key: &str) -> Vec<String> {
        self.values(kind, key).collect()
    }

    /// The smallest value under a key, as [`Self::get`] would answer it first.
    #[must_use]
    pub fn first(&self, kind: Kind, key: &str) -> Option<String> {
        self.values(kind, key).next()
    }

    fn values(&self, kind: Kind, key: &str) -> impl Iterator<Item = String> {
        let prefix = prefix(kind, key);
        let named = self.named(prefix.clone());
        let value = move |name: &[u8]| String::from_utf8(name.strip_prefix(&*prefix)?.into()).ok();
        named.filter_map(move |(name, _)| value(name))
    }

    /// Whether a value is under a key.
    #[must_use]
    pub fn has(&self, kind: Kind, key: &str, value: &str) -> bool {
        self.data(kind, key, value).is_some()
    }

    /// What is kept with a value under a key; `None` where it is not there.
    #[must_use]
    pub fn data(&self, kind: Kind, key: &str, value: &str) -> Option<&[u8]> {
        let name = [&prefix(kind, key), value.as_bytes()].concat();
        match self.changes.get(&*name) {
            Some(changed) => changed.as_deref(),
            None => self.sorted.get(&name),
        }
    }

    /// Everything it knows, in order, as the changes that lead there.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.named(Vec::new()).filter_map(|(name, data)| Entry::named(name, data))
    }

    /// Everything it knows of one kind, in order: keys, values and what is kept with them.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = (&str, &str, &[u8])> {
        self.named(vec![kind]).filter_map(|(name, data)| {
            let (_, key, value) = parts(name)?;
            Some((key, value, data))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{index::file, simulated::Seed};

    type Model = BTreeMap<(Kind, String, String), Vec<u8>>;

    /// Changes of few keys, one of them with many values.
    fn history(random: &mut Seed, len: u64) -> Vec<Entry> {
        let entry = |random: &mut Seed| {
            let kind = [b's', b'e'][random.below(2) as usize];
            let crowded = random.below(3) == 0;
            let key = if crowded { "k".to_owned() } else { format!("k{}", random.below(40)) };
            let value = format!("v{}", random.below(if crowded { 3000 } else { 3 }));
            let data = vec![7; random.below(4) as usize];
            Entry { present: random.below(3) > 0, data, ..Entry::add(kind, &key, &value) }
        };
        (0..len).map(|_| entry(random)).collect()
    }

    fn model(history: &[Entry]) -> Model {
        let mut model = Model::new();
        for Entry { kind, key, value, data, present } in history.iter().cloned() {
            if present {
                model.insert((kind, key, value), data);
            } else {
                model.remove(&(kind, key, value));
            }
        }
        model
    }

    fn check(table: &Table, model: &Model) {
        let expected: Vec<Entry> = model
            .iter()
            .map(|((kind, key, value), data)| Entry {
                data: data.clone(),
                ..Entry::add(*kind, key, value)
            })
            .collect();
        assert_eq!(table.entries().collect::<Vec<_>>(), expected);
        for kind in [b'e', b's', b'x'] {
            let of_kind: Vec<_> = expected.iter().filter(|e| e.kind == kind).cloned().collect();
            let parts = of_kind.iter().map(|e| (&*e.key, &*e.value, &*e.data));
            assert!(table.of_kind(kind).eq(parts));
            for key in ["k", "k0", "k1", "k39", "none", ""] {
                let of_key = of_kind.iter().filter(|entry| entry.key == key);
                let values: Vec<_> = of_key.map(|entry| entry.value.clone()).collect();
                assert_eq!(table.get(kind, key), values);
                assert_eq!(table.first(kind, key), values.first().cloned());
            }
            for value in ["v0", "v1", "v2", "v2999"] {
                let known = model.get(&(kind, "k".to_owned(), value.to_owned()));
                assert_eq!(table.data(kind, "k", value), known.map(Vec::as_slice));
                assert_eq!(table.has(kind, "k", value), known.is_some());
            }
        }
    }

    #[test]
    fn knows_what_a_map_knows() {
        for seed in 0..20 {
            let random = &mut Seed::new(seed);
            let len = 1 + random.below(6000);
            let history = history(random, len);
            let expected = model(&history);
            let mut applied = Table::default();
            history.iter().for_each(|entry| applied.apply(entry));
            check(&applied, &expected);

            let bytes = applied.to_bytes();
            let part = 0..bytes.len();
            check(&Table::load(bytes, part).unwrap(), &expected);

            let mut followed = Table::default();
            for part in history.chunks(1 + random.below(500) as usize) {
                assert!(file::extend(&mut followed, &file::encode(part)).is_some());
            }
            check(&followed, &expected);
        }
    }

    #[test]
    fn a_change_that_comes_back_takes_no_room() {
        let mut table = Table::default();
        let entries: Vec<_> =
            (0..20_000).map(|n| Entry::add(b's', "k", &format!("v{n:05}"))).collect();
        entries.iter().for_each(|entry| table.apply(entry));
        table.sort_in();
        for entry in &entries {
            table.apply(&Entry { present: false, ..entry.clone() });
            table.apply(entry);
        }
        table.apply(&Entry::remove(b's', "k", "never there"));
        assert!(table.changes.is_empty());
        assert_eq!(table.entries().count(), entries.len());
    }
}
