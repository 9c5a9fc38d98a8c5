//! What there is to archive of an edge, and its way into a bundle.

use std::cell::RefCell;

use super::{
    bundle::{DiskArchive, Identity, MESSAGES, ORIGINAL_MESSAGES, ORIGINAL_SUMMARY, Writer},
    keys::FoundKeys,
    request::ArchiveRequest,
    rules::archivable,
    sweep::still_idle,
};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{SessionId, SubSessionId},
    json::Json,
    model::{Entity as _, Record as _, Session, SessionStatus, SubSession, Summary},
    store::{Form, LogToken, RecordStore, Records, Selection, Span, rules},
};

/// How much of a log is read in one step, in bytes.
const STEP: usize = 1 << 20;

/// What there is to archive, as it was read.
pub(super) struct Snapshot {
    pub(super) edge: SubSession,
    pub(super) child: Option<Session>,
    /// How long the child's log was.
    pub(super) log_bytes: u64,
    /// Which state of the log was read.
    token: Option<LogToken>,
    /// The log as it was stored, where it is small and is to be evicted.
    raw_log: Option<Vec<u8>>,
    /// The child's summary as it was stored, where it is to be evicted.
    pub(super) raw_summary: Option<Vec<u8>>,
    summary: Option<Summary>,
    messages: Messages,
    /// The idempotency keys of the messages that were written, where they are to be evicted.
    pub(super) keys: FoundKeys,
}

/// The child's messages.
enum Messages {
    /// The lines of a log that is small.
    Read(Vec<String>),
    /// Where they are in a log that is not.
    At(Span),
}

/// Refuses to evict a session that is in use, whatever its edge says.
pub(super) fn evictable(
    records: &(impl Records + ?Sized),
    child: &SessionId,
    request: &ArchiveRequest,
) -> Result<()> {
    let status = records.session(child)?.map(|session| session.status);
    if status.is_some_and(SessionStatus::is_in_use) {
        let sub_session_id = request.sub_session_id.clone();
        return Err(Error::NotArchivable { sub_session_id, reason: "not_idle" });
    }
    Ok(())
}

impl Snapshot {
    /// Reads all of it but the messages of a log that is not small, of one instant.
    pub(super) fn of(store: &impl RecordStore, request: &ArchiveRequest) -> Result<Self> {
        store.read_consistently(|records| Self::take(records, request))
    }

    fn take(records: &dyn Records, request: &ArchiveRequest) -> Result<Self> {
        let id = SubSessionId::parse(&request.sub_session_id).ok();
        let edge = match &id {
            Some(id) => rules::sub_sessions::get(records, id, &request.tenant_id)?,
            None => None, // what cannot exist is missing
        };
        let edge = archivable(&request.sub_session_id, edge)?;
        let child = rules::sessions::get(records, &edge.child_session_id, &request.tenant_id)?;
        let Some(child) = child else {
            return Ok(Self {
                edge,
                child,
                log_bytes: 0,
                token: None,
                raw_log: None,
                raw_summary: None,
                summary: None,
                messages: Messages::Read(Vec::new()),
                keys: FoundKeys::default(),
            });
        };
        rules::eviction::refuse(records, &child.id)?;
        if request.evict {
            evictable(records, &child.id, request)?;
        }
        if let Some(since) = request.idle_since {
            still_idle(records, &edge, &request.tenant_id, since)?;
        }
        let log_bytes = records.log_bytes(&child)?;
        let is_small = log_bytes <= STEP as u64;
        Ok(Self {
            edge,
            summary: rules::summaries::of(records, &child, &request.tenant_id)?,
            raw_summary: if request.evict { records.raw_summary(&child.id)? } else { None },
            log_bytes,
            token: records.log_token(&child)?,
            raw_log: match request.evict && is_small {
                true => Some(records.raw_log(&child, 0, STEP)?),
                false => None,
            },
            messages: if is_small {
                Messages::Read(records.log(&child, Form::Line)?)
            } else {
                Messages::At(records.span(&child, &Selection::default())?)
            },
            keys: FoundKeys::default(),
            child: Some(child),
        })
    }

    /// Writes a bundle of it, all but the marker.
    pub(super) fn write(
        &mut self,
        store: &impl RecordStore,
        archive: &DiskArchive,
        request: &ArchiveRequest,
    ) -> Result<Writer> {
        let mut writer = Writer::new(archive)?;
        let keys = self.write_messages(store, &mut writer)?;
        if request.evict {
            self.keys = keys;
        }
        if request.evict
            && let Some(child) = &self.child
        {
            self.write_originals(store, &mut writer, child)?;
        }
        let summary = self.summary.as_ref();
        writer.identity(&Identity {
            sub_session_id: request.sub_session_id.clone(),
            session_id: self.edge.child_session_id.to_string(),
            tenant_id: request.tenant_id.as_str().to_owned(),
            summary: summary.and_then(|summary| Json::parse(&summary.to_json()).ok()),
            workspace: request.workspace.clone(),
        })?;
        writer.read_back()?;
        Ok(writer)
    }

    /// Writes the messages; returns their idempotency keys.
    fn write_messages(&self, store: &impl RecordStore, writer: &mut Writer) -> Result<FoundKeys> {
        let mut keys = FoundKeys::default();
        let mut note = |lines: String| {
            keys.note(lines.as_bytes());
            lines.into_bytes()
        };
        match &self.messages {
            Messages::Read(lines) => {
                let mut lines = lines.iter();
                writer.messages(|| Ok(lines.next().map(|lines| note(lines.clone()))))?;
            }
            Messages::At(span) => {
                let span = RefCell::new(span.clone());
                writer.messages(|| {
                    let lines = store.read(|records| {
                        records.next_chunk(&mut span.borrow_mut(), Form::Line, STEP)
                    })?;
                    Ok(lines.map(&mut note))
                })?;
            }
        }
        Ok(keys)
    }

    /// Copies the log and the summary to the byte, where the bundle does not have them so.
    fn write_originals(
        &self,
        store: &impl RecordStore,
        writer: &mut Writer,
        child: &Session,
    ) -> Result<()> {
        let piece = |offset: u64| {
            if let Some(raw) = &self.raw_log {
                let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                return Ok(raw.get(offset..).unwrap_or_default().to_vec());
            }
            let left = usize::try_from(self.log_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
            store.read(|records| records.raw_log(child, offset, left.min(STEP)))
        };
        let pieces = || {
            let mut offset = 0;
            move || {
                let bytes = if offset < self.log_bytes { piece(offset)? } else { Vec::new() };
                offset += bytes.len() as u64;
                Ok::<_, Error>((!bytes.is_empty()).then_some(bytes))
            }
        };
        if !writer.is_same(MESSAGES, pieces())? {
            writer.stream(ORIGINAL_MESSAGES, pieces())?;
        }
        if let (Some(raw), Some(summary)) = (&self.raw_summary, &self.summary) {
            let rewritten =
                Summary::from_payload(&summary.to_json()).map(|summary| summary.to_record());
            if rewritten.map_or(true, |text| text.as_bytes() != raw.as_slice()) {
                writer.file(ORIGINAL_SUMMARY, raw)?;
            }
        }
        Ok(())
    }

    /// Whether what was written is what was read: the log of then, added to at most, and where
    /// it is to be evicted nothing else than what there is now. The bytes of a log that is small
    /// are compared as well.
    pub(super) fn holds(
        &self,
        records: &(impl Records + ?Sized),
        child: &Session,
        evict: bool,
    ) -> Result<bool> {
        let (Some(then), Some(now)) = (self.token, records.log_token(child)?) else {
            return Ok(false);
        };
        if mutant!(CompareLogLengths) {
            return Ok(now.len == then.len);
        }
        if !evict {
            return Ok(now.continues(&then));
        }
        Ok(now == then
            && records.raw_summary(&child.id)? == self.raw_summary
            && match &self.raw_log {
                Some(raw) => records.raw_log(child, 0, STEP)? == *raw,
                None => true,
            })
    }
}
