//! Plain data: what a store keeps, how a record reads and writes its JSON text.
//!
//! Each entity reads from a payload (what an application passes in) and, where it
//! has a file of its own, from a record (what a root holds): a record may have
//! keys that this version does not know, which survive our rewriting it.

mod actor;
mod deliverable;
mod eviction;
mod intent;
mod log_line;
mod message;
mod project;
mod project_config;
mod session;
mod sub_session;
mod summary;
mod unknown;

pub use actor::ActorRef;
pub use deliverable::DeliverableRef;
pub use eviction::Eviction;
pub use intent::{HandoffMode, Intent};
pub use log_line::{LogLine, MessageLine, is_blank, replacement_line};
pub use message::{Message, SessionMessage};
pub use project::{NewProject, Project};
pub use project_config::{ProjectConfig, ProjectConfigPart, RetentionPolicy};
pub use session::{NewSession, Session, SessionStatus, SessionView};
pub use sub_session::{
    CompletionMode, FailureMode, NewSubSession, SubSession, SubSessionKind, SubSessionStatus,
};
pub use summary::Summary;
pub use unknown::UnknownKeys;

use crate::{
    json::{Invalid, ObjectWriter},
    timestamp::Timestamp,
};

/// An entity that has a JSON file of its own in the record tree.
pub trait Record: Sized {
    /// Reads the text of such a file.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    fn from_record(text: &str) -> Result<Self, String>;

    /// The text of such a file: two-space indentation, no newline at the end.
    fn to_record(&self) -> String;

    /// The id that the record carries, which its folder is named after.
    fn record_id(&self) -> &str;
}

/// An entity that an application passes in as a payload and gets back as a value.
pub trait Entity: Sized {
    /// The value as JSON text with the API's keys in their order.
    fn to_json(&self) -> String;

    /// As [`Entity::to_json`], for JavaScript: dates may be the numbers of a `Date`, as
    /// the facade makes one of either form.
    fn to_answer(&self) -> String {
        self.to_json()
    }
}

/// How the dates of an entity are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    /// As a record has them: the text of `toISOString`.
    Texts,
    /// As JavaScript takes them: the number of a `Date`, which is written and read many
    /// times faster.
    Numbers,
}

impl Dates {
    fn write(self, json: &mut ObjectWriter, key: &str, at: Timestamp) {
        match self {
            Self::Texts => json.string(key, &at.to_string()),
            Self::Numbers => json.raw(key, &at.as_millis().to_string()),
        };
    }
}

fn in_words(invalid: &Invalid) -> String {
    invalid.to_string()
}
