//! One entry of the index.

/// Separates keys of different meaning; the user numbers its own.
pub type Kind = u8;

/// What the index says from now on of a value under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What kind of key.
    pub kind: Kind,
    /// The key, without NULs.
    pub key: String,
    /// A value under it.
    pub value: String,
    /// What is kept with the value: fewer than 64 KiB.
    pub data: Vec<u8>,
    /// Whether the value is there from now on, or no longer.
    pub present: bool,
}

/// Ends the key in an entry's name.
const END_OF_KEY: u8 = 0;

impl Entry {
    /// Says that `value` is found under `key`.
    #[must_use]
    pub fn add(kind: Kind, key: &str, value: &str) -> Self {
        let (key, value) = (key.to_owned(), value.to_owned());
        Self { kind, key, value, data: Vec::new(), present: true }
    }

    /// Says that `value` is no longer found under `key`.
    #[must_use]
    pub fn remove(kind: Kind, key: &str, value: &str) -> Self {
        Self { present: false, ..Self::add(kind, key, value) }
    }

    /// What tells it from other entries. Names are in the order of kind, key and value.
    pub(super) fn name(&self) -> Vec<u8> {
        [&prefix(self.kind, &self.key), self.value.as_bytes()].concat()
    }

    /// The entry of a name; `None` where it is none.
    pub(super) fn named(name: &[u8], data: &[u8]) -> Option<Self> {
        let (kind, key, value) = parts(name)?;
        Some(Self { data: data.to_vec(), ..Self::add(kind, key, value) })
    }
}

/// Kind, key and value of a name; `None` where it is none.
pub(super) fn parts(name: &[u8]) -> Option<(Kind, &str, &str)> {
    let (kind, rest) = name.split_first()?;
    let end = memchr::memchr(END_OF_KEY, rest)?;
    let key = std::str::from_utf8(rest.get(..end)?).ok()?;
    Some((*kind, key, std::str::from_utf8(rest.get(end + 1..)?).ok()?))
}

/// What the names of all entries under a key start with.
pub(super) fn prefix(kind: Kind, key: &str) -> Vec<u8> {
    [&[kind], key.as_bytes(), &[END_OF_KEY]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_are_in_the_order_of_their_text() {
        let entries = [
            Entry::add(b'e', "sub_b", "prj_a/ses_a"),
            Entry::add(b's', "ses_a", "prj_a"),
            Entry::add(b's', "ses_a", "prj_b"),
            Entry::add(b's', "ses_a0", "prj_a"),
            Entry { data: vec![0, 1, 255], ..Entry::add(b's', "ses_b", "") },
        ];
        assert!(entries.is_sorted_by_key(Entry::name));
        for entry in &entries {
            assert_eq!(Entry::named(&entry.name(), &entry.data).as_ref(), Some(entry));
        }
        for odd in [&b""[..], b"s", b"sses_a", b"s\xff\0", b"s\0\xff"] {
            assert_eq!(Entry::named(odd, &[]), None);
        }
    }
}
