//! `appendMessage`, `appendMessages`, `replaceMessages` and the reading of messages.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    super::{Form, Log, Records, RecordsMut, Selection, SentMessage, Span, records::LogWriter},
    eviction, tenancy,
};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{MessageId, SessionId, TenantId},
    json::{Fields, Json},
    model::{Message, Session, SessionMessage},
    store::records::LOG_CHUNK_BYTES,
    timestamp::Timestamp,
};

/// Adds messages, all at once, and answers the ids that they got. With a key that was
/// used before, adds nothing and answers the ids of then.
pub(crate) fn append(
    records: &mut dyn RecordsMut,
    session: &SessionId,
    messages: Vec<Message>,
    key: Option<&str>,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<Vec<MessageId>> {
    tenancy::check_session(records, session, tenant)?;
    eviction::refuse(records, session)?;
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(key) = key {
        let found = tenancy::existing_session(records, session, tenant)?;
        if let Some(ids) = sent(&*records, &found, &messages, key)? {
            return Ok(ids);
        }
    }
    let lines = lines(session, tenant, messages, key, now);
    let ids = lines.iter().map(|line| line.id.clone()).collect();
    records.append(session, lines)?;
    Ok(ids)
}

/// Looks for a key in what is there to stay, so that a change that follows need not
/// read all that again while others wait for it.
pub(crate) fn look_for_key(records: &dyn Records, session: &SessionId, key: &str) -> Result<()> {
    match records.session(session)? {
        Some(session) => records.sent(&session, key).map(drop),
        None => Ok(()),
    }
}

fn sent(
    records: &(impl Records + ?Sized),
    session: &Session,
    messages: &[Message],
    key: &str,
) -> Result<Option<Vec<MessageId>>> {
    let earlier = records.sent(session, key)?;
    if earlier.is_empty() {
        return Ok(None);
    }
    let same = earlier.len() == messages.len()
        && earlier.iter().zip(messages).all(|(a, b)| is_same(&a.message, b.as_str()));
    if !same {
        return Err(Error::IdempotencyConflict {
            session_id: session.id.clone(),
            key: key.to_owned(),
            fields: differing(&earlier, messages),
        });
    }
    Ok(Some(earlier.into_iter().map(|SentMessage { id, .. }| id).collect()))
}

/// Whether two messages are the same turn: one that is built anew has another `timestamp`.
fn is_same(a: &str, b: &str) -> bool {
    let rest = |text| Fields::of_payload(text).map(|fields| fields.others(&["timestamp"])).ok();
    a == b || rest(a).is_some_and(|a| rest(b).is_some_and(|b| a == b))
}

/// The fields in which what was sent first and what came again differ, by name, never by
/// content: those of the first message that differs, after its place where there are several.
/// None where the fields only come in another order.
fn differing(earlier: &[SentMessage], messages: &[Message]) -> Vec<String> {
    /// As many are named, each shortened: a message may have any fields.
    const MOST: usize = 8;
    const LONGEST: usize = 64;
    if earlier.len() != messages.len() {
        return vec!["length".to_owned()];
    }
    let pairs = earlier.iter().map(|sent| sent.message.as_str());
    let pairs = pairs.zip(messages.iter().map(Message::as_str));
    let Some((place, (a, b))) = pairs.enumerate().find(|(_, (a, b))| !is_same(a, b)) else {
        return Vec::new();
    };
    let fields = |text| -> BTreeMap<Box<str>, Json> {
        let fields = Fields::of_payload(text).map(|fields| fields.others(&["timestamp"]));
        fields.unwrap_or_default().into_iter().collect()
    };
    let (a, b) = (fields(a), fields(b));
    let names: BTreeSet<&str> = a.keys().chain(b.keys()).map(|name| &**name).collect();
    let differ = names.into_iter().filter(|name| a.get(*name) != b.get(*name)).map(|name| {
        let name: String = name.chars().take(LONGEST).collect();
        if messages.len() == 1 { name } else { format!("{place}.{name}") }
    });
    differ.take(MOST).collect()
}

/// Makes later readers see `messages` instead of what is there.
pub(crate) fn replace(
    records: &mut dyn RecordsMut,
    session: &SessionId,
    messages: Vec<Message>,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<()> {
    let found = tenancy::existing_session(records, session, tenant)?;
    eviction::refuse(records, session)?;
    let lines = lines(session, tenant, messages, None, now);
    records.replace(&found, lines)
}

fn lines(
    session: &SessionId,
    tenant: &TenantId,
    messages: Vec<Message>,
    key: Option<&str>,
    at: Timestamp,
) -> Vec<SessionMessage> {
    let key: Option<Arc<str>> = key.map(Into::into);
    let line = |message| SessionMessage {
        id: MessageId::generate(),
        session_id: session.clone(),
        tenant_id: tenant.clone(),
        message,
        at,
        idempotency_key: key.clone(),
    };
    messages.into_iter().map(line).collect()
}

/// The selected messages as one list of at most `max_bytes`; none where there is no
/// such session, or where its messages were evicted.
pub(crate) fn load(
    records: &dyn Records,
    session: &SessionId,
    selection: &Selection,
    form: Form,
    max_bytes: u64,
    tenant: &TenantId,
) -> Result<Log> {
    let Some(found) = readable(records, session, tenant)? else {
        return refuse_range_of_evicted(records, session, selection, tenant).map(|()| none());
    };
    let fits = records.log_bytes(&found)? <= max_bytes;
    if selection.is_everything() && fits {
        return records.log(&found, form);
    }
    let mut span = records.span(&found, selection)?;
    let too_large = || Error::LogTooLarge { session_id: session.clone(), max_bytes };
    if selection.is_everything() && span.bytes() > max_bytes {
        return Err(too_large());
    }
    let mut log = LogWriter::default();
    let mut bytes = 0;
    while let Some(chunk) = records.next_chunk(&mut span, form, LOG_CHUNK_BYTES)? {
        bytes += chunk.len() as u64;
        if bytes > max_bytes {
            return Err(too_large());
        }
        log.push_array(chunk);
    }
    Ok(log.finish())
}

/// Where the selected messages are, for reading them bit by bit; `None` where there
/// are none.
pub(crate) fn open(
    records: &dyn Records,
    session: &SessionId,
    selection: &Selection,
    tenant: &TenantId,
) -> Result<Option<Span>> {
    match readable(records, session, tenant)? {
        Some(session) => records.span(&session, selection).map(Some),
        None => refuse_range_of_evicted(records, session, selection, tenant).map(|()| None),
    }
}

pub(crate) fn count(records: &dyn Records, session: &SessionId, tenant: &TenantId) -> Result<u64> {
    match readable(records, session, tenant)? {
        Some(session) => records.count(&session),
        None => Ok(0),
    }
}

/// The tenant's session, unless its messages are not here.
fn readable(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Option<Session>> {
    let Some(found) = tenancy::session(records, session, tenant)? else { return Ok(None) };
    Ok(records.eviction(session)?.is_none().then_some(found))
}

/// A message of an evicted session is not there: an empty answer would read as the end of
/// a history that a caller reads page by page.
fn refuse_range_of_evicted(
    records: &dyn Records,
    session: &SessionId,
    selection: &Selection,
    tenant: &TenantId,
) -> Result<()> {
    if mutant!(EvictedRangeEmpty) || tenancy::session(records, session, tenant)?.is_none() {
        return Ok(());
    }
    match (&selection.before, &selection.after) {
        (Some(before), _) => Err(Selection::missing("before", before)),
        (None, Some(after)) => Err(Selection::missing("after", after)),
        (None, None) => Ok(()),
    }
}

/// The log of a session that does not exist.
pub(crate) fn none() -> Log {
    LogWriter::default().finish()
}
