//! Messages: raw JSON that is never decoded, and the envelope it is stored in.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Entity;
use crate::{
    id::{MessageId, SessionId, TenantId},
    json::{Invalid, Json, ObjectWriter, compact, describe},
    timestamp::Timestamp,
};

/// An application's message: one JSON object on one line, otherwise verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(Json);

impl Message {
    /// Takes an object as it is; line breaks between its tokens, which
    /// `JSON.stringify` does not write, are taken out.
    ///
    /// # Errors
    /// [`Invalid`] when `text` is not one JSON object.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let not_an_object = || Invalid::field("", "an object", &describe(text));
        let mut json = Json::parse(text).map_err(|_| not_an_object())?;
        if !json.is_object() {
            return Err(not_an_object());
        }
        if json.as_str().bytes().any(|byte| byte < 0x20) {
            json = Json::parse(&compact(json.as_str())).map_err(|_| not_an_object())?;
        }
        Ok(Self(json))
    }

    /// The message's JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A message as it is stored: who it belongs to and when it came.
#[derive(Debug, Clone)]
pub struct SessionMessage {
    /// The message's id.
    pub id: MessageId,
    /// The session whose log it is in.
    pub session_id: SessionId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// What the application passed.
    pub message: Message,
    /// When it was appended.
    pub at: Timestamp,
}

impl Entity for SessionMessage {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::with_capacity(self.message.as_str().len() + 160);
        json.string("id", self.id.as_str());
        json.string("sessionId", self.session_id.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.raw("message", self.message.as_str());
        json.string("at", &self.at.to_string());
        json.finish()
    }
}

/// A stored line, borrowed from the text it was read from.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageLine<'a> {
    /// The message's id, as its literal.
    #[serde(borrow)]
    pub id: &'a RawValue,
    /// The session's id, as its literal.
    #[serde(borrow)]
    pub session_id: &'a RawValue,
    /// The tenant's id, as its literal.
    #[serde(borrow)]
    pub tenant_id: &'a RawValue,
    /// The application's message.
    #[serde(borrow)]
    pub message: &'a RawValue,
    /// When it was appended, as its literal.
    #[serde(borrow)]
    pub at: &'a RawValue,
}

impl<'a> MessageLine<'a> {
    /// Reads a line of a message log, without its line break.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let line: Self = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        for (key, value) in
            [("id", line.id), ("sessionId", line.session_id), ("tenantId", line.tenant_id)]
        {
            if !value.get().starts_with('"') {
                return Err(format!("{key}: expected a string, found {}", describe(value.get())));
            }
        }
        if !is_date(line.at.get()) {
            return Err(format!("at: expected a date, found {}", describe(line.at.get())));
        }
        if !line.message.get().starts_with('{') {
            return Err(format!(
                "message: expected an object, found {}",
                describe(line.message.get())
            ));
        }
        Ok(line)
    }
}

fn is_date(literal: &str) -> bool {
    let text = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    text.is_some_and(|text| Timestamp::parse(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_kept_to_the_byte() {
        let text = r#"{"role":"user","content":"\ud800 \u0000","z":1e21,"__proto__":{"a":[]}}"#;
        assert_eq!(Message::from_payload(text).unwrap().as_str(), text);
    }

    #[test]
    fn a_message_becomes_one_line() {
        let message = Message::from_payload("{\n \"a\": \"x y\"\r\n}").unwrap();
        assert_eq!(message.as_str(), r#"{"a":"x y"}"#);
    }

    #[test]
    fn only_an_object_is_a_message() {
        for bad in ["", "null", "[]", "\"x\"", "{", "{} {}"] {
            assert!(Message::from_payload(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_line_reads_back_and_a_broken_one_says_why() {
        let line = SessionMessage {
            id: MessageId::generate(),
            session_id: SessionId::generate(),
            tenant_id: TenantId::new("t").unwrap(),
            message: Message::from_payload("{}").unwrap(),
            at: Timestamp::now(),
        }
        .to_json();
        assert_eq!(MessageLine::parse(line.as_bytes()).unwrap().message.get(), "{}");
        let cut = line.as_bytes().get(..line.len() - 3).unwrap();
        assert!(MessageLine::parse(cut).is_err());
        assert!(MessageLine::parse(b"{\"id\":1}").is_err());
        assert!(MessageLine::parse(&[b'{', 0xff]).is_err());
    }
}
