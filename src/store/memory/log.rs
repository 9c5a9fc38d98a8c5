//! A session's messages in memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use super::super::{
    Form, Log, LogToken, Selection, SentMessage, Span, records::LogWriter, selection::ChunkWriter,
};
use crate::{
    error::Result,
    id::MessageId,
    model::{Entity as _, SessionMessage},
};

#[derive(Debug, Default)]
pub(super) struct MemoryLog {
    /// Shared with the readers that are on their way through them.
    messages: VecDeque<Arc<SessionMessage>>,
    /// What was sent with each key, replaced since or not.
    sent: HashMap<Arc<str>, Vec<SentMessage>>,
    /// The number of the last change.
    changed: u64,
    /// The number of the last change that did more than add to it.
    holder: u64,
}

impl MemoryLog {
    pub(super) fn append(&mut self, messages: Vec<SessionMessage>) {
        for message in messages {
            if let Some(key) = &message.idempotency_key {
                let text = message.message.as_str().to_owned();
                let sent = SentMessage { id: message.id.clone(), message: text };
                self.sent.entry(Arc::clone(key)).or_default().push(sent);
            }
            self.messages.push_back(Arc::new(message));
        }
    }

    /// Takes the number of a change that is about to be made.
    pub(super) fn begin_change(&mut self, number: u64) {
        self.changed = number;
    }

    pub(super) fn token(&self) -> LogToken {
        LogToken {
            holder: [self.holder, 0],
            changed: self.changed,
            len: self.messages.len() as u64,
        }
    }

    pub(super) fn replace(&mut self, messages: Vec<SessionMessage>) {
        self.holder = self.changed;
        self.messages = messages.into_iter().map(Arc::new).collect();
    }

    /// Drops the messages, not what is known of those that were sent with a key.
    pub(super) fn evict(&mut self) {
        self.holder = self.changed;
        self.messages.clear();
    }

    /// Puts back messages that were dropped.
    pub(super) fn restore(&mut self, messages: Vec<SessionMessage>) {
        self.holder = self.changed;
        self.messages.extend(messages.into_iter().map(Arc::new));
    }

    /// The messages as the lines of a log file.
    pub(super) fn lines(&self) -> String {
        self.messages.iter().map(|message| message.to_line() + "\n").collect()
    }

    pub(super) fn all(&self, form: Form) -> Log {
        let mut log = LogWriter::of(form);
        for message in &self.messages {
            log.push(|text| write(form, text, message));
        }
        log.finish()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.messages.iter().map(|message| message.message.as_str().len() as u64).sum()
    }

    pub(super) fn count(&self) -> u64 {
        self.messages.len() as u64
    }

    pub(super) fn sent(&self, key: &str) -> Vec<SentMessage> {
        self.sent.get(key).cloned().unwrap_or_default()
    }

    pub(super) fn span(&self, selection: &Selection) -> Result<Span> {
        let end = match &selection.before {
            Some(before) => self.find("before", before)?,
            None => self.messages.len(),
        };
        let start = match &selection.after {
            Some(after) => self.find("after", after)? + 1,
            None => 0,
        };
        let start = start.min(end);
        let limit = selection.limit.and_then(|limit| usize::try_from(limit).ok());
        let wanted = limit.unwrap_or(usize::MAX).min(end - start);
        let start = if selection.after.is_some() { start } else { end - wanted };
        Ok(Span::memory(self.messages.range(start..start + wanted).cloned().collect()))
    }

    fn find(&self, argument: &str, id: &MessageId) -> Result<usize> {
        let found = self.messages.iter().rposition(|message| message.id == *id);
        found.ok_or_else(|| Selection::missing(argument, id))
    }
}

/// Takes the next messages off, as an array text; `None` when there are none.
pub(super) fn next_chunk(
    messages: &mut VecDeque<Arc<SessionMessage>>,
    form: Form,
    max_bytes: usize,
) -> Option<String> {
    let mut chunk = ChunkWriter::new(form);
    while chunk.len() < max_bytes
        && let Some(message) = messages.pop_front()
    {
        chunk.push(|form, text| write(form, text, &message));
    }
    chunk.finish()
}

fn write(form: Form, text: &mut String, message: &SessionMessage) {
    match form {
        Form::Bare => text.push_str(message.message.as_str()),
        Form::Envelope => text.push_str(&message.to_answer()),
        Form::Line => text.push_str(&message.to_line()),
    }
}
