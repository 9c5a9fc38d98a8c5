//! What a session hands over: a file, a summary, a message, a stored blob.

use serde_json::value::RawValue;

use crate::json::{Fields, Invalid, Json, NON_EMPTY, date, non_empty_string, words};
use crate::timestamp::Timestamp;

words! {
    /// The kinds of deliverable.
    DeliverableKind {
        File = "file",
        SessionSummary = "session_summary",
        Message = "message",
        ArtifactBlob = "artifact_blob",
    }
}

/// A deliverable, kept as the application wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverableRef(Json);

impl DeliverableRef {
    /// Checks the id, the kind, and the date of a summary, which is read back as one.
    ///
    /// # Errors
    /// [`Invalid`], with the field named below the deliverable.
    pub fn parse(raw: &RawValue) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(raw.get())?;
        fields.decoded("id", NON_EMPTY, non_empty_string)?;
        let kind: DeliverableKind = fields.word("kind")?;
        if kind == DeliverableKind::SessionSummary {
            fields.decoded("at", Timestamp::EXPECTED, date)?;
        }
        Ok(Self(Json::from(raw)))
    }

    /// The deliverable's JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.0
    }
}
