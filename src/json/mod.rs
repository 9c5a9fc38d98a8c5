//! JSON text that is carried, not decoded.
//!
//! A store never interprets what applications put into messages and actors, and
//! only undecoded text keeps it as it came (key order, number forms, lone
//! surrogates). So a value is kept as its own text, and a record is read one
//! level deep: [`Fields`] finds the values, [`ObjectWriter`] puts them back.

mod fields;
mod invalid;
mod layout;
mod writer;

pub use fields::{Fields, describe};
pub(crate) use fields::{
    NON_EMPTY, date, non_empty_string, object, string, string_literal, whole_number,
};
pub(crate) use invalid::words;
pub use invalid::{Invalid, Word};
pub use layout::{compact, indented};
pub use writer::ObjectWriter;

use std::sync::Arc;

use serde_json::value::RawValue;

/// One well-formed JSON value, as text. Clones share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(Arc<str>);

impl Json {
    /// Checks that `text` is one JSON value and nothing else.
    ///
    /// # Errors
    /// The parser's words for what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) => Ok(Self(raw.get().into())),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The literal of a string.
    #[must_use]
    pub fn string(text: &str) -> Self {
        Self(serde_json::Value::from(text).to_string().into())
    }

    /// The value's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Self {
        Self(raw.get().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_value_verbatim() {
        let text = r#"{"b":1e21,"a":"\ud800","b":{"__proto__":[-0.0]}}"#;
        let json = Json::parse(&format!(" {text}\n")).unwrap();
        assert_eq!(json.as_str(), text);
        assert!(json.is_object());
    }

    #[test]
    fn refuses_what_is_not_one_value() {
        for bad in ["", "{", "1 2", "{\"a\":\"\n\"}", "undefined", "\u{feff}{}"] {
            assert!(Json::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Json::parse(&deep).unwrap().as_str().len(), 200_000);
    }
}
