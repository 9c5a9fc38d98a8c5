//! `appendMessage`, `loadMessages`, `loadSessionMessages`.

use super::{
    super::{Log, Records, RecordsMut, records::LogWriter},
    tenancy,
};
use crate::{
    error::Result,
    id::{MessageId, SessionId, TenantId},
    model::{Message, Session, SessionMessage},
    timestamp::Timestamp,
};

pub(in crate::store) fn append(
    records: &mut dyn RecordsMut,
    session: &SessionId,
    message: Message,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<MessageId> {
    tenancy::existing_session(records, session, tenant)?;
    let id = MessageId::generate();
    let line = SessionMessage {
        id: id.clone(),
        session_id: session.clone(),
        tenant_id: tenant.clone(),
        message,
        at: now,
    };
    records.append(session, vec![line])?;
    Ok(id)
}

/// The messages of a session that `load` finds; none where there is no session.
pub(in crate::store) fn load(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
    load: impl Fn(&dyn Records, &Session) -> Result<Log>,
) -> Result<Log> {
    match tenancy::session(records, session, tenant)? {
        Some(session) => load(records, &session),
        None => Ok(none()),
    }
}

/// The log of a session that does not exist.
pub(in crate::store) fn none() -> Log {
    LogWriter::default().finish()
}
