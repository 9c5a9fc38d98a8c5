//! Which messages of a log a reader wants, and how far it has come.

use std::{collections::VecDeque, sync::Arc};

use super::disk::OpenLog;
use crate::{
    error::Error,
    id::MessageId,
    json::{Fields, Invalid, NON_EMPTY, string, whole_number},
    model::SessionMessage,
};

/// Which messages of a log are wanted: those between `after` and `before`; of these
/// the first `limit` where there is an `after`, otherwise the last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The most messages that are wanted.
    pub limit: Option<u64>,
    /// Only messages before this one.
    pub before: Option<MessageId>,
    /// Only messages after this one.
    pub after: Option<MessageId>,
}

impl Selection {
    /// Reads `{ limit?, before?, after? }`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let id = |key| fields.optional(key, NON_EMPTY, |raw| MessageId::new(&string(raw)?));
        Ok(Self {
            limit: fields.optional("limit", "a whole number from 0", whole_number)?,
            before: id("before")?,
            after: id("after")?,
        })
    }

    /// Whether every message is wanted.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// The refusal of a selection whose `before` or `after` names a message that is not there.
    pub(crate) fn missing(argument: &str, id: &MessageId) -> Error {
        Error::InvalidArgument {
            argument: format!("options.{argument}"),
            expected: "the id of a message that the session has now".to_owned(),
            received: format!("string \"{id}\""),
        }
    }
}

/// How a message is written for its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As the application passed it.
    Bare,
    /// In its envelope: who it belongs to, and when it came, which is a date's text or
    /// its number.
    Envelope,
    /// As a line of a log of its own: in its envelope, with its idempotency key.
    Line,
}

/// Collects messages in one form.
#[derive(Debug)]
pub(super) struct ChunkWriter {
    form: Form,
    text: String,
}

impl ChunkWriter {
    pub(super) fn new(form: Form) -> Self {
        Self { form, text: String::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds one message, written by `write`.
    pub(super) fn push(&mut self, write: impl FnOnce(Form, &mut String)) {
        if self.form == Form::Line {
            write(self.form, &mut self.text);
            self.text.push('\n');
        } else {
            self.text.push(if self.text.is_empty() { '[' } else { ',' });
            write(self.form, &mut self.text);
        }
    }

    /// The text of what was added; `None` when nothing was.
    pub(super) fn finish(mut self) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        if self.form != Form::Line {
            self.text.push(']');
        }
        Some(self.text)
    }
}

/// The messages that a reader is still to get: a selection, resolved.
///
/// What is appended after the selection was resolved is not part of it.
#[derive(Debug, Clone)]
pub struct Span {
    pub(super) place: SpanPlace,
    /// The most messages that are still wanted.
    pub(super) left: Option<u64>,
}

/// Where the messages are.
#[derive(Debug, Clone)]
pub(super) enum SpanPlace {
    /// In a file, between two positions.
    File(FileSpan),
    /// In memory.
    Memory(VecDeque<Arc<SessionMessage>>),
}

/// A part of a log file that is kept open: it is read as it was when the span was resolved,
/// whatever becomes of the session meanwhile.
#[derive(Debug, Clone)]
pub(super) struct FileSpan {
    pub(super) log: Arc<OpenLog>,
    /// The next message.
    pub(super) at: Position,
    /// The first message that is no longer wanted.
    pub(super) end: Position,
    /// How long the log was, in whole lines, when the span was resolved.
    pub(super) known: u64,
}

/// Where a message is in a log file: the offset of its line, then its place in the
/// line's list, which has one message in an ordinary line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) line: u64,
    pub(super) index: u64,
}

impl Position {
    /// Where a line starts.
    pub(super) fn of_line(line: u64) -> Self {
        Self { line, index: 0 }
    }

    /// The position right after this one, in the same line or past its last message.
    pub(super) fn next(self) -> Self {
        Self { index: self.index + 1, ..self }
    }
}

impl Span {
    pub(super) fn memory(messages: VecDeque<Arc<SessionMessage>>) -> Self {
        Self { place: SpanPlace::Memory(messages), left: None }
    }

    /// At most how many bytes the selected messages take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.place {
            SpanPlace::File(FileSpan { at, end, .. }) => end.line.saturating_sub(at.line),
            SpanPlace::Memory(messages) => {
                messages.iter().map(|message| message.message.as_str().len() as u64).sum()
            }
        }
    }
}
