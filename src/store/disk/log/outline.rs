//! What is known of a log without reading its messages: how many there are, where
//! its last replacement is, which idempotency keys were used and where.
//!
//! It is built by one pass that parses next to nothing, and kept current by reading
//! what was added since, so that no look-up reads a log twice.

use std::{collections::HashMap, ops::ControlFlow, sync::LazyLock};

use memchr::memmem::Finder;

use super::lines::{Line, Source, forward};
use crate::{engine::FileId, error::Result, json::string, model::LogLine};

/// A key inside a message cannot be mistaken for good: every hit is parsed.
static RECORD_KIND: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"recordKind\""));
static IDEMPOTENCY_KEY: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("\"idempotencyKey\""));

/// How much of what was read last tells a log from another one in its place.
const END_BYTES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Which file it is of, where the disk has it.
    file: Option<FileId>,
    /// How far the log was read: the end of a whole line.
    scanned: u64,
    /// What came right before that.
    end: Vec<u8>,
    /// Where the last replacement starts; 0 where there is none.
    base: u64,
    count: u64,
    /// Where the first line of each key is.
    keys: HashMap<Box<str>, u64>,
}

impl Outline {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Where the messages start that a reader sees.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    pub(super) fn find(&self, key: &str) -> Option<u64> {
        self.keys.get(key).copied()
    }

    /// An outline that goes on where this one ends, without its keys.
    pub(super) fn follower(&self) -> Self {
        Self {
            file: self.file,
            scanned: self.scanned,
            end: self.end.clone(),
            base: self.base,
            count: self.count,
            keys: HashMap::new(),
        }
    }

    /// Whether the outline is still one of this log, `whole` bytes long.
    pub(super) fn fits(&self, log: Source<'_>, whole: u64) -> Result<bool> {
        let start = self.scanned - self.end.len() as u64;
        Ok(self.file == log.file.id()
            && self.scanned <= whole
            && log.read_at(start, self.end.len())? == self.end)
    }

    /// Reads on up to `whole`; from the start again when the log is another one.
    pub(super) fn extend(&mut self, log: Source<'_>, whole: u64) -> Result<()> {
        if !self.fits(log, whole)? {
            *self = Self { file: log.file.id(), ..Self::default() };
        }
        if self.scanned == whole {
            return Ok(());
        }
        forward(log, self.scanned, whole, |line| {
            if line.ended {
                self.take(&line);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let start = self.scanned.saturating_sub(END_BYTES as u64);
        self.end = log.read_at(start, usize::try_from(self.scanned - start).unwrap_or(0))?;
        Ok(())
    }

    fn take(&mut self, line: &Line<'_>) {
        self.scanned = line.end();
        if line.is_blank() {
            return;
        }
        self.count += 1;
        if let Some(messages) = replaced(line.bytes) {
            self.base = line.offset;
            self.count = messages;
        } else if IDEMPOTENCY_KEY.find(line.bytes).is_some()
            && let Some(key) = key(line.bytes)
        {
            self.keys.entry(key).or_insert(line.offset);
        }
    }
}

/// How many messages a replacement line has; `None` for an ordinary line.
pub(super) fn replaced(line: &[u8]) -> Option<u64> {
    RECORD_KIND.find(line)?;
    match LogLine::parse(line) {
        Ok(LogLine::Replacement(messages)) => Some(messages.len() as u64),
        _ => None,
    }
}

/// The idempotency key of a line that has one.
fn key(line: &[u8]) -> Option<Box<str>> {
    match LogLine::parse(line) {
        Ok(LogLine::Message(message)) => Some(string(message.idempotency_key?)?.into()),
        _ => None,
    }
}
