//! One change of what a locator knows, and the line of the index that says it.
//!
//! ```text
//! checksum, 8 hexadecimal digits | space | + or - | kind | space | key | space | value
//! ```

use memchr::memchr;

/// Separates keys of different meaning; the user numbers its own.
pub type Kind = u8;

/// One change of a locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What kind of key.
    pub kind: Kind,
    /// The key, without spaces.
    pub key: String,
    /// A value located under it.
    pub value: String,
    /// Whether the value is there from now on, or no longer.
    pub present: bool,
}

impl Entry {
    /// Says that `value` is found under `key`.
    #[must_use]
    pub fn add(kind: Kind, key: &str, value: &str) -> Self {
        Self { kind, key: key.to_owned(), value: value.to_owned(), present: true }
    }

    /// Says that `value` is no longer found under `key`.
    #[must_use]
    pub fn remove(kind: Kind, key: &str, value: &str) -> Self {
        Self { present: false, ..Self::add(kind, key, value) }
    }

    /// The body of its lines.
    pub(super) fn body(&self) -> String {
        prefix(self.kind, &self.key) + &self.value
    }
}

/// Where a line's sign is, which its checksum covers with all behind it.
const SIGN: usize = 9;
/// Where the body of a line starts: kind, key and value.
pub(super) const BODY: usize = SIGN + 1;

/// What the body of every line about a key starts with.
pub(super) fn prefix(kind: Kind, key: &str) -> String {
    format!("{} {key} ", char::from(kind))
}

/// Writes one line about the entry of a body.
pub(super) fn push_line(lines: &mut String, present: bool, body: &str) {
    let sign = if present { "+" } else { "-" };
    let mut sum = crc32fast::Hasher::new();
    sum.update(sign.as_bytes());
    sum.update(body.as_bytes());
    lines.extend(digits(sum.finalize()).map(char::from));
    for part in [" ", sign, body, "\n"] {
        lines.push_str(part);
    }
}

/// A line that holds.
pub(super) struct Line<'t> {
    pub(super) present: bool,
    /// What all lines about its key share, as [`prefix`] makes it.
    pub(super) prefix: &'t str,
}

/// Reads a line without its end; `None` when it does not hold.
pub(super) fn decode(line: &str) -> Option<Line<'_>> {
    let (sum, signed) = line.as_bytes().split_at_checked(SIGN)?;
    if sum.strip_suffix(b" ")? != digits(crc32fast::hash(signed)) {
        return None;
    }
    let present = match signed.first()? {
        b'+' => true,
        b'-' => false,
        _ => return None,
    };
    let body = line.get(BODY..)?;
    let key = body.as_bytes().get(1..)?.strip_prefix(b" ")?;
    let prefix = body.get(..memchr(b' ', key)? + 3)?;
    Some(Line { present, prefix })
}

/// Eight lowercase hexadecimal digits, worked out in the bytes of one number: a file has
/// many lines.
fn digits(sum: u32) -> [u8; 8] {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let bytes = u64::from(sum.swap_bytes());
    let pairs = (bytes | bytes << 16) & 0x0000_ffff_0000_ffff;
    let apart = (pairs | pairs << 8) & 0x00ff_00ff_00ff_00ff;
    let nibbles = (apart >> 4 | apart << 8) & (EACH * 0x0f);
    let letters = (nibbles + EACH * 6) >> 4 & EACH;
    (nibbles + EACH * u64::from(b'0') + letters * u64::from(b'a' - b'0' - 10)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_the_format_says() {
        let mut text = String::new();
        push_line(&mut text, true, &Entry::add(b'e', "sub_a", "prj_a/ses_a").body());
        push_line(&mut text, false, &Entry::remove(b's', "ses_a", "prj_a").body());
        for line in text.lines() {
            let (sum, rest) = line.split_once(' ').unwrap();
            assert_eq!(sum, format!("{:08x}", crc32fast::hash(rest.as_bytes())));
        }
        assert!(text.ends_with(" -s ses_a prj_a\n"), "{text}");
        for sum in [0, 0x0123_4567, 0x89ab_cdef, u32::MAX, 0x0a00_00f9] {
            assert_eq!(digits(sum), *format!("{sum:08x}").as_bytes());
        }
    }

    #[test]
    fn a_line_reads_back_only_as_it_was_written() {
        let mut line = String::new();
        push_line(&mut line, true, "s ses_a prj a");
        let read = decode(line.trim_end());
        assert_eq!(read.map(|line| (line.present, line.prefix)), Some((true, "s ses_a ")));
        let with_sum =
            |signed: &str| format!("{:08x} {signed}", crc32fast::hash(signed.as_bytes()));
        assert!(decode(&with_sum("-s ses_a ")).is_some());
        for odd in
            ["", "+", "+s", "+s ", "+s ses_a", "*s ses_a prj_a", "+sses_a prj_a", "+é ses_a p"]
        {
            assert!(decode(&with_sum(odd)).is_none(), "{odd:?}");
        }
        assert!(decode(&line.trim_end().to_uppercase()).is_none());
    }
}
