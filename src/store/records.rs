//! What the rules of the contract need of a store: its records, one by one.

use super::{Form, Order, Selection, Span};
use crate::{
    error::{Error, Result},
    id::{ArchiveRef, MessageId, ProjectId, SessionId, SubSessionId, TenantId},
    model::{Eviction, Intent, Project, Session, SessionMessage, SubSession, Summary},
    timestamp::Timestamp,
};

/// The stored lines of one session's messages, as text.
///
/// Each element is the text of a JSON array, or of whole lines in [`Form::Line`];
/// together, in order, they hold every message once. A long log comes as several so
/// that no single string grows without bound.
pub type Log = Vec<String>;

/// Longest text in a [`Log`] of lines or of selected messages, unless a single message is longer.
pub(super) const LOG_CHUNK_BYTES: usize = 8 << 20;

/// About how long the array texts of a whole log are. To V8 a string of more than 128 KiB is a
/// large object, whose memory is taken from the system for each and given back; and a character
/// beyond Latin-1 makes all of a string's characters take two bytes.
const ARRAY_TEXT_BYTES: usize = 60 << 10;

/// Room for the last message of an array text, which may go beyond that.
const ARRAY_TEXT_SLACK: usize = 4 << 10;

/// A record that is created on its own, and may be listed.
#[derive(Debug, Clone, Copy)]
pub enum Created<'r> {
    /// A project.
    Project(&'r ProjectId),
    /// A session.
    Session(&'r SessionId),
    /// An edge.
    Edge(&'r SubSessionId),
}

impl<'r> From<&'r ProjectId> for Created<'r> {
    fn from(id: &'r ProjectId) -> Self {
        Self::Project(id)
    }
}

impl<'r> From<&'r SessionId> for Created<'r> {
    fn from(id: &'r SessionId) -> Self {
        Self::Session(id)
    }
}

impl<'r> Created<'r> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> &'r str {
        match self {
            Self::Project(id) => id.as_str(),
            Self::Session(id) => id.as_str(),
            Self::Edge(id) => id.as_str(),
        }
    }
}

/// What a store finds for a list, in no order.
#[derive(Debug)]
pub struct Listed<I> {
    /// The records that can be read, with the time at which each was created.
    pub found: Vec<(Timestamp, I)>,
    /// Those that cannot, and why.
    pub damaged: Vec<(I, Error)>,
}

impl<I> Default for Listed<I> {
    fn default() -> Self {
        Self { found: Vec::new(), damaged: Vec::new() }
    }
}

/// The records of one store, at one instant, for reading.
pub trait Records {
    /// A project.
    ///
    /// # Errors
    /// When its record cannot be read; so with every method here.
    fn project(&self, id: &ProjectId) -> Result<Option<Project>>;

    /// Who owns a project.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn project_owner(&self, id: &ProjectId) -> Result<Option<TenantId>> {
        Ok(self.project(id)?.map(|project| project.tenant_id))
    }

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

    /// As [`Records::edges_from`], without a look for what other programs changed elsewhere
    /// than in the parent's own folder.
    ///
    /// # Errors
    /// When something cannot be read.
    fn known_edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>> {
        self.edges_from(parent)
    }

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

    /// Where a record comes among those that were created in the same millisecond.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn order(&self, of: Created<'_>) -> Result<Order>;

    /// Whether a tenant owns a record, by what is known of it without reading it; `None`
    /// where nothing is.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn is_owned(&self, of: Created<'_>, tenant: &TenantId) -> Result<Option<bool>>;

    /// The projects of any tenant.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn projects(&self) -> Result<Listed<ProjectId>>;

    /// The ids of what may be the sessions of a project, of any tenant, in no order;
    /// their records are not read.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn session_ids(&self, project: &ProjectId) -> Result<Vec<SessionId>>;

    /// The sessions, of any tenant, that are in a project by their own records. Those that
    /// cannot be read are in the project that has their folders.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn sessions_of(&self, project: &ProjectId) -> Result<Listed<SessionId>>;

    /// A session that is in a project by its own record, where several projects have one of
    /// that id.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn session_of(&self, project: &ProjectId, id: &SessionId) -> Result<Option<Session>>;

    /// Every message of a session.
    ///
    /// # Errors
    /// When the log cannot be read or a line of it is broken; so with every method
    /// about logs.
    fn log(&self, session: &Session, form: Form) -> Result<Log>;

    /// At most how many bytes the messages of a session take.
    ///
    /// # Errors
    /// When the log cannot be looked at.
    fn log_bytes(&self, session: &Session) -> Result<u64>;

    /// Which state of its log a session has now; `None` while that cannot be told, as a
    /// change of it is on its way.
    ///
    /// # Errors
    /// When the log cannot be looked at.
    fn log_token(&self, session: &Session) -> Result<Option<LogToken>>;

    /// Where the selected messages of a session are. The span is of what is there now: what
    /// is added, replaced, evicted or deleted later changes nothing of it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) when the selection
    /// names a message that is not there.
    fn span(&self, session: &Session, selection: &Selection) -> Result<Span>;

    /// The next messages of a span, as an array text of about `max_bytes` or a single
    /// message; `None` when there are no more.
    ///
    /// # Errors
    /// When the log cannot be read or a line of it is broken.
    fn next_chunk(&self, span: &mut Span, form: Form, max_bytes: usize) -> Result<Option<String>>;

    /// The unfinished handoff of a session.
    ///
    /// # Errors
    /// When its record cannot be read.
    fn intent(&self, source: &SessionId) -> Result<Option<Intent>>;

    /// The sessions that have an unfinished handoff, of any tenant, in the order of their
    /// ids; the handoffs' records are not read.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn intended(&self) -> Result<Vec<SessionId>>;

    /// How many messages a session has; a line is counted without being read.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn count(&self, session: &Session) -> Result<u64>;

    /// What was sent to a session with an idempotency key, in order.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn sent(&self, session: &Session, key: &str) -> Result<Vec<SentMessage>>;

    /// Where the messages of a session are, when they were evicted.
    ///
    /// # Errors
    /// When that cannot be read.
    fn eviction(&self, session: &SessionId) -> Result<Option<Eviction>>;

    /// Up to `max_bytes` of a session's log as it is stored, from `offset` on.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn raw_log(&self, session: &Session, offset: u64, max_bytes: usize) -> Result<Vec<u8>>;

    /// A session's summary as it is stored.
    ///
    /// # Errors
    /// When it cannot be read.
    fn raw_summary(&self, session: &SessionId) -> Result<Option<Vec<u8>>>;

    /// Whether a bundle beside the records has been written and only lacks its marker.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn bundle_waits(&self, archive_ref: &ArchiveRef) -> Result<bool>;

    /// The bundles beside the records that lack their marker.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn unsealed_bundles(&self) -> Result<Vec<ArchiveRef>>;
}

/// Tells one state of a session's log from another, of whatever length: each change of the
/// log, its eviction and its return included, gives it another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogToken {
    /// What holds the messages: another one once they were replaced as a whole.
    pub holder: [u64; 2],
    /// Moves with each change.
    pub changed: u64,
    /// How long the log is.
    pub len: u64,
}

impl LogToken {
    /// Whether a log in this state has all that it had in an earlier one: it was added to.
    #[must_use]
    pub fn continues(&self, earlier: &Self) -> bool {
        earlier.len == 0 || (self.holder == earlier.holder && self.len >= earlier.len)
    }
}

/// A message that was sent with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The id that it got.
    pub id: MessageId,
    /// Its text.
    pub message: String,
}

/// The records of one store, for a mutation: what is put or removed here happens
/// together with the rest of the mutation, or not at all.
///
/// A mutation checks everything before it changes anything.
pub trait RecordsMut: Records {
    /// Takes note of a record that this mutation has created for a tenant: it comes after all
    /// that were created before it.
    ///
    /// # Errors
    /// When its place cannot be found out; so with every method here.
    fn created(&mut self, new: Created<'_>, owner: &TenantId) -> Result<()>;

    /// Stores a project, new or changed.
    ///
    /// # Errors
    /// When its place cannot be found out; so with every method here.
    fn put_project(&mut self, project: &Project) -> Result<()>;

    /// Stores a session, new or changed.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_session(&mut self, session: &Session) -> Result<()>;

    /// Removes a session with its messages and summary, neither its edges nor its
    /// unfinished handoff.
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

    /// Makes later readers see `messages` instead of what a session's log has.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn replace(&mut self, session: &Session, messages: Vec<SessionMessage>) -> Result<()>;

    /// Removes a session's messages and summary, which are in an archive from now on.
    ///
    /// # Errors
    /// When its place cannot be found out; so with every method here.
    fn evict(&mut self, eviction: &Eviction) -> Result<()>;

    /// Says anew how an eviction stands.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn put_eviction(&mut self, eviction: &Eviction) -> Result<()>;

    /// Puts whole lines back into the log of an evicted session, from `offset` on.
    ///
    /// # Errors
    /// When its place cannot be found out, or a line is broken.
    fn put_back(&mut self, session: &Session, offset: u64, lines: &[u8]) -> Result<()>;

    /// Ends an eviction, and puts the summary back where there was one.
    ///
    /// # Errors
    /// When its place cannot be found out, or the summary is broken.
    fn end_eviction(&mut self, session: &SessionId, summary: Option<&str>) -> Result<()>;

    /// Puts the marker of a bundle beside the records, which makes it complete.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn seal_bundle(&mut self, archive_ref: &ArchiveRef, marker: &str) -> Result<()>;

    /// Removes a bundle beside the records.
    ///
    /// # Errors
    /// When its place cannot be found out.
    fn remove_bundle(&mut self, archive_ref: &ArchiveRef) -> Result<()>;
}

/// Collects array texts, or texts of whole lines, of bounded length.
#[derive(Debug, Default)]
pub(super) struct LogWriter {
    lines: bool,
    chunks: Log,
    current: String,
}

impl LogWriter {
    /// A log of messages in one form.
    pub(super) fn of(form: Form) -> Self {
        Self { lines: form == Form::Line, ..Self::default() }
    }

    /// Makes room for about `bytes` more.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.current.reserve(bytes.min(self.most() + ARRAY_TEXT_SLACK));
    }

    /// Adds one element, written by `write`.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut String)) {
        if self.lines {
            write(&mut self.current);
            self.current.push('\n');
        } else {
            self.current.push(if self.current.is_empty() { '[' } else { ',' });
            write(&mut self.current);
        }
        if self.current.len() >= self.most() {
            self.close();
            if !self.lines {
                self.reserve(ARRAY_TEXT_BYTES + ARRAY_TEXT_SLACK);
            }
        }
    }

    /// How long a text may become.
    fn most(&self) -> usize {
        if self.lines { LOG_CHUNK_BYTES } else { ARRAY_TEXT_BYTES }
    }

    /// Drops everything that was added.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        self.current.clear();
    }

    /// Adds the elements of an array text that has some.
    pub(super) fn push_array(&mut self, array: String) {
        if !self.current.is_empty() {
            self.close();
        }
        self.chunks.push(array);
    }

    /// The collected texts; of arrays, a single `[]` when nothing was added.
    pub(super) fn finish(mut self) -> Log {
        if !self.lines && self.chunks.is_empty() && self.current.is_empty() {
            self.current.push('[');
        }
        if !self.current.is_empty() {
            self.close();
        }
        self.chunks
    }

    fn close(&mut self) {
        if !self.lines {
            self.current.push(']');
        }
        self.chunks.push(std::mem::take(&mut self.current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_split_between_messages_and_never_empty_of_text() {
        assert_eq!(LogWriter::default().finish(), ["[]"]);
        for (form, most) in [(Form::Bare, ARRAY_TEXT_BYTES), (Form::Line, LOG_CHUNK_BYTES)] {
            let mut log = LogWriter::of(form);
            let big = "9".repeat(most / 2);
            for _ in 0..3 {
                log.push(|text| text.push_str(&big));
            }
            let chunks = log.finish();
            assert_eq!(chunks.len(), 2);
            // In an array a bracket or a comma before each and one at the end, else line breaks.
            let others = if form == Form::Line { [2, 1] } else { [3, 2] };
            assert_eq!(chunks[0].len(), 2 * big.len() + others[0]);
            assert_eq!(chunks[1].len(), big.len() + others[1]);
        }
    }
}
