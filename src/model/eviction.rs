//! What is left of a session's messages while they are in an archive only.

use super::{Record, in_words};
use crate::{
    id::{SessionId, SubSessionId},
    json::{
        Fields, Invalid, Json, NON_EMPTY, ObjectWriter, indented, non_empty_string, object,
        whole_number,
    },
    timestamp::Timestamp,
};

/// Says that a session's messages and summary were moved into an archive, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eviction {
    /// The session whose messages are gone from here.
    pub session_id: SessionId,
    /// The edge with which they were archived.
    pub sub_session_id: SubSessionId,
    /// The bundle that has them, an opaque string.
    pub archive_ref: Box<str>,
    /// When they were moved.
    pub evicted_at: Timestamp,
    /// Whether the bundle is below the same root.
    pub same_root: bool,
    /// The restoration that is putting them back at the moment, if any.
    pub restoration: Option<Box<str>>,
    /// The idempotency keys of the messages, each with their ids.
    pub keys: Option<Json>,
    /// How many messages there are, where the bundle may not be able to tell that some are gone.
    pub messages: Option<u64>,
}

impl Eviction {
    fn decode(fields: &Fields<'_>) -> Result<Self, Invalid> {
        let text = |raw| non_empty_string(raw).map(Into::into);
        Ok(Self {
            session_id: fields.path_id("sessionId", SessionId::parse)?,
            sub_session_id: fields.path_id("subSessionId", SubSessionId::parse)?,
            archive_ref: fields.decoded("archiveRef", NON_EMPTY, text)?,
            evicted_at: fields.date("evictedAt")?,
            same_root: fields.optional("sameRoot", "`true`", truth)?.unwrap_or(false),
            restoration: fields.optional("restoration", NON_EMPTY, text)?,
            keys: fields.optional("idempotencyKeys", "an object", object)?,
            messages: fields.optional("messages", "a whole number from 0", whole_number)?,
        })
    }
}

fn truth(raw: &str) -> Option<bool> {
    (raw == "true").then_some(true)
}

impl Record for Eviction {
    fn from_record(text: &str) -> Result<Self, String> {
        Self::decode(&Fields::parse(text)?).map_err(|invalid| in_words(&invalid))
    }

    fn to_record(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("sessionId", self.session_id.as_str());
        json.string("subSessionId", self.sub_session_id.as_str());
        json.string("archiveRef", &self.archive_ref);
        json.string("evictedAt", &self.evicted_at.to_string());
        if self.same_root {
            json.raw("sameRoot", "true");
        }
        json.optional_string("restoration", self.restoration.as_deref());
        if let Some(keys) = &self.keys {
            json.raw("idempotencyKeys", keys.as_str());
        }
        if let Some(messages) = self.messages {
            json.number("messages", messages);
        }
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.session_id.as_str()
    }
}
