//! A line of a message log, borrowed from the text it was read from.
//!
//! Most lines are one message. A replacement line holds a whole list, which stands
//! for everything before it.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Message, Session, SessionMessage};
use crate::{
    id::{MessageId, SessionId, TenantId},
    json::{ObjectWriter, describe, string},
    timestamp::Timestamp,
};

/// What a line of a log says.
#[derive(Debug)]
pub enum LogLine<'a> {
    /// One more message.
    Message(MessageLine<'a>),
    /// The messages that later readers see instead of all earlier ones.
    Replacement(Vec<MessageLine<'a>>),
}

/// A stored message; each value is its JSON text.
#[derive(Debug, Clone, Copy)]
pub struct MessageLine<'a> {
    /// The message's id.
    pub id: &'a str,
    /// The session's id.
    pub session_id: &'a str,
    /// The tenant's id.
    pub tenant_id: &'a str,
    /// The application's message.
    pub message: &'a str,
    /// When it was appended.
    pub at: &'a str,
    /// The same, read.
    pub time: Timestamp,
    /// What names the append that it came with.
    pub idempotency_key: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keys<'a> {
    #[serde(borrow)]
    record_kind: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tenant_id: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    at: Option<&'a RawValue>,
    #[serde(borrow)]
    idempotency_key: Option<&'a RawValue>,
}

impl<'a> LogLine<'a> {
    /// Reads a line of a message log, without its line break.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        if let Some(message) = MessageLine::plain(line) {
            return Ok(Self::Message(message));
        }
        let keys: Keys<'a> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        match keys.record_kind.map(RawValue::get) {
            None | Some("\"message\"") => keys.message().map(Self::Message),
            Some("\"replacement\"") => keys.replacement().map(Self::Replacement),
            Some(other) => {
                Err(format!("recordKind: expected message or replacement, found {other}"))
            }
        }
    }

    /// The messages of the line, in order.
    #[must_use]
    pub fn messages(&self) -> &[MessageLine<'a>] {
        match self {
            Self::Message(message) => std::slice::from_ref(message),
            Self::Replacement(messages) => messages,
        }
    }

    /// Whether the line stands for everything before it.
    #[must_use]
    pub fn is_replacement(&self) -> bool {
        matches!(self, Self::Replacement(_))
    }
}

impl<'a> Keys<'a> {
    fn message(&self) -> Result<MessageLine<'a>, String> {
        let session_id = literal("sessionId", self.session_id)?;
        let tenant_id = literal("tenantId", self.tenant_id)?;
        self.message_of(session_id, tenant_id)
    }

    fn message_of(
        &self,
        session_id: &'a str,
        tenant_id: &'a str,
    ) -> Result<MessageLine<'a>, String> {
        let message = present("message", self.message)?;
        if !message.starts_with('{') {
            return Err(format!("message: expected an object, found {}", describe(message)));
        }
        let at = present("at", self.at)?;
        let Some(time) = time(at) else {
            return Err(format!("at: expected a date, found {}", describe(at)));
        };
        Ok(MessageLine {
            id: literal("id", self.id)?,
            session_id,
            tenant_id,
            message,
            at,
            time,
            idempotency_key: self.idempotency_key.map(RawValue::get),
        })
    }

    fn replacement(&self) -> Result<Vec<MessageLine<'a>>, String> {
        let session_id = literal("sessionId", self.session_id)?;
        let tenant_id = literal("tenantId", self.tenant_id)?;
        let messages = self.messages.as_ref().ok_or("missing field `messages`")?;
        let read = |(n, raw): (usize, &&'a RawValue)| {
            let keys: Result<Keys<'a>, _> =
                serde_json::from_str(raw.get()).map_err(|error| error.to_string());
            keys.and_then(|keys| keys.message_of(session_id, tenant_id))
                .map_err(|reason| format!("messages.{n}: {reason}"))
        };
        messages.iter().enumerate().map(read).collect()
    }
}

fn present<'a>(key: &str, value: Option<&'a RawValue>) -> Result<&'a str, String> {
    value.map(RawValue::get).ok_or_else(|| format!("missing field `{key}`"))
}

fn literal<'a>(key: &str, value: Option<&'a RawValue>) -> Result<&'a str, String> {
    let literal = present(key, value)?;
    if literal.starts_with('"') {
        return Ok(literal);
    }
    Err(format!("{key}: expected a string, found {}", describe(literal)))
}

fn time(literal: &str) -> Option<Timestamp> {
    Timestamp::parse(literal.strip_prefix('"')?.strip_suffix('"')?)
}

/// What a line that was written as usual ends with, dates being of one length.
const PLAIN_END: usize = r#","at":"2026-01-02T03:04:05.678Z"}"#.len();

impl<'a> MessageLine<'a> {
    /// Reads a line that is laid out as they are written, which nearly all are, and
    /// which is several times faster than reading one that may be anything. `None` for
    /// any other.
    fn plain(line: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (id, rest) = plain_string(line.strip_prefix("{\"id\":")?)?;
        let (session_id, rest) = plain_string(rest.strip_prefix(",\"sessionId\":")?)?;
        let (tenant_id, rest) = plain_string(rest.strip_prefix(",\"tenantId\":")?)?;
        let rest = rest.strip_prefix(",\"message\":")?;
        let (message, end) = rest.split_at_checked(rest.len().checked_sub(PLAIN_END)?)?;
        let at = end.strip_prefix(",\"at\":")?.strip_suffix('}')?;
        let time = time(at)?;
        if !message.starts_with('{') {
            return None;
        }
        // One value and nothing else: so the line has no other keys either.
        let message = serde_json::from_str::<&RawValue>(message).ok()?.get();
        Some(Self { id, session_id, tenant_id, message, at, time, idempotency_key: None })
    }
}

/// A string without escapes at the start of a text, and what comes after it.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('"')?;
    let (literal, rest) = text.split_at_checked(memchr::memchr(b'"', inner.as_bytes())? + 2)?;
    let is_plain = literal.bytes().all(|byte| byte >= 0x20 && byte != b'\\');
    is_plain.then_some((literal, rest))
}

impl MessageLine<'_> {
    /// Whether the line carries this id.
    #[must_use]
    pub fn has_id(&self, id: &str) -> bool {
        string(self.id).is_some_and(|text| text == id)
    }

    /// Whether the line came with an append of this key.
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        self.idempotency_key.and_then(string).is_some_and(|text| text == key)
    }

    /// Whether the line belongs to this tenant.
    #[must_use]
    pub fn is_of(&self, tenant: &str) -> bool {
        let plain = self.tenant_id.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        plain == Some(tenant) || string(self.tenant_id).is_some_and(|text| text == tenant)
    }

    /// Writes the line as JavaScript takes it: the envelope, its time as the number of
    /// a `Date`, which is read many times faster than its text.
    pub fn write_answer(&self, text: &mut String) {
        self.write_keys(text);
        let _ = write!(text, ",\"at\":{}}}", self.time.as_millis()); // a String takes any write
    }

    /// Writes the line as the envelope that is stored.
    pub fn write_envelope(&self, text: &mut String) {
        self.write_keys(text);
        text.push_str(",\"at\":");
        text.push_str(self.at);
        text.push('}');
    }

    fn write_keys(&self, text: &mut String) {
        for (key, value) in [
            ("{\"id\":", self.id),
            (",\"sessionId\":", self.session_id),
            (",\"tenantId\":", self.tenant_id),
            (",\"message\":", self.message),
        ] {
            text.push_str(key);
            text.push_str(value);
        }
    }

    /// Writes the line as [`SessionMessage::to_line`] does.
    pub fn write_line(&self, text: &mut String) {
        self.write_envelope(text);
        if let Some(key) = self.idempotency_key {
            text.pop();
            text.push_str(",\"idempotencyKey\":");
            text.push_str(key);
            text.push('}');
        }
    }
}

/// Whether a line of a log is empty, which is harmless: it has nothing but whitespace.
#[must_use]
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

impl SessionMessage {
    /// The messages of a line of a session's log, without its line break.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn from_line(line: &[u8], session: &Session) -> Result<Vec<Self>, String> {
        let line = LogLine::parse(line)?;
        let message = |line: &MessageLine<'_>| {
            let text = |raw| string(raw).filter(|text| !text.is_empty());
            Ok(Self {
                id: text(line.id).and_then(|id| MessageId::new(&id)).ok_or("id: no text")?,
                session_id: session.id.clone(),
                tenant_id: session.tenant_id.clone(),
                message: Message::from_payload(line.message).map_err(|error| error.to_string())?,
                at: line.time,
                idempotency_key: line.idempotency_key.and_then(text).map(|key| (*key).into()),
            })
        };
        line.messages().iter().map(message).collect()
    }
}

/// The line that makes later readers see `messages` instead of all that came before,
/// without its line break.
#[must_use]
pub fn replacement_line(
    session: &SessionId,
    tenant: &TenantId,
    messages: &[SessionMessage],
) -> String {
    let mut list = String::from("[");
    for (n, message) in messages.iter().enumerate() {
        if n > 0 {
            list.push(',');
        }
        let mut json = ObjectWriter::with_capacity(message.message.as_str().len() + 96);
        json.string("id", message.id.as_str());
        json.raw("message", message.message.as_str());
        json.string("at", &message.at.to_string());
        list.push_str(&json.finish());
    }
    list.push(']');
    let mut json = ObjectWriter::with_capacity(list.len() + 128);
    json.string("recordKind", "replacement");
    json.string("sessionId", session.as_str());
    json.string("tenantId", tenant.as_str());
    json.raw("messages", &list);
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Entity as _;

    fn message(key: Option<&str>) -> SessionMessage {
        SessionMessage {
            id: MessageId::generate(),
            session_id: SessionId::parse("ses_a").unwrap(),
            tenant_id: TenantId::new("t").unwrap(),
            message: Message::from_payload(r#"{"recordKind":"replacement"}"#).unwrap(),
            at: Timestamp::now(),
            idempotency_key: key.map(Into::into),
        }
    }

    #[test]
    fn a_line_reads_back_and_a_broken_one_says_why() {
        let message = message(Some("k\n1"));
        let line = message.to_line();
        let parsed = LogLine::parse(line.as_bytes()).unwrap();
        let [read] = parsed.messages() else { panic!("one message") };
        assert!(!parsed.is_replacement());
        assert!(read.has_id(message.id.as_str()) && read.has_key("k\n1") && !read.has_key("k"));
        assert!(read.is_of(message.tenant_id.as_str()));
        let mut envelope = String::new();
        read.write_envelope(&mut envelope);
        assert_eq!(envelope, message.to_json());
        let mut whole = String::new();
        read.write_line(&mut whole);
        assert_eq!(whole, line);
        assert!(LogLine::parse(line.as_bytes().get(..line.len() - 3).unwrap()).is_err());
        assert!(LogLine::parse(b"{\"id\":1}").is_err());
        assert!(LogLine::parse(&[b'{', 0xff]).is_err());
        let kind = LogLine::parse(br#"{"recordKind":"note"}"#).unwrap_err();
        assert!(kind.starts_with("recordKind"), "{kind}");
    }

    #[test]
    fn a_plain_line_is_read_as_any_other() {
        let line = message(None).to_line();
        let plain = MessageLine::plain(line.as_bytes()).unwrap();
        let keys: Keys<'_> = serde_json::from_str(&line).unwrap();
        assert_eq!(format!("{plain:?}"), format!("{:?}", keys.message().unwrap()));
        for (part, other) in [
            ("{\"id\":", "{ \"id\":"),
            ("\"at\"", "\"x\":1,\"at\""),
            ("\"message\":{", "\"message\":{},\"m\":{"),
            ("msg_", "msg\\u005f"),
            ("Z\"}", "+00:00\"}"),
            ("Z\"}", "Z\",\"idempotencyKey\":\"k\"}"),
            ("{\"recordKind\"", "{recordKind"),
            ("T", "t"),
        ] {
            let other = line.replacen(part, other, 1);
            assert!(MessageLine::plain(other.as_bytes()).is_none(), "{other}");
        }
        assert!(MessageLine::plain(b"").is_none());
    }

    #[test]
    fn a_replacement_line_holds_a_list_that_shares_its_owner() {
        let messages = [message(None), message(None)];
        let owner = &messages[0];
        let line = replacement_line(&owner.session_id, &owner.tenant_id, &messages);
        let parsed = LogLine::parse(line.as_bytes()).unwrap();
        assert!(parsed.is_replacement());
        let mut envelope = String::new();
        parsed.messages()[1].write_envelope(&mut envelope);
        assert_eq!(envelope, messages[1].to_json());
        let broken = line.replacen("\"at\"", "\"when\"", 1);
        assert!(LogLine::parse(broken.as_bytes()).unwrap_err().starts_with("messages.0"));
    }
}
