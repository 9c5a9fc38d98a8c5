//! `recordSummary`, `getSummary`.

use super::{
    super::{Records, RecordsMut},
    eviction, tenancy,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId},
    model::{Session, SessionStatus, Summary},
    timestamp::Timestamp,
};

pub(crate) fn record(
    records: &mut dyn RecordsMut,
    summary: &Summary,
    tenant: &TenantId,
    now: Timestamp,
) -> Result<()> {
    tenancy::check(&summary.tenant_id, tenant, || format!("summary({}) payload", summary.id))?;
    let session = tenancy::existing_session(records, &summary.session_ref, tenant)?;
    eviction::refuse(records, &session.id)?;
    match records.summary(&session.id)? {
        Some(existing) if existing.id != summary.id => {
            return Err(Error::SessionAlreadySummarized {
                session_id: session.id,
                existing_summary_id: existing.id,
            });
        }
        Some(_) => {}
        None => records.put_summary(summary)?,
    }
    if is_working(session.status) {
        let idle = Session { status: SessionStatus::Idle, updated_at: now, ..session };
        records.put_session(&idle)?;
    }
    Ok(())
}

/// Whether a summary ends what the session is doing.
fn is_working(status: SessionStatus) -> bool {
    matches!(status, SessionStatus::Active | SessionStatus::Locked | SessionStatus::AwaitingMerge)
}

pub(crate) fn get(
    records: &dyn Records,
    session: &SessionId,
    tenant: &TenantId,
) -> Result<Option<Summary>> {
    match tenancy::session(records, session, tenant) {
        Ok(Some(found)) => of(records, &found, tenant),
        Ok(None) => Ok(None),
        Err(refused @ Error::TenantIsolation { .. }) => {
            if let Ok(Some(summary)) = records.summary(session) {
                tenancy::check(&summary.tenant_id, tenant, || resource(&summary))?;
            }
            Err(refused)
        }
        Err(error) => Err(error),
    }
}

fn resource(summary: &Summary) -> String {
    format!("summary({})", summary.id)
}

/// The summary of a session that the tenant was found to own.
pub(crate) fn of(
    records: &dyn Records,
    session: &Session,
    tenant: &TenantId,
) -> Result<Option<Summary>> {
    let summary = records.summary(&session.id)?;
    if let Some(summary) = &summary {
        tenancy::check(&summary.tenant_id, tenant, || resource(summary))?;
    }
    Ok(summary)
}
