//! Where things are, for questions that the tree of files answers only by a walk.
//!
//! A map from a key to the values that were located under it, each key of one
//! [`Kind`]. What keys and values mean is the user's own affair. It only says where
//! to look: whoever asks reads the file and believes that.

use std::collections::HashMap;

/// Separates keys of different meaning; the user numbers its own.
pub type Kind = u8;

/// One change of a locator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What kind of key.
    pub kind: Kind,
    /// The key.
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
}

/// The values located under each key, sorted, without repetition.
#[derive(Debug, Default)]
pub struct Locator {
    kinds: HashMap<Kind, HashMap<Box<str>, Values>>,
}

/// Nearly every key has one value.
#[derive(Debug)]
enum Values {
    One(Box<str>),
    Many(Vec<Box<str>>),
}

impl Locator {
    /// The values under a key, in the order of their text.
    pub fn get(&self, kind: Kind, key: &str) -> impl Iterator<Item = &str> {
        let values = self.kinds.get(&kind).and_then(|keys| keys.get(key));
        values.map(Values::as_slice).unwrap_or_default().iter().map(AsRef::as_ref)
    }

    /// Applies a change; one that is made already changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        self.set(entry.kind, &entry.key, &entry.value, entry.present);
    }

    /// Makes a value be, or not be, among those under a key.
    pub(super) fn set(&mut self, kind: Kind, key: &str, value: &str, present: bool) {
        let keys = self.kinds.entry(kind).or_default();
        if present {
            match keys.get_mut(key) {
                Some(values) => values.insert(value),
                None => {
                    keys.insert(key.into(), Values::One(value.into()));
                }
            }
        } else if let Some(values) = keys.get_mut(key)
            && values.remove(value)
        {
            keys.remove(key);
        }
    }

    /// Everything it knows, as the changes that lead there.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.kinds.iter().flat_map(|(kind, keys)| {
            keys.iter().flat_map(|(key, values)| {
                values.as_slice().iter().map(|value| Entry::add(*kind, key, value))
            })
        })
    }
}

impl Values {
    fn as_slice(&self) -> &[Box<str>] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }

    fn insert(&mut self, value: &str) {
        let Err(at) = self.as_slice().binary_search_by(|v| (**v).cmp(value)) else { return };
        match self {
            Self::Many(values) => values.insert(at, value.into()),
            Self::One(only) => {
                let mut values = vec![std::mem::take(only)];
                values.insert(at, value.into());
                *self = Self::Many(values);
            }
        }
    }

    /// Takes a value out; answers whether none is left.
    fn remove(&mut self, value: &str) -> bool {
        match self {
            Self::One(only) => **only == *value,
            Self::Many(values) => {
                values.retain(|v| **v != *value);
                values.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_values_sorted_and_once() {
        let mut locator = Locator::default();
        for value in ["c", "a", "b", "a"] {
            locator.apply(&Entry::add(b's', "k", value));
        }
        locator.apply(&Entry::add(b'e', "k", "z"));
        let get = |l: &Locator, kind| l.get(kind, "k").map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(get(&locator, b's'), ["a", "b", "c"]);
        assert_eq!(get(&locator, b'e'), ["z"]);
        locator.apply(&Entry::remove(b's', "k", "b"));
        locator.apply(&Entry::remove(b's', "k", "missing"));
        assert_eq!(get(&locator, b's'), ["a", "c"]);
        locator.apply(&Entry::remove(b's', "k", "a"));
        locator.apply(&Entry::remove(b's', "k", "c"));
        locator.apply(&Entry::remove(b'e', "k", "z"));
        assert!(get(&locator, b's').is_empty() && get(&locator, b'e').is_empty());
    }
}
