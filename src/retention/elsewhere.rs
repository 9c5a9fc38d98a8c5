//! Eviction where an archive is the application's own: the bundle is made and read by
//! its backend, and only what happens to the store is done here.

use super::restore::{check_claim, put_back};
use crate::{
    error::{Error, Result},
    id::{SessionId, SubSessionId, TenantId, generate},
    model::{Eviction, LogLine, Record as _, Session, SubSession, SubSessionStatus, Summary},
    store::{RecordStore, Records, rules},
};

/// Says how a session's log stands, for [`evict`]; refuses one that is evicted.
///
/// # Errors
/// [`Error::SessionEvicted`], or what the store refuses.
pub fn log_mark(store: &impl RecordStore, session: &str, tenant: &TenantId) -> Result<u64> {
    let Ok(id) = SessionId::parse(session) else { return Ok(0) };
    store.read(|records| match rules::sessions::get(records, &id, tenant)? {
        None => Ok(0),
        Some(session) => {
            rules::eviction::refuse(records, &id)?;
            records.log_bytes(&session)
        }
    })
}

/// Evicts the child of an edge that was archived into `archive_ref`, unless its log is
/// no longer what it was at `mark`; answers whether it did.
///
/// # Errors
/// What the store refuses.
pub async fn evict<S: RecordStore>(
    store: &S,
    sub_session_id: &str,
    archive_ref: &str,
    mark: u64,
    tenant: &TenantId,
) -> Result<bool> {
    let id = SubSessionId::parse(sub_session_id)?;
    let (archive_ref, tenant, evicted_at) = (archive_ref.to_owned(), tenant.clone(), store.now());
    store
        .write(move |records| {
            let Some((edge, child)) = archived(&*records, &id, &archive_ref, &tenant)? else {
                return Ok(false);
            };
            rules::eviction::refuse(&*records, &child.id)?;
            if records.log_bytes(&child)? != mark {
                return Ok(false);
            }
            records.evict(&Eviction {
                session_id: child.id,
                sub_session_id: edge.id,
                archive_ref: archive_ref.into(),
                evicted_at,
                restoration: None,
            })?;
            Ok(true)
        })
        .await
}

/// Puts back what [`evict`] took, where `archive_ref` is the bundle that has it: text
/// that ends with a line each, and the summary as the API has it. Answers whether
/// there was anything to put back.
///
/// # Errors
/// What the store refuses.
pub async fn readmit<S: RecordStore>(
    store: &S,
    sub_session_id: &str,
    archive_ref: &str,
    lines: Vec<String>,
    summary: Option<&str>,
    tenant: &TenantId,
) -> Result<bool> {
    let id = SubSessionId::parse(sub_session_id)?;
    let summary = summary.map(Summary::from_payload).transpose();
    let summary = summary.map_err(|invalid| Error::argument("summaryRef", invalid))?;
    let found = store.read(|records| {
        let Some((_, child)) = archived(records, &id, archive_ref, tenant)? else {
            return Ok(None);
        };
        let eviction = records.eviction(&child.id)?;
        Ok(eviction.filter(|found| *found.archive_ref == *archive_ref).map(|found| (child, found)))
    })?;
    let Some((child, eviction)) = found else { return Ok(false) };
    if !is_about(&child, &lines, summary.as_ref()) {
        let archive_ref = archive_ref.to_owned();
        return Err(Error::ArchiveNotFound { archive_ref, reason: "corrupt" });
    }
    let eviction = Eviction { restoration: Some(generate("").into()), ..eviction };
    let mut lines = lines.into_iter();
    let next = |_| Ok(lines.next().map(String::into_bytes).unwrap_or_default());
    put_back(store, &child, &eviction, next).await?;
    store
        .write(move |records| {
            check_claim(&*records, &eviction)?;
            let summary = summary.map(|summary| summary.to_record());
            records.end_eviction(&eviction.session_id, summary.as_deref())
        })
        .await?;
    Ok(true)
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

/// An edge that is archived into this bundle, with its child.
fn archived(
    records: &dyn Records,
    id: &SubSessionId,
    archive_ref: &str,
    tenant: &TenantId,
) -> Result<Option<(SubSession, Session)>> {
    let edge = rules::sub_sessions::get(records, id, tenant)?.filter(|edge| {
        edge.status == SubSessionStatus::Archived
            && edge.archive_ref.as_deref() == Some(archive_ref)
    });
    let Some(edge) = edge else { return Ok(None) };
    let child = rules::sessions::get(records, &edge.child_session_id, tenant)?;
    Ok(child.map(|child| (edge, child)))
}
