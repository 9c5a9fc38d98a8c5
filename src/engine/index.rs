//! The locator's file: one line a change, only ever added to between checkpoints.
//!
//! ```text
//! namzuI02 | space | generation | space | length of the sorted part | space | checksum
//! checksum, 8 hexadecimal digits | space | + or - | kind | space | key | space | value
//! ```
//!
//! The generation and the length are 16 hexadecimal digits each. The generation changes when
//! the file is written anew; then all its lines are in the order of what stands behind their
//! sign, none twice, and each says that something is there. That is the sorted part, in which
//! `sorted` searches; what is added later, the tail, is in no order.
//!
//! The file can be lost: whoever finds it missing, shorter than it should be, with a line
//! whose checksum does not hold, or with a sorted part that is not, surveys the root again.

use memchr::memrchr;

use super::{Entry, Locator, entry::push_line, marks::IndexMark};

const MAGIC: &str = "namzuI02";
/// Length of the first line.
pub(super) const HEAD_LEN: usize = MAGIC.len() + 44;

/// What the first line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) generation: u64,
    /// Length of the sorted part.
    pub(super) sorted: u64,
}

impl Head {
    fn encode(self) -> String {
        let mut line = format!("{MAGIC} {:016x} {:016x}", self.generation, self.sorted);
        let sum = crc32fast::hash(line.as_bytes());
        line.push_str(&format!(" {sum:08x}\n"));
        line
    }

    /// What a file says that starts with `bytes`; `None` when its first line does not hold.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let line = bytes.get(..HEAD_LEN)?;
        let mut numbers = std::str::from_utf8(line).ok()?.split(' ').skip(1);
        let mut number = || u64::from_str_radix(numbers.next()?, 16).ok();
        let head = Self { generation: number()?, sorted: number()? };
        (head.encode().as_bytes() == line).then_some(head)
    }

    /// Where the sorted part ends in the file.
    pub(super) fn sorted_end(self) -> u64 {
        self.sorted.saturating_add(HEAD_LEN as u64)
    }
}

/// Writes changes as lines.
pub(super) fn encode<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<u8> {
    let mut lines = String::new();
    for entry in entries {
        push_line(&mut lines, entry.present, &entry.body());
    }
    lines.into_bytes()
}

/// Writes what is located as a whole file.
pub(super) fn encode_all(locator: &Locator, generation: u64) -> Vec<u8> {
    let sorted = locator.needed_len();
    let mut file = Head { generation, sorted }.encode();
    file.reserve_exact(usize::try_from(sorted).unwrap_or(0));
    let mut bodies: Vec<&str> = locator.bodies().collect();
    bodies.sort(); // most are those of a sorted part, in which a stable sort finds them in order
    for body in bodies {
        push_line(&mut file, true, body);
    }
    file.into_bytes()
}

/// What a whole file says, up to where it counts; `None` where that is not there, of
/// another generation, or does not hold.
pub(super) fn load_all(mut bytes: Vec<u8>, mark: IndexMark) -> Option<Locator> {
    let head = Head::read(&bytes).filter(|head| head.generation == mark.generation)?;
    let len = usize::try_from(mark.len).ok().filter(|len| *len <= bytes.len())?;
    bytes.truncate(len);
    load_lines(bytes, head)
}

/// What the whole lines of a file say, however much of it counts.
pub(super) fn load_file(mut bytes: Vec<u8>) -> Option<Locator> {
    let head = Head::read(&bytes)?;
    bytes.truncate(whole_lines(&bytes));
    load_lines(bytes, head)
}

fn load_lines(bytes: Vec<u8>, head: Head) -> Option<Locator> {
    let sorted_end = usize::try_from(head.sorted_end()).ok()?;
    Locator::over(String::from_utf8(bytes).ok()?, HEAD_LEN..sorted_end)
}

/// Applies the whole lines that `bytes` starts with; answers their length, or `None`
/// when one of them does not hold: the locator is of no use then.
#[cfg(any(test, fuzzing))]
pub(super) fn load(bytes: &[u8], locator: &mut Locator) -> Option<usize> {
    let lines = bytes.get(..whole_lines(bytes))?;
    locator.extend(std::str::from_utf8(lines).ok()?)?;
    Some(lines.len())
}

/// How much of `bytes` its whole lines are.
fn whole_lines(bytes: &[u8]) -> usize {
    memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::add(b's', "ses_a", "prj_a"),
            Entry::add(b'e', "sub_a", "prj_a/ses_a"),
            Entry::remove(b's', "ses_a", "prj_a"),
        ]
    }

    fn located(entries: &[Entry]) -> Locator {
        let mut locator = Locator::default();
        entries.iter().for_each(|entry| locator.apply(entry));
        locator
    }

    /// A file of these changes, `sorted` of them in its sorted part, and how much of it
    /// counts: all.
    fn file(sorted: &[Entry], tail: &[Entry]) -> (Vec<u8>, IndexMark) {
        let bytes = [encode_all(&located(sorted), 7), encode(tail)].concat();
        let mark = IndexMark { generation: 7, len: bytes.len() as u64 };
        (bytes, mark)
    }

    #[test]
    fn lines_read_back_and_an_unfinished_one_waits() {
        let mut bytes = encode(&entries());
        let whole = bytes.len();
        bytes.extend_from_slice(b"0000");
        let mut locator = Locator::default();
        assert_eq!(load(&bytes, &mut locator), Some(whole));
        assert_eq!(locator.get(b'e', "sub_a").collect::<Vec<_>>(), ["prj_a/ses_a"]);
        assert_eq!(locator.get(b's', "ses_a").count(), 0);
    }

    #[test]
    fn a_file_is_read_as_far_as_it_counts() {
        for sorted in 0..=2 {
            let (mut bytes, mark) = file(&entries()[..sorted], &entries()[sorted..2]);
            let counted = bytes.len();
            bytes.extend(encode(&entries()[2..]));
            bytes.extend_from_slice(b"0000 \xff");
            let of = |locator: Option<Locator>| locator.map(|l| l.get(b's', "ses_a").count());
            assert_eq!(of(load_all(bytes.clone(), mark)), Some(1));
            assert_eq!(of(load_file(bytes.clone())), Some(0));
            assert_eq!(of(load_all(bytes.clone(), IndexMark { generation: 8, ..mark })), None);
            assert_eq!(of(load_all(bytes.clone(), IndexMark { len: mark.len - 1, ..mark })), None);
            assert_eq!(of(load_all(bytes[..counted - 1].to_vec(), mark)), None);
            let bare = of(load_all(bytes, IndexMark { len: HEAD_LEN as u64, ..mark }));
            assert_eq!(bare, (sorted == 0).then_some(0), "the sorted part has to be there");
        }
    }

    #[test]
    fn a_new_file_is_in_order_and_has_no_line_twice() {
        let (a, b, c) =
            (Entry::add(b'e', "k", "v"), Entry::add(b's', "k", "v"), Entry::add(b's', "k", "w"));
        let (bytes, mark) = file(&[c.clone(), a.clone(), b.clone(), a.clone()], &[]);
        assert_eq!(bytes[HEAD_LEN..], encode(&[a.clone(), b.clone(), c.clone()]));
        assert!(load_all(bytes, mark).is_some());
        for lines in [[&a, &c, &b], [&b, &b, &c], [&a, &b, &Entry::remove(b's', "k", "w")]] {
            let lines = encode(lines);
            let head = Head { generation: 7, sorted: lines.len() as u64 }.encode();
            let bytes = [head.into_bytes(), lines].concat();
            let mark = IndexMark { generation: 7, len: bytes.len() as u64 };
            assert!(load_all(bytes.clone(), mark).is_none());
            assert!(load_file(bytes).is_none());
        }
    }

    #[test]
    fn the_first_line_reads_back_only_as_it_was_written() {
        for head in [
            Head { generation: 0xabc, sorted: 0x123 },
            Head { generation: u64::MAX, sorted: u64::MAX },
        ] {
            let line = head.encode().into_bytes();
            assert_eq!(line.len(), HEAD_LEN);
            assert_eq!(Head::read(&[&line[..], b"more"].concat()), Some(head));
            assert_eq!(Head::read(&line[..HEAD_LEN - 1]), None);
            for bit in 0..line.len() * 8 {
                let mut flipped = line.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(Head::read(&flipped), None, "bit {bit}");
            }
        }
    }

    #[test]
    fn a_line_with_any_bit_wrong_is_noticed() {
        let bytes = encode(&entries());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let noticed = load(&flipped, &mut Locator::default());
            assert_ne!(noticed, Some(bytes.len()), "bit {bit}");
        }
    }
}
