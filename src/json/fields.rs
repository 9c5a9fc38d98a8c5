//! Reads a record one level deep: which keys it has, and the text of each value.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Invalid, Json, Word};
use crate::{id::InvalidId, timestamp::Timestamp};

/// The keys and undecoded values of one JSON object, in their order.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(Key<'a>, &'a RawValue)>);

#[derive(Debug)]
struct Key<'a>(Cow<'a, str>);

impl<'a> Fields<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// The parser's words when `text` is no JSON object.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// As [`Fields::parse`], for a payload: what is no object is [`Invalid`].
    ///
    /// # Errors
    /// [`Invalid`] without a field name.
    pub fn of_payload(text: &'a str) -> Result<Self, Invalid> {
        Self::parse(text).map_err(|_| Invalid::field("", "an object", &describe(text)))
    }

    /// The value of a key; of the last one, where a key is repeated, as in JavaScript.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(k, _)| k.0 == key).map(|(_, value)| *value)
    }

    /// The keys that are not among `known`, with their values, in their order.
    #[must_use]
    pub fn others(&self, known: &[&str]) -> Vec<(Box<str>, Json)> {
        let mut others: Vec<(Box<str>, Json)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (key, value) in &self.0 {
            if known.contains(&&*key.0) {
                continue;
            }
            let place = *places.entry(&key.0).or_insert(others.len());
            match others.get_mut(place) {
                Some((_, earlier)) => *earlier = Json::from(*value),
                None => others.push((key.0.as_ref().into(), Json::from(*value))),
            }
        }
        others
    }

    fn required(&self, key: &str, expected: &str) -> Result<&'a RawValue, Invalid> {
        self.get(key).ok_or_else(|| Invalid::field(key, expected, "undefined"))
    }

    /// A value that must be there, decoded by `decode`; `expected` says in words
    /// what it should be.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent or `decode` answers `None`.
    pub fn decoded<T>(
        &self,
        key: &str,
        expected: &str,
        decode: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, Invalid> {
        let raw = self.required(key, expected)?.get();
        decode(raw).ok_or_else(|| Invalid::field(key, expected, &describe(raw)))
    }

    /// As [`Fields::decoded`], where the key may be absent or `null`.
    ///
    /// # Errors
    /// [`Invalid`] when it is there and `decode` answers `None`.
    pub fn optional<T>(
        &self,
        key: &str,
        expected: &str,
        decode: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, Invalid> {
        match self.get(key).map(RawValue::get) {
            None | Some("null") => Ok(None),
            Some(_) => self.decoded(key, expected, decode).map(Some),
        }
    }

    /// As [`Fields::decoded`], where the key must be there and may be `null`.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent, or there and `decode` answers `None`.
    pub fn nullable<T>(
        &self,
        key: &str,
        expected: &str,
        decode: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, Invalid> {
        self.required(key, expected)?;
        self.optional(key, expected, decode)
    }

    /// A string, kept as its literal.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent or no string.
    pub fn literal(&self, key: &str) -> Result<Json, Invalid> {
        self.decoded(key, "a string", string_literal)
    }

    /// A date.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent or no date.
    pub fn date(&self, key: &str) -> Result<Timestamp, Invalid> {
        self.decoded(key, Timestamp::EXPECTED, date)
    }

    /// A word of an enum.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent or no such word.
    pub fn word<W: Word>(&self, key: &str) -> Result<W, Invalid> {
        let word = self.get(key).and_then(|raw| W::from_word(&string(raw.get())?));
        // What was expected is put into words only where it is needed.
        word.map_or_else(|| self.decoded(key, &W::expected(), |_| None), Ok)
    }

    /// An opaque id: a non-empty string.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent, no string, or empty.
    pub fn opaque_id<T>(&self, key: &str, new: fn(&str) -> Option<T>) -> Result<T, Invalid> {
        self.decoded(key, NON_EMPTY, |raw| new(&string(raw)?))
    }

    /// An id that becomes a path component.
    ///
    /// # Errors
    /// [`Invalid::Field`] when it is absent or no string, [`Invalid::Id`] when it is
    /// malformed.
    pub fn path_id<T>(
        &self,
        key: &str,
        parse: fn(&str) -> Result<T, InvalidId>,
    ) -> Result<T, Invalid> {
        let literal = self.decoded(key, "a string", |raw| raw.starts_with('"').then_some(raw))?;
        match string(literal) {
            Some(text) => Ok(parse(&text)?),
            // A string, but no Unicode: malformed like any other.
            None => match parse("") {
                Err(invalid) => Err(InvalidId { value: literal.to_owned(), ..invalid }.into()),
                Ok(id) => Ok(id),
            },
        }
    }

    /// A whole number from 0 to 2^53 - 1.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent or anything else.
    pub fn whole_number(&self, key: &str) -> Result<u64, Invalid> {
        self.decoded(key, "a whole number from 0", whole_number)
    }

    /// An array, each element decoded by `decode`.
    ///
    /// # Errors
    /// [`Invalid`] when it is absent, no array, or `decode` refuses an element, which
    /// is then named by its index.
    pub fn list<T>(
        &self,
        key: &str,
        decode: impl Fn(&'a RawValue) -> Result<T, Invalid>,
    ) -> Result<Vec<T>, Invalid> {
        let elements: Vec<&'a RawValue> =
            self.decoded(key, "an array", |raw| serde_json::from_str(raw).ok())?;
        let decode_at =
            |(n, raw)| decode(raw).map_err(|invalid| invalid.below(&format!("{key}.{n}")));
        elements.into_iter().enumerate().map(decode_at).collect()
    }
}

pub(crate) const NON_EMPTY: &str = "a non-empty string";

/// The string of a literal; `None` for another value, and for what is no Unicode.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(text) =
        plain.filter(|text| text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\'))
    {
        return Some(Cow::Borrowed(text));
    }
    serde_json::from_str::<Key<'_>>(raw).ok().map(|key| key.0)
}

pub(crate) fn non_empty_string(raw: &str) -> Option<Cow<'_, str>> {
    string(raw).filter(|text| !text.is_empty())
}

/// A string kept as its literal, lone surrogates and all.
pub(crate) fn string_literal(raw: &str) -> Option<Json> {
    raw.starts_with('"').then(|| Json(raw.into()))
}

pub(crate) fn object(raw: &str) -> Option<Json> {
    raw.starts_with('{').then(|| Json(raw.into()))
}

pub(crate) fn date(raw: &str) -> Option<Timestamp> {
    Timestamp::parse(&string(raw)?)
}

pub(crate) fn whole_number(raw: &str) -> Option<u64> {
    raw.parse::<u64>().ok().filter(|n| *n < 1 << 53)
}

/// A value in a few words for an error's `received`.
#[must_use]
pub fn describe(raw: &str) -> String {
    let kind = match raw.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => return "an object".to_owned(),
        Some(b'[') => return "an array".to_owned(),
        Some(b't' | b'f') => "boolean",
        Some(b'n') => return "null".to_owned(),
        Some(b'-' | b'0'..=b'9') => "number",
        _ => return "no JSON value".to_owned(),
    };
    let short: String = raw.chars().take(60).collect();
    let dots = if short.len() < raw.len() { "…" } else { "" };
    format!("{kind} {short}{dots}")
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some(entry) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push(entry);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_last_of_a_repeated_key_as_javascript_does() {
        let fields = Fields::parse(r#"{"a":1,"b":"x","a":2,"\u0062c":null}"#).unwrap();
        assert_eq!(fields.whole_number("a").unwrap(), 2);
        assert_eq!(fields.get("bc").unwrap().get(), "null");
        let others = fields.others(&["b"]);
        assert_eq!(others.len(), 2);
        assert_eq!((&*others[0].0, others[0].1.as_str()), ("a", "2"));
    }

    #[test]
    fn says_what_was_expected_and_what_came() {
        let fields = Fields::parse(r#"{"n":-1,"s":"","o":{},"l":[1,"x"]}"#).unwrap();
        assert_eq!(
            fields.whole_number("n").unwrap_err(),
            Invalid::field("n", "a whole number from 0", "number -1")
        );
        assert_eq!(
            fields.opaque_id("s", crate::id::TenantId::new).unwrap_err(),
            Invalid::field("s", NON_EMPTY, "string \"\"")
        );
        assert!(fields.date("o").unwrap_err().to_string().contains("an object"));
        let odd = fields.list("l", |raw| {
            whole_number(raw.get()).ok_or_else(|| Invalid::field("", "a number", "other"))
        });
        assert_eq!(odd.unwrap_err(), Invalid::field("l.1", "a number", "other"));
    }

    #[test]
    fn optional_is_absent_or_null_and_nullable_must_be_there() {
        let fields = Fields::parse(r#"{"a":null}"#).unwrap();
        assert_eq!(fields.optional("a", "x", string).unwrap(), None);
        assert_eq!(fields.optional("b", "x", string).unwrap(), None);
        assert_eq!(fields.nullable("a", "x", string).unwrap(), None);
        assert!(fields.nullable("b", "x", string).is_err());
    }
}
