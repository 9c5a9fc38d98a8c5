//! Finds the lines about a key in a text of many, compactly.
//!
//! Each entry, a kind, a key and a value, has one [`Link`]: where its body is in the text,
//! and whether it is present. The links of keys with one hash are a chain, newest first;
//! `heads` has the newest of each hash, in open addressing. Hashes are seeded, so nobody
//! can choose keys that share one.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher as _, RandomState},
    iter::successors,
    num::NonZeroU32,
};

/// A chain of this many links, or more, has all of them in `crowded`: a key may have as many
/// values as there are projects.
const CROWD: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Table<S = RandomState> {
    links: Vec<Link>,
    heads: Vec<Head>,
    /// How many of the heads there are.
    chains: usize,
    /// The links of long chains, by the hash of their body.
    crowded: HashMap<u64, Number>,
    hashing: S,
    /// How many entries are present, and the length of their bodies.
    present: (usize, usize),
}

/// A link's place among the links, counted from 1.
type Number = NonZeroU32;

/// Where the chain of a hash starts; a place for one when there is no newest link.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    hash: u32,
    newest: Option<Number>,
}

/// Positions in the text are of any size, and there is room for 4 billion entries: that
/// many lines do not fit into a machine's memory.
#[derive(Debug)]
struct Link {
    /// Where the body is, times two, and one more when the entry is present.
    at_and_present: u64,
    before: Option<Number>,
}

/// What a line says of an entry.
#[derive(Debug)]
pub(super) struct Statement {
    /// [`Table::hash_of`] the body's prefix.
    pub(super) hash: u32,
    /// Where the body is in the text.
    pub(super) at: usize,
    /// The body's length.
    pub(super) len: usize,
    pub(super) present: bool,
}

impl Link {
    fn new(at: usize, before: Option<Number>) -> Self {
        Self { at_and_present: (at as u64) << 1 | 1, before }
    }

    fn is_present(&self) -> bool {
        self.at_and_present & 1 != 0
    }

    /// The text from the body on.
    fn tail<'t>(&self, text: &'t str) -> &'t str {
        let at = usize::try_from(self.at_and_present >> 1).ok();
        at.and_then(|at| text.get(at..)).unwrap_or_default()
    }

    fn body<'t>(&self, text: &'t str) -> &'t str {
        let tail = self.tail(text);
        memchr::memchr(b'\n', tail.as_bytes()).and_then(|end| tail.get(..end)).unwrap_or(tail)
    }

    fn is_of(&self, text: &str, body: &str) -> bool {
        self.tail(text).strip_prefix(body).is_some_and(|rest| rest.starts_with('\n'))
    }
}

impl<S: BuildHasher + Default> Table<S> {
    /// One that has room for about this many lines before it grows.
    pub(super) fn for_lines(lines: usize) -> Self {
        Self {
            links: Vec::with_capacity(lines),
            heads: vec![Head::default(); 2 * lines],
            ..Self::default()
        }
    }

    /// How many entries it knows, present or not.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// How many entries are present, and how many bytes their bodies are.
    pub(super) fn present(&self) -> (usize, usize) {
        self.present
    }

    pub(super) fn hash_of(&self, prefix: &str) -> u32 {
        self.whole_hash_of(prefix) as u32
    }

    fn whole_hash_of(&self, text: &str) -> u64 {
        let mut hasher = self.hashing.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    /// Takes in what lines of `text` say, in their order.
    pub(super) fn take_in(&mut self, text: &str, said: &[Statement]) {
        self.grow_for(said.len());
        // Has the processor fetch the heads all at once, instead of one after the other.
        let near = said.iter().map(|said| self.head_at(self.first_slot(said.hash)).hash);
        std::hint::black_box(near.fold(0, |all, hash| all ^ hash));
        for said in said {
            let slot = self.slot(said.hash);
            let Head { newest, .. } = self.head_at(slot);
            let body = || text.get(said.at..said.at + said.len).unwrap_or_default();
            let (known, length) = match newest {
                Some(_) => self.find(text, newest, body()),
                None => (None, 0),
            };
            match known {
                Some(number) => self.set_present(number, said.present, said.len),
                None if said.present => self.add(text, slot, said, length),
                None => {}
            }
        }
    }

    /// Puts an entry before its chain, which has `length` links as [`Self::find`] counts.
    fn add(&mut self, text: &str, slot: usize, said: &Statement, length: usize) {
        let number = u32::try_from(self.links.len() + 1).ok().and_then(Number::new);
        assert!(number.is_some(), "no room for more than {} entries", u32::MAX);
        let before = self.head_at(slot).newest;
        self.chains += usize::from(before.is_none());
        self.links.push(Link::new(said.at, before));
        self.set_head(slot, Head { hash: said.hash, newest: number });
        self.present.0 += 1;
        self.present.1 += said.len;
        if length + 1 >= CROWD {
            let uncrowded = if length + 1 == CROWD { CROWD } else { 1 };
            let crowd = self.chain(number).take(uncrowded);
            let crowd: Vec<_> =
                crowd.map(|(n, link)| (self.whole_hash_of(link.body(text)), n)).collect();
            for (hash, number) in crowd {
                self.crowded.entry(hash).or_insert(number);
            }
        }
    }

    fn set_present(&mut self, number: Number, present: bool, len: usize) {
        let Some(link) = self.links.get_mut(index(number)) else { return };
        if link.is_present() != present {
            link.at_and_present ^= 1;
            let (count, bytes) = self.present;
            self.present =
                if present { (count + 1, bytes + len) } else { (count - 1, bytes - len) };
        }
    }

    /// The link of a body, if it is in the chain that starts with `head`; and the chain's
    /// length, or what is at least [`CROWD`] of it, when it is not.
    fn find(&self, text: &str, head: Option<Number>, body: &str) -> (Option<Number>, usize) {
        let is_it = |(_, link): &(Number, &Link)| link.is_of(text, body);
        let mut length = 0;
        for link in self.chain(head).take(CROWD) {
            if is_it(&link) {
                return (Some(link.0), length);
            }
            length += 1;
        }
        if length < CROWD {
            return (None, length);
        }
        let known = self.crowded.get(&self.whole_hash_of(body)).copied();
        let found = match known.and_then(|number| Some((number, self.link(number)?))) {
            // Two bodies of one hash: only one of them is in `crowded`.
            Some(link) if !is_it(&link) => self.chain(head).find(is_it).map(|(number, _)| number),
            link => link.map(|(number, _)| number),
        };
        (found, length)
    }

    fn link(&self, number: Number) -> Option<&Link> {
        self.links.get(index(number))
    }

    fn chain(&self, head: Option<Number>) -> impl Iterator<Item = (Number, &Link)> {
        let with_link = |number: Number| Some((number, self.link(number)?));
        successors(head.and_then(with_link), move |(_, link)| link.before.and_then(with_link))
    }

    fn head_at(&self, slot: usize) -> Head {
        self.heads.get(slot).copied().unwrap_or_default()
    }

    fn set_head(&mut self, slot: usize, head: Head) {
        if let Some(there) = self.heads.get_mut(slot) {
            *there = head;
        }
    }

    /// Where the head of a hash's chain is looked for first.
    fn first_slot(&self, hash: u32) -> usize {
        let slot = (u64::from(hash) * self.heads.len() as u64) >> 32;
        usize::try_from(slot).unwrap_or_default()
    }

    /// Where the head of a hash's chain is, or would be; there is always an empty one.
    fn slot(&self, hash: u32) -> usize {
        let mut slot = self.first_slot(hash);
        loop {
            let head = self.head_at(slot);
            if head.newest.is_none() || head.hash == hash {
                return slot;
            }
            slot = if slot + 1 == self.heads.len() { 0 } else { slot + 1 };
        }
    }

    /// Where the chain of a hash starts.
    fn newest(&self, hash: u32) -> Option<Number> {
        self.head_at(self.slot(hash)).newest
    }

    /// Makes room for more chains, half of it to spare.
    fn grow_for(&mut self, more: usize) {
        let needed = 2 * (self.chains + more);
        if needed <= self.heads.len() {
            return;
        }
        let grown = vec![Head::default(); needed.max(2 * self.heads.len())];
        for head in std::mem::replace(&mut self.heads, grown) {
            if head.newest.is_some() {
                self.set_head(self.slot(head.hash), head);
            }
        }
    }

    /// The bodies in `text` of the present entries whose prefix may have this hash.
    pub(super) fn about<'t>(&self, text: &'t str, hash: u32) -> impl Iterator<Item = &'t str> {
        let present = self.chain(self.newest(hash)).filter(|(_, l)| l.is_present());
        present.map(|(_, link)| link.body(text))
    }

    /// Whether the entry of a body is present, which starts with `prefix`.
    pub(super) fn has(&self, text: &str, prefix: &str, body: &str) -> bool {
        let head = self.newest(self.hash_of(prefix));
        let found = self.find(text, head, body).0.and_then(|number| self.link(number));
        found.is_some_and(Link::is_present)
    }

    /// The bodies in `text` of all present entries.
    pub(super) fn all<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.links.iter().filter(|link| link.is_present()).map(|link| link.body(text))
    }
}

fn index(number: Number) -> usize {
    number.get() as usize - 1
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        hash::{BuildHasherDefault, Hasher},
    };

    use super::*;
    use crate::engine::simulated::Seed;

    /// Tells texts apart by their last byte alone.
    #[derive(Default)]
    struct Poor(u8);

    impl Hasher for Poor {
        fn write(&mut self, bytes: &[u8]) {
            self.0 = *bytes.last().unwrap_or(&0) & 3;
        }

        fn finish(&self) -> u64 {
            u64::from(self.0) * 0x4000_0000_4000_0000
        }
    }

    #[test]
    fn entries_are_told_apart_whatever_their_hashes() {
        for seed in 0..20 {
            let random = &mut Seed::new(seed);
            let mut table = Table::<BuildHasherDefault<Poor>>::default();
            let mut text = String::new();
            let mut model = HashSet::new();
            for _ in 0..1000 {
                let prefix = format!("s {} ", random.below(9));
                let body = format!("{prefix}{}", random.below(40));
                let present = random.below(3) > 0;
                let at = text.len();
                text = format!("{text}{body}\n");
                let said = Statement { hash: table.hash_of(&prefix), at, len: body.len(), present };
                table.take_in(&text, &[said]);
                if present {
                    model.insert(body);
                } else {
                    model.remove(&body);
                }
            }
            let bytes = model.iter().map(String::len).sum();
            assert_eq!(table.present(), (model.len(), bytes));
            assert_eq!(table.all(&text).map(str::to_owned).collect::<HashSet<_>>(), model);
            assert_eq!(table.all(&text).count(), model.len());
            for key in 0..9 {
                let prefix = format!("s {key} ");
                for value in 0..40 {
                    let body = format!("{prefix}{value}");
                    assert_eq!(table.has(&text, &prefix, &body), model.contains(&body), "{body}");
                }
                let found = table.about(&text, table.hash_of(&prefix));
                let found = found.filter(|body| body.starts_with(&prefix)).count();
                assert_eq!(found, model.iter().filter(|body| body.starts_with(&prefix)).count());
            }
        }
    }
}
