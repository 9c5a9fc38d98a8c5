//! What was added to an index since it was written anew, for the first lookups of a process.
//!
//! The lines are kept as they are and looked through each time: few are asked about before
//! the whole locator is filled, and to put all of them into a table takes longer than that.

use std::collections::BTreeMap;

use memchr::{memchr, memchr_iter, memmem};

use super::{
    Entry, Kind,
    entry::{self, BODY, push_line},
};

/// Changes in their order.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Whole lines that hold.
    lines: String,
}

impl Tail {
    /// What `lines` say, each of them whole; `None` when one does not hold.
    pub(super) fn of(lines: Vec<u8>) -> Option<Self> {
        let lines = String::from_utf8(lines).ok()?;
        hold(&lines).then_some(Self { lines })
    }

    /// Takes in more whole lines; `None` when one does not hold.
    pub(super) fn extend(&mut self, lines: &str) -> Option<()> {
        hold(lines).then(|| self.lines.push_str(lines))
    }

    /// Takes in a change.
    pub(super) fn apply(&mut self, entry: &Entry) {
        push_line(&mut self.lines, entry.present, &entry.body());
    }

    /// The values under a key that it speaks of, and whether each is there or was taken back.
    pub(super) fn says(&self, kind: Kind, key: &str) -> BTreeMap<&str, bool> {
        let prefix = entry::prefix(kind, key);
        let line_about = |at: usize| {
            let start = at.checked_sub(BODY)?;
            let starts_a_line = start == 0 || self.lines.as_bytes().get(start - 1) == Some(&b'\n');
            let rest = self.lines.get(at + prefix.len()..).filter(|_| starts_a_line)?;
            let value = rest.get(..memchr(b'\n', rest.as_bytes())?)?;
            Some((value, self.lines.as_bytes().get(at - 1) == Some(&b'+')))
        };
        memmem::find_iter(self.lines.as_bytes(), &prefix).filter_map(line_about).collect()
    }
}

fn hold(lines: &str) -> bool {
    let mut start = 0;
    for end in memchr_iter(b'\n', lines.as_bytes()) {
        if lines.get(start..end).and_then(entry::decode).is_none() {
            return false;
        }
        start = end + 1;
    }
    start == lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::index;

    fn changes() -> Vec<Entry> {
        vec![
            Entry::remove(b's', "k", "never there"),
            Entry::add(b's', "k", "v"),
            Entry::add(b's', "kk", "v"),
            Entry::add(b'x', "k", "+s k value"),
            Entry::add(b'x', "k", "0123abcd +s k value"),
            Entry::remove(b's', "k", "v"),
            Entry::add(b's', "k", "w"),
            Entry::add(b'e', "k", "v"),
        ]
    }

    #[test]
    fn the_last_word_counts_and_removals_are_told() {
        let lines = index::encode(&changes());
        let whole = Tail::of(lines.clone()).unwrap();
        let all = changes();
        let (first, more) = all.split_at(3);
        let mut grown = Tail::of(index::encode(first)).unwrap();
        grown.extend(std::str::from_utf8(&index::encode(&more[..2])).unwrap()).unwrap();
        more[2..].iter().for_each(|entry| grown.apply(entry));
        for tail in [whole, grown] {
            assert_eq!(tail.lines.as_bytes(), lines);
            let said = tail.says(b's', "k");
            let expected = [("never there", false), ("v", false), ("w", true)];
            assert!(said.into_iter().eq(expected));
            assert_eq!(tail.says(b's', "kk").len(), 1);
            assert_eq!(tail.says(b'x', "k").len(), 2);
            assert!(tail.says(b's', "").is_empty() && tail.says(b's', "value").is_empty());
        }
    }

    #[test]
    fn a_line_that_does_not_hold_or_end_is_noticed() {
        let lines = index::encode(&changes());
        for bit in 0..lines.len() * 8 {
            let mut flipped = lines.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Tail::of(flipped).is_none(), "bit {bit}");
        }
        assert!(Tail::of(lines[..lines.len() - 1].to_vec()).is_none());
        assert!(Tail::default().extend("0").is_none());
    }
}
