//! How the core reaches an application's own objects: a store, a driver, a sink.
//!
//! One narrow interface. The core names an object, a method and the arguments as
//! JSON, and awaits the answer as JSON. What the names stand for is the business of
//! the maker of the [`Host`]: the facade, in JavaScript.
//!
//! What an object throws travels through the core as a [`Foreign`], a number under
//! which the other side keeps the thrown value itself, so that the caller gets the
//! identical one whatever it is.

use std::{future::Future, pin::Pin};

use crate::{
    error::{Error, Foreign, Result},
    json::{Fields, Json, string},
};

/// A way to the objects of an application.
pub trait Host: Send + Sync {
    /// Calls a method of an object; `None` when it answers `undefined`.
    ///
    /// # Errors
    /// [`Error::Foreign`] when it throws or rejects, [`Error::HostGone`] when it
    /// cannot be called any more.
    fn call<'h>(
        &'h self,
        object: &'static str,
        method: &'static str,
        arguments: Arguments,
    ) -> HostAnswer<'h>;
}

/// A future of the JSON text that a method answers.
pub type HostAnswer<'h> = Pin<Box<dyn Future<Output = Result<Option<String>>> + Send + 'h>>;

/// The arguments of one call, in their order.
#[derive(Debug, Clone)]
pub struct Arguments(String);

impl Arguments {
    /// No arguments.
    #[must_use]
    pub fn none() -> Self {
        Self("[".to_owned())
    }

    /// One more, by the text of its JSON.
    #[must_use]
    pub fn json(mut self, value: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(value);
        self
    }

    /// One more, a string.
    #[must_use]
    pub fn string(self, value: &str) -> Self {
        self.json(&serde_json::Value::from(value).to_string())
    }

    /// One more, a whole number.
    #[must_use]
    pub fn number(self, value: u64) -> Self {
        self.json(&value.to_string())
    }

    /// All of them, as a JSON array.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push(']');
        self.0
    }
}

/// What a host answers: nothing for `undefined`, `!` and an account of what was
/// thrown, or else the JSON of the answer.
///
/// # Errors
/// [`Error::Foreign`] for what was thrown, [`Error::HostGone`] for anything else.
pub fn reply(text: String) -> Result<Option<String>> {
    let Some(thrown) = text.strip_prefix('!') else {
        return Ok(Some(text).filter(|text| !text.is_empty()));
    };
    let foreign = || {
        let fields = Fields::of_payload(thrown)?;
        Ok::<_, crate::json::Invalid>(Foreign {
            thrown: fields.whole_number("thrown")?,
            name: fields.decoded("name", "a string", string)?.into(),
            message: fields.literal("message")?,
            details: fields.get("details").map(Json::from),
        })
    };
    Err(foreign().map_or(Error::HostGone, Error::Foreign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_json_array() {
        assert_eq!(Arguments::none().finish(), "[]");
        let arguments = Arguments::none().string("a\"☂").number(3).json("{\"x\":null}");
        assert_eq!(arguments.finish(), r#"["a\"☂",3,{"x":null}]"#);
    }

    #[test]
    fn a_reply_is_an_answer_or_what_was_thrown() {
        assert_eq!(reply(String::new()).unwrap(), None);
        assert_eq!(reply("null".to_owned()).unwrap().unwrap(), "null");
        let thrown = r#"!{"thrown":2,"name":"TypeError","message":"no","details":{"a":1}}"#;
        let Err(Error::Foreign(foreign)) = reply(thrown.to_owned()) else { unreachable!() };
        assert_eq!((foreign.thrown, foreign.text().as_str()), (2, "no"));
        assert_eq!(foreign.details.unwrap().as_str(), r#"{"a":1}"#);
    }

    #[test]
    fn a_message_that_is_no_unicode_is_kept_as_its_literal() {
        let thrown = r#"!{"thrown":0,"name":"","message":"\ud800"}"#;
        let Err(Error::Foreign(foreign)) = reply(thrown.to_owned()) else { unreachable!() };
        assert_eq!(foreign.text(), r#""\ud800""#);
    }
}
