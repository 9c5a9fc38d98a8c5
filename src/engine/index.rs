//! The locator's file: one line a change, only ever added to between checkpoints.
//!
//! ```text
//! namzuI01 and the generation, 16 hexadecimal digits
//! checksum, 8 hexadecimal digits | space | + or - | kind | space | key | space | value
//! ```
//!
//! The generation changes when the file is written anew. It can be lost: whoever finds it
//! missing, shorter than it should be, or with a line whose checksum does not hold surveys
//! the root again.

use memchr::{memchr, memmem, memrchr};

use super::{
    Entry, Kind, Locator,
    entry::{self, BODY, push_line},
    marks::IndexMark,
};

const MAGIC: &str = "namzuI01";
/// Length of the first line.
pub(super) const HEAD_LEN: usize = MAGIC.len() + 18;
/// The first line of a new file.
pub(super) fn head(generation: u64) -> Vec<u8> {
    format!("{MAGIC} {generation:016x}\n").into_bytes()
}

/// The generation that a file starts with.
pub(super) fn generation(bytes: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(bytes.get(..HEAD_LEN)?).ok()?;
    let digits = line.strip_prefix(MAGIC)?.strip_prefix(' ')?.strip_suffix('\n')?;
    u64::from_str_radix(digits, 16).ok()
}

/// Writes changes as lines.
pub(super) fn encode<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<u8> {
    let mut lines = String::new();
    for entry in entries {
        push_line(&mut lines, entry.present, &entry.body());
    }
    lines.into_bytes()
}

/// Writes what is located as lines.
pub(super) fn encode_all(locator: &Locator) -> Vec<u8> {
    let mut lines = String::with_capacity(usize::try_from(locator.needed_len()).unwrap_or(0));
    for body in locator.bodies() {
        push_line(&mut lines, true, body);
    }
    lines.into_bytes()
}

/// What a whole file says, up to where it counts; `None` where that is not there, of
/// another generation, or does not hold.
pub(super) fn load_all(mut bytes: Vec<u8>, mark: IndexMark) -> Option<Locator> {
    let len = counted(&bytes, mark)?.len();
    bytes.truncate(len);
    let text = String::from_utf8(bytes).ok()?;
    if text.ends_with('\n') { Locator::over(text, HEAD_LEN) } else { None }
}

/// What the whole lines of a file say, however much of it counts.
pub(super) fn load_file(mut bytes: Vec<u8>) -> Option<Locator> {
    generation(&bytes)?;
    bytes.truncate(whole_lines(&bytes));
    Locator::over(String::from_utf8(bytes).ok()?, HEAD_LEN)
}

/// Applies the whole lines that `bytes` starts with; answers their length, or `None`
/// when one of them does not hold: the locator is of no use then.
pub(super) fn load(bytes: &[u8], locator: &mut Locator) -> Option<usize> {
    let lines = bytes.get(..whole_lines(bytes))?;
    locator.extend(std::str::from_utf8(lines).ok()?)?;
    Some(lines.len())
}

/// The smallest value that a whole file has under a key, by a look at the lines about that
/// key alone; `None` where there is none, or where [`load_all`] has to say why.
pub(super) fn glance(bytes: &[u8], mark: IndexMark, kind: Kind, key: &str) -> Option<String> {
    let counts = counted(bytes, mark)?;
    let mut locator = Locator::default();
    for at in memmem::find_iter(counts, &entry::prefix(kind, key)) {
        let Some(start) = at.checked_sub(BODY).filter(|start| *start >= HEAD_LEN) else { continue };
        if counts.get(start - 1) != Some(&b'\n') {
            continue; // within another line's value
        }
        let end = at + memchr(b'\n', counts.get(at..)?)?;
        locator.extend(std::str::from_utf8(counts.get(start..=end)?).ok()?)?;
    }
    locator.first(kind, key).map(str::to_owned)
}

/// The part of a file that counts; `None` where it is not there, or of another generation.
fn counted(bytes: &[u8], mark: IndexMark) -> Option<&[u8]> {
    let counts = bytes.get(..usize::try_from(mark.len).ok()?)?;
    (generation(counts) == Some(mark.generation)).then_some(counts)
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

    /// A file of these changes, and how much of it counts: all.
    fn file(entries: &[Entry]) -> (Vec<u8>, IndexMark) {
        let bytes = [head(7), encode(entries)].concat();
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
        let (mut bytes, mark) = file(&entries()[..2]);
        let counted = bytes.len();
        bytes.extend(encode(&entries()[2..]));
        bytes.extend_from_slice(b"0000 \xff");
        let of = |locator: Option<Locator>| locator.map(|l| l.get(b's', "ses_a").count());
        assert_eq!(of(load_all(bytes.clone(), mark)), Some(1));
        assert_eq!(of(load_file(bytes.clone())), Some(0));
        assert_eq!(of(load_all(bytes.clone(), IndexMark { generation: 8, ..mark })), None);
        assert_eq!(of(load_all(bytes.clone(), IndexMark { len: mark.len - 1, ..mark })), None);
        assert_eq!(of(load_all(bytes[..counted - 1].to_vec(), mark)), None);
        assert_eq!(of(load_all(bytes, IndexMark { len: HEAD_LEN as u64, ..mark })), Some(0));
    }

    #[test]
    fn a_glance_finds_what_a_whole_file_says() {
        let more = [
            Entry::add(b's', "ses_b", "prj_c"),
            Entry::add(b's', "ses_b", "prj_b"),
            Entry::add(b's', "ses_b", "prj_a"),
            Entry::add(b'x', "k", "s ses_q prj_q"),
            Entry::remove(b's', "ses_b", "prj_a"),
        ];
        let (mut bytes, mark) = file(&[entries(), more.to_vec()].concat());
        let found = |bytes: &[u8], key| glance(bytes, mark, b's', key);
        assert_eq!(found(&bytes, "ses_b").as_deref(), Some("prj_b"));
        for absent in ["ses_a", "ses_q", "ses_", "es_b"] {
            assert_eq!(found(&bytes, absent), None, "{absent}");
        }
        assert_eq!(glance(&bytes, IndexMark { generation: 8, ..mark }, b's', "ses_b"), None);
        let at = memmem::find(&bytes, b"+s ses_b prj_a").unwrap();
        bytes[at - 2] ^= 1;
        assert_eq!(found(&bytes, "ses_b"), None, "one of its lines does not hold");
        assert!(found(&bytes[..at], "ses_b").is_none(), "shorter than it should be");
    }

    #[test]
    fn the_first_line_tells_the_generation() {
        assert_eq!(generation(&head(0xabc)), Some(0xabc));
        assert_eq!(head(u64::MAX).len(), HEAD_LEN);
        assert_eq!(generation(b"namzuI01 0"), None);
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
