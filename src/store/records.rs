//! What the rules of the contract need of a store: its records, one by one.

use crate::{
    error::Result,
    id::{ProjectId, SessionId, SubSessionId, TenantId},
    model::{Intent, Project, Session, SessionMessage, SubSession, Summary},
};

/// The stored lines of one session's messages, as text.
///
/// Each element is the text of a JSON array; together, in order, they hold every
/// message once. A long log comes as several so that no single string grows without
/// bound.
pub type Log = Vec<String>;

/// Longest array text in a [`Log`], unless a single message is longer.
pub(super) const LOG_CHUNK_BYTES: usize = 8 << 20;

/// The records of one store, at one instant, for reading.
pub trait Records {
    /// A project.
    ///
    /// # Errors
    /// When its record cannot be read; so with every method here.
    fn project(&self, id: &ProjectId) -> Result<Option<Project>>;

    /// A session.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn session(&self, id: &SessionId) -> Result<Option<Session>>;

    /// Who owns a session, which a store may know without reading the whole record.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn owner(&self, id: &SessionId) -> Result<Option<TenantId>> {
        Ok(self.session(id)?.map(|session| session.tenant_id))
    }

    /// An edge.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn edge(&self, id: &SubSessionId) -> Result<Option<SubSession>>;

    /// The edges, of any tenant, that name a session as their parent, in no order.
    ///
    /// # Errors
    /// When one of their records cannot be read.
    fn edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>>;

    /// The edges, of any tenant, that name a session as their child, in no order.
    ///
    /// # Errors
    /// When one of their records cannot be read.
    fn edges_to(&self, child: &SessionId) -> Result<Vec<SubSession>>;

    /// A session's summary.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn summary(&self, session: &SessionId) -> Result<Option<Summary>>;

    /// A session's messages, each as the application passed it.
    ///
    /// # Errors
    /// When the log cannot be read or a line of it is broken.
    fn messages(&self, session: &Session) -> Result<Log>;

    /// A session's messages in their envelopes.
    ///
    /// # Errors
    /// When the log cannot be read or a line of it is broken.
    fn session_messages(&self, session: &Session) -> Result<Log>;

    /// The unfinished handoff of a session.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn intent(&self, source: &SessionId) -> Result<Option<Intent>>;

    /// Every unfinished handoff, of any tenant, in the order of the sessions' ids.
    ///
    /// # Errors
    /// When one of their records cannot be read.
    fn intents(&self) -> Result<Vec<Intent>>;
}

/// The records of one store, for a mutation: what is put or removed here happens
/// together with the rest of the mutation, or not at all.
///
/// A mutation checks everything before it changes anything.
pub trait RecordsMut: Records {
    /// Stores a new project.
    ///
    /// # Errors
    /// When its place cannot be found out; so with every method here.
    fn put_project(&mut self, project: &Project) -> Result<()>;

    /// Stores a session, new or changed.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_session(&mut self, session: &Session) -> Result<()>;

    /// Removes a session with its messages and summary, not its edges.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn remove_session(&mut self, id: &SessionId) -> Result<()>;

    /// Stores an edge, new or changed.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_edge(&mut self, edge: &SubSession) -> Result<()>;

    /// Removes an edge.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn remove_edge(&mut self, id: &SubSessionId) -> Result<()>;

    /// Stores a session's summary.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_summary(&mut self, summary: &Summary) -> Result<()>;

    /// Adds messages at the end of a session's log.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn append(&mut self, session: &SessionId, messages: Vec<SessionMessage>) -> Result<()>;

    /// Stores a session's unfinished handoff, new or changed.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_intent(&mut self, intent: &Intent) -> Result<()>;

    /// Removes a session's unfinished handoff.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn remove_intent(&mut self, source: &SessionId) -> Result<()>;
}

/// Collects array texts of bounded length.
#[derive(Debug, Default)]
pub(super) struct LogWriter {
    chunks: Log,
    current: String,
}

impl LogWriter {
    /// Makes room for about `bytes` more.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.current.reserve(bytes.min(LOG_CHUNK_BYTES) + 2);
    }

    /// Adds one element, written by `write`.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut String)) {
        self.current.push(if self.current.is_empty() { '[' } else { ',' });
        write(&mut self.current);
        if self.current.len() >= LOG_CHUNK_BYTES {
            self.close();
        }
    }

    /// The collected texts; a single `[]` when nothing was added.
    pub(super) fn finish(mut self) -> Log {
        if self.chunks.is_empty() && self.current.is_empty() {
            self.current.push('[');
        }
        if !self.current.is_empty() {
            self.close();
        }
        self.chunks
    }

    fn close(&mut self) {
        self.current.push(']');
        self.chunks.push(std::mem::take(&mut self.current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_split_between_messages_and_never_empty_of_text() {
        assert_eq!(LogWriter::default().finish(), ["[]"]);
        let mut log = LogWriter::default();
        let big = "9".repeat(LOG_CHUNK_BYTES / 2);
        for _ in 0..3 {
            log.push(|text| text.push_str(&big));
        }
        let chunks = log.finish();
        assert_eq!(chunks.len(), 2);
        assert_eq!(chunks[0].len(), 2 * big.len() + 3);
        assert_eq!(chunks[1].len(), big.len() + 2);
    }
}
