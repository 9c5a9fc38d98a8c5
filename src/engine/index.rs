//! The locator's file: one line a change, only ever added to between checkpoints.
//!
//! ```text
//! namzuI01 and the generation, 16 hexadecimal digits
//! checksum, 8 hexadecimal digits | space | + or - | kind | space | key | space | value
//! ```
//!
//! The generation changes when the file is written anew. It can be lost: whoever finds it missing, shorter than it should be, or with a line
//! whose checksum does not hold surveys the root again.

use super::{Entry, Locator, marks::IndexMark};

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
    let mut lines = Vec::new();
    for entry in entries {
        let sign = if entry.present { '+' } else { '-' };
        let line = format!("{sign}{} {} {}", char::from(entry.kind), entry.key, entry.value);
        let sum = crc32fast::hash(line.as_bytes());
        lines.extend_from_slice(format!("{sum:08x} {line}\n").as_bytes());
    }
    lines
}

/// What a whole file says, up to where it counts; `None` where that is not there, of
/// another generation, or does not hold.
pub(super) fn load_all(bytes: &[u8], mark: IndexMark) -> Option<Locator> {
    let counts = bytes.get(..usize::try_from(mark.len).ok()?)?;
    let lines = counts.get(HEAD_LEN..)?;
    let mut locator = Locator::default();
    let whole = generation(counts) == Some(mark.generation)
        && load(lines, &mut locator) == Some(lines.len());
    whole.then_some(locator)
}

/// What the whole lines of a file say, however much of it counts.
pub(super) fn load_file(bytes: &[u8]) -> Option<Locator> {
    generation(bytes)?;
    let mut locator = Locator::default();
    load(bytes.get(HEAD_LEN..)?, &mut locator)?;
    Some(locator)
}

/// Applies the whole lines that `bytes` starts with; answers their length, or `None`
/// when one of them does not hold.
pub(super) fn load(bytes: &[u8], locator: &mut Locator) -> Option<usize> {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let mut rest = bytes.get(..end)?;
    while let Some(at) = memchr::memchr(b'\n', rest) {
        let (line, tail) = rest.split_at_checked(at)?;
        let (kind, present, key, value) = decode(line)?;
        locator.set(kind, key, value, present);
        rest = tail.get(1..)?;
    }
    Some(end)
}

fn decode(line: &[u8]) -> Option<(u8, bool, &str, &str)> {
    let (sum, line) = line.split_at_checked(9)?;
    if sum.iter().any(u8::is_ascii_uppercase) {
        return None; // not as we write it
    }
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?.strip_suffix(' ')?, 16).ok()?;
    if crc32fast::hash(line) != sum {
        return None;
    }
    let (sign, line) = line.split_first()?;
    let (kind, line) = line.split_first()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix(' ')?;
    let (key, value) = line.split_once(' ')?;
    Some((*kind, *sign == b'+', key, value))
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
