//! Writes one JSON object, key by key, in the order of the calls.

use std::fmt::Write as _;

use super::Json;

/// An object under construction; keys are the caller's own constants or come from
/// another object, and are written once each.
#[derive(Debug)]
pub struct ObjectWriter(String);

impl ObjectWriter {
    /// An empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(256)
    }

    /// An empty object with room for `bytes`.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push('{');
        Self(text)
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_string(&mut self.0, key);
        self.0.push(':');
    }

    /// Adds a string.
    pub fn string(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        push_string(&mut self.0, value);
        self
    }

    /// Adds a string, or `null`.
    pub fn string_or_null(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.string(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// Adds a string when there is one.
    pub fn optional_string(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.string(key, value),
            None => self,
        }
    }

    /// Adds a whole number.
    pub fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.key(key);
        let _ = write!(self.0, "{value}"); // a String takes any write
        self
    }

    /// Adds an array of strings.
    pub fn strings(&mut self, key: &str, values: &[String]) -> &mut Self {
        self.list(key, values, |text, value| push_string(text, value))
    }

    /// Adds an array of values.
    pub fn values<'v>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = &'v Json>,
    ) -> &mut Self {
        self.list(key, values, |text, value| text.push_str(value.as_str()))
    }

    /// Adds a value by its text, which must be one JSON value.
    pub fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        self.0.push_str(value);
        self
    }

    /// The finished object.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }

    /// The finished object as a value.
    #[must_use]
    pub fn finish_value(self) -> Json {
        Json(self.finish().into())
    }

    fn list<T>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = T>,
        push: impl Fn(&mut String, T),
    ) -> &mut Self {
        self.key(key);
        self.0.push('[');
        for (n, value) in values.into_iter().enumerate() {
            if n > 0 {
                self.0.push(',');
            }
            push(&mut self.0, value);
        }
        self.0.push(']');
        self
    }
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends a string literal. Plain ASCII, which ids, dates and statuses are, needs
/// no escaping and is copied whole.
fn push_string(text: &mut String, value: &str) {
    if value.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\') {
        text.push('"');
        text.push_str(value);
        text.push('"');
    } else if let Ok(escaped) = serde_json::to_string(value) {
        text.push_str(&escaped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_keys_in_the_order_of_the_calls() {
        let mut json = ObjectWriter::new();
        json.string("b", "x\"\n☂").number("a", 7).string_or_null("c", None);
        json.optional_string("absent", None).strings("d", &["p".to_owned(), "q".to_owned()]);
        json.values("e", &[Json::parse("{}").unwrap(), Json::parse("1").unwrap()]);
        assert_eq!(json.finish(), r#"{"b":"x\"\n☂","a":7,"c":null,"d":["p","q"],"e":[{},1]}"#);
    }
}
