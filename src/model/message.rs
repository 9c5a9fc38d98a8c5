//! Messages: raw JSON that is never decoded, and the envelope it is stored in.

use std::sync::Arc;

use super::{Dates, Entity};
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
    /// What names the append that it came with, where its caller may send it again.
    pub idempotency_key: Option<Arc<str>>,
}

impl SessionMessage {
    fn write(&self, dates: Dates) -> ObjectWriter {
        let mut json = ObjectWriter::with_capacity(self.message.as_str().len() + 160);
        json.string("id", self.id.as_str());
        json.string("sessionId", self.session_id.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.raw("message", self.message.as_str());
        dates.write(&mut json, "at", self.at);
        json
    }

    /// The line of a log, without its line break: the envelope, and the idempotency
    /// key where there is one.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut json = self.write(Dates::Texts);
        json.optional_string("idempotencyKey", self.idempotency_key.as_deref());
        json.finish()
    }
}

impl Entity for SessionMessage {
    fn to_json(&self) -> String {
        self.write(Dates::Texts).finish()
    }

    fn to_answer(&self) -> String {
        self.write(Dates::Numbers).finish()
    }
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
}
