//! Archiving where the bundle is made and read by a backend of the application, or the store
//! is reached through what the application wraps it in: what happens to the store is done
//! here, in transactions that check that all is as it was read.

use std::fmt::{self, Display};

use super::{
    bundle::Digester,
    keys::FoundKeys,
    restore::{check_claim, evicted, forget_workspace, put_back, taken},
    rules::{archivable, restorable},
    sweep::still_idle,
};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{SessionId, SubSessionId, TenantId, WorkspaceId, generate},
    json::{Fields, Json, ObjectWriter, string},
    model::{
        Entity as _, Eviction, LogLine, Record as _, Session, SubSession, SubSessionStatus,
        Summary, is_blank,
    },
    store::{Form, LogToken, RecordStore, Records, RecordsMut, Selection, rules},
    timestamp::Timestamp,
};

/// What an edge and its child were when they were read: another mark, another state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    edge: String,
    log: LogToken,
    summary: String,
}

impl Mark {
    fn of(
        records: &(impl Records + ?Sized),
        edge: &SubSession,
        child: Option<&Session>,
    ) -> Result<Option<Self>> {
        let log = match child {
            None => Some(LogToken::default()),
            Some(child) => records.log_token(child)?,
        };
        let summary = match child {
            None => None,
            Some(child) => records.raw_summary(&child.id)?,
        };
        let edge = digest(edge.to_record().as_bytes());
        Ok(log.map(|log| Self { edge, log, summary: digest(&summary.unwrap_or_default()) }))
    }

    /// Whether a later state has what was read in this one: all of it unchanged where it is
    /// to be evicted, else at least the messages.
    fn holds(&self, now: &Self, evict: bool) -> bool {
        self.edge == now.edge
            && match evict {
                true => self.log == now.log && self.summary == now.summary,
                false => now.log.continues(&self.log),
            }
    }

    /// Reads what `Display` wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut next = || parts.next();
        let (edge, summary) = (next()?.to_owned(), next()?.to_owned());
        let mut number = || next()?.parse().ok();
        let holder = [number()?, number()?];
        Some(Self { edge, summary, log: LogToken { holder, changed: number()?, len: number()? } })
    }
}

impl Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { edge, summary, log: LogToken { holder: [a, b], changed, len } } = self;
        write!(f, "{edge}.{summary}.{a}.{b}.{changed}.{len}")
    }
}

fn digest(bytes: &[u8]) -> String {
    let mut digester = Digester::default();
    digester.update(bytes);
    digester.finish().sha256
}

/// Says how an edge and its child stand; `None` where the store has no such edge, or a change
/// of the child's log is on its way.
///
/// # Errors
/// [`Error::SessionEvicted`] when the child's messages are in a bundle already, or what the
/// store refuses.
pub fn mark(store: &impl RecordStore, edge: &str, tenant: &TenantId) -> Result<Option<Mark>> {
    let Ok(id) = SubSessionId::parse(edge) else { return Ok(None) };
    store.read_consistently(|records| {
        let Some(edge) = rules::sub_sessions::get(records, &id, tenant)? else { return Ok(None) };
        let child = child_of(records, &edge, tenant)?;
        if let Some(child) = child.as_ref().filter(|_| edge.status != SubSessionStatus::Archived) {
            rules::eviction::refuse(records, &child.id)?;
        }
        Mark::of(records, &edge, child.as_ref())
    })
}

/// Whether what was read at `mark` still is what there is.
///
/// # Errors
/// As [`mark`].
pub fn holds(
    store: &impl RecordStore,
    edge: &str,
    mark: &Mark,
    evict: bool,
    tenant: &TenantId,
) -> Result<bool> {
    let now = self::mark(store, edge, tenant)?;
    Ok(now.is_some_and(|now| mark.holds(&now, evict)))
}

/// Stores an edge as archived and, with `evict`, evicts its child, where all still is as it was
/// at `mark`; answers whether it was. With `idle_since`, all must be unchanged since then too.
///
/// # Errors
/// [`Error::NotArchivable`], [`Error::SessionEvicted`], or what the store refuses.
pub async fn mark_archived<S: RecordStore>(
    store: &S,
    edge: SubSession,
    mark: Mark,
    evict: bool,
    idle_since: Option<Timestamp>,
    tenant: &TenantId,
) -> Result<bool> {
    // Nothing is added to them until `mark` is looked at in the transaction.
    let (keys, messages) = if evict { messages_of(store, &edge, tenant)? } else { (None, None) };
    let (tenant, now) = (tenant.clone(), store.now());
    store
        .lasting()
        .write(move |records| {
            let id = edge.id.to_string();
            let current = archivable(&id, rules::sub_sessions::get(&*records, &edge.id, &tenant)?)?;
            let child = child_of(&*records, &current, &tenant)?;
            if let Some(child) = &child {
                rules::eviction::refuse(&*records, &child.id)?;
                if evict && child.status.is_in_use() {
                    return Err(Error::NotArchivable { sub_session_id: id, reason: "not_idle" });
                }
            }
            if let Some(since) = idle_since {
                still_idle(&*records, &current, &tenant, since)?;
            }
            let found = Mark::of(&*records, &current, child.as_ref())?;
            if !found.is_some_and(|found| mark.holds(&found, evict)) && !mutant!(MarkUnchecked) {
                return Ok(false);
            }
            let eviction = edge.archive_ref.clone().zip(child).filter(|_| evict);
            let sub_session_id = edge.id.clone();
            rules::sub_sessions::update(records, edge, &tenant, now)?;
            if let Some((archive_ref, child)) = eviction {
                records.evict(&Eviction {
                    session_id: child.id,
                    sub_session_id,
                    archive_ref,
                    evicted_at: now,
                    same_root: false,
                    restoration: None,
                    keys,
                    messages,
                })?;
            }
            Ok(true)
        })
        .await
}

/// The idempotency keys of an edge's messages, and how many messages there are.
fn messages_of(
    store: &impl RecordStore,
    edge: &SubSession,
    tenant: &TenantId,
) -> Result<(Option<Json>, Option<u64>)> {
    /// How much is read in one step, in bytes.
    const STEP: usize = 1 << 20;
    store.read(|records| {
        let Some(session) = child_of(records, edge, tenant)? else { return Ok((None, None)) };
        let mut span = records.span(&session, &Selection::default())?;
        let mut keys = FoundKeys::default();
        while let Some(lines) = records.next_chunk(&mut span, Form::Line, STEP)? {
            keys.note(lines.as_bytes());
        }
        Ok((keys.to_json(), Some(records.count(&session)?)))
    })
}

/// The messages and the summary of a bundle that another backend read.
#[derive(Debug)]
pub struct Returned {
    /// The bundle.
    pub archive_ref: String,
    /// Text that ends with a line each.
    pub lines: Vec<String>,
    /// The summary, as the API has it.
    pub summary: Option<String>,
}

/// The evicted messages of a session, put back and not yet visible until its eviction ends.
#[derive(Debug)]
pub struct Restoration {
    /// The eviction, with the claim under which they were put back.
    pub eviction: Eviction,
    /// The record of the session's summary.
    pub summary: Option<String>,
}

impl Restoration {
    /// The text that [`Restoration::from_text`] reads.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("eviction", &self.eviction.to_record());
        json.optional_string("summary", self.summary.as_deref());
        json.finish()
    }

    /// Reads what [`Restoration::to_text`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let fields = Fields::parse(text).ok()?;
        let eviction = fields.decoded("eviction", "", string).ok()?;
        let summary = |raw| string(raw).map(Into::into);
        Some(Self {
            eviction: Eviction::from_record(&eviction).ok()?,
            summary: fields.optional("summary", "a record", summary).ok()?,
        })
    }
}

/// Puts the messages of an evicted session back where `returned` is the bundle that its eviction
/// names; `None` where the session is not evicted.
///
/// # Errors
/// [`Error::SessionEvicted`] when they are in another bundle, [`Error::ArchiveNotFound`] when
/// what is returned is not the session's, or what the store refuses.
pub async fn put_back_returned<S: RecordStore>(
    store: &S,
    session: &str,
    returned: Returned,
    tenant: &TenantId,
) -> Result<Option<Restoration>> {
    let Returned { archive_ref, lines, summary } = returned;
    let summary = summary.as_deref().map(Summary::from_payload).transpose();
    let summary = summary.map_err(|invalid| Error::argument("summaryRef", invalid))?;
    let found = match evicted(store, session, tenant) {
        Err(Error::NotFound { .. }) => None,
        found => found?,
    };
    let Some((child, eviction)) = found else { return Ok(None) };
    if *eviction.archive_ref != *archive_ref && !mutant!(RestoreAnyBundle) {
        return Err(rules::eviction::evicted(eviction));
    }
    if !is_about(&child, &lines, summary.as_ref()) && !mutant!(BundleOfAnother) {
        return Err(Error::ArchiveNotFound { archive_ref, reason: "corrupt" });
    }
    if eviction.messages.is_some_and(|evicted| evicted != count(&lines)) {
        return Err(Error::ArchiveNotFound { archive_ref, reason: "incomplete" });
    }
    let eviction = Eviction { restoration: Some(generate("").into()), ..eviction };
    let mut lines = lines.into_iter();
    let next = |_| Ok(lines.next().map(String::into_bytes).unwrap_or_default());
    put_back(&store.lasting(), &child, &eviction, next).await?;
    Ok(Some(Restoration { eviction, summary: summary.map(|summary| summary.to_record()) }))
}

fn count(lines: &[String]) -> u64 {
    let lines = lines.iter().flat_map(|lines| lines.split('\n'));
    lines.filter(|line| !is_blank(line.as_bytes())).count() as u64
}

/// Stores an edge as restored from `archive_ref`, and ends its child's eviction, where the edge
/// still reads as `kept` says; answers whether it does.
///
/// # Errors
/// [`Error::NotArchived`] when it is not archived there any more, [`Error::SessionEvicted`] when
/// its child is still evicted, or what the store refuses.
pub async fn mark_restored<S: RecordStore>(
    store: &S,
    edge: SubSession,
    archive_ref: String,
    kept: String,
    restoration: Option<Restoration>,
    gone_workspace: Option<String>,
    tenant: &TenantId,
) -> Result<bool> {
    let gone = gone_workspace.as_deref().and_then(WorkspaceId::new);
    let (tenant, now) = (tenant.clone(), store.now());
    store
        .lasting()
        .write(move |records| {
            let id = edge.id.to_string();
            let current = rules::sub_sessions::get(&*records, &edge.id, &tenant)?;
            let (current, current_ref) = restorable(&id, current)?;
            if *current_ref != *archive_ref {
                return Err(Error::NotArchived { sub_session_id: id, reason: "not_archived" });
            }
            if current.to_answer() != kept {
                return Ok(false);
            }
            end(records, restoration.as_ref(), &current.child_session_id)?;
            forget_workspace(records, &current.child_session_id, &tenant, gone.as_ref(), now)?;
            rules::sub_sessions::put(records, current, edge, now)?;
            Ok(true)
        })
        .await
}

/// Ends an eviction whose messages were put back.
///
/// # Errors
/// [`Error::SessionEvicted`] when another restoration is at it, or what the store refuses.
pub async fn end_eviction<S: RecordStore>(store: &S, restoration: Restoration) -> Result<()> {
    store
        .lasting()
        .write(move |records| {
            check_claim(&*records, &restoration.eviction)?;
            records.end_eviction(&restoration.eviction.session_id, restoration.summary.as_deref())
        })
        .await
}

fn end(
    records: &mut dyn RecordsMut,
    restoration: Option<&Restoration>,
    child: &SessionId,
) -> Result<()> {
    let Some(Restoration { eviction, summary }) = restoration else {
        return rules::eviction::refuse(&*records, child);
    };
    if eviction.session_id != *child {
        return Err(taken(eviction));
    }
    check_claim(&*records, eviction)?;
    records.end_eviction(&eviction.session_id, summary.as_deref())
}

/// Whether what a bundle has is about this session and its tenant: with anything else it
/// could not be read.
fn is_about(session: &Session, texts: &[String], summary: Option<&Summary>) -> bool {
    let is_own = |line: &str| {
        let parsed = LogLine::parse(line.as_bytes());
        parsed.is_ok_and(|line| {
            line.messages().iter().all(|message| message.is_of(session.tenant_id.as_str()))
        })
    };
    texts.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty()).all(is_own)
        && summary.is_none_or(|summary| {
            summary.session_ref == session.id && summary.tenant_id == session.tenant_id
        })
}

/// An edge's child; `None` for one that is missing.
fn child_of(
    records: &dyn Records,
    edge: &SubSession,
    tenant: &TenantId,
) -> Result<Option<Session>> {
    rules::sessions::get(records, &edge.child_session_id, tenant)
}
