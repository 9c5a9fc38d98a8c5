//! Undoes the handoffs of processes that died in the middle.

use super::{
    attempt::{Attempt, may_be_running, now, own_intent, unlock},
    whole::{is_done, not_done},
};
use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    id::{SessionId, TenantId},
    json::{Fields, Json, ObjectWriter, Word},
    model::{HandoffMode, Intent},
    process::Process,
    store::{RecordStore, Records, RecordsMut},
};

/// Undoes every handoff of a tenant whose process has ended; returns one
/// JSON object for each, in the order of the sessions' ids.
///
/// Each is claimed first, so that of several recoveries one undoes it and the others
/// leave it alone.
///
/// # Errors
/// The first thing that failed, after all others were tried; of a store's errors, one of
/// a handoff that was not undone before one of those that were (`done`). What could not
/// be undone stays as it is, to be tried again.
pub async fn recover(
    store: &impl RecordStore,
    host: &dyn Host,
    tenant: &TenantId,
) -> Result<Vec<String>> {
    let mut recovered = Vec::new();
    let mut first_error: Option<Error> = None;
    for intent in store.read(|records| abandoned(records, tenant))? {
        let undone = match intent {
            Ok(intent) => recover_one(store, host, intent).await,
            Err(unreadable) => Err(unreadable),
        };
        match undone {
            Ok(found) => recovered.extend(found),
            Err(error) if first_error.as_ref().is_none_or(is_done) => first_error = Some(error),
            Err(_) => {}
        }
    }
    first_error.map_or(Ok(recovered), Err)
}

/// A tenant's handoffs whose process has ended, and what keeps others of the
/// tenant from being read. Those of other tenants are none of this one's business,
/// readable or not.
fn abandoned(records: &dyn Records, tenant: &TenantId) -> Result<Vec<Result<Intent>>> {
    let is_own = |intent: &Intent| intent.tenant_id == *tenant && !may_be_running(intent);
    let mut found = Vec::new();
    for source in records.intended()? {
        match records.intent(&source) {
            Ok(intent) => found.extend(intent.filter(is_own).map(Ok)),
            Err(error) => found.extend(told_to(records, tenant, &source, error).map(Err)),
        }
    }
    Ok(found)
}

/// What a tenant is told of a handoff that cannot be read: nothing, unless the source is
/// its own. Where not even that can be found out, because the system refuses to read,
/// it is told so and no name.
fn told_to(
    records: &dyn Records,
    tenant: &TenantId,
    source: &SessionId,
    error: Error,
) -> Option<Error> {
    match records.owner(source) {
        Ok(Some(owner)) if owner == *tenant => Some(error),
        Err(Error::StoreIo { place, op, code, outcome, .. }) => {
            Some(Error::StoreIo { place, op, path: ".".to_owned(), code, outcome })
        }
        _ => None,
    }
}

/// Undoes one handoff whose process has ended; returns an account of it, or
/// nothing when another recovery was faster.
///
/// # Errors
/// What failed. The outcome of a store's error tells whether the handoff is undone.
pub(super) async fn recover_one(
    store: &impl RecordStore,
    host: &dyn Host,
    intent: Intent,
) -> Result<Option<String>> {
    let Intent { source, attempt: abandoned, process: ended, .. } = intent;
    let attempt = Attempt::start();
    let pass_on = |from: &String, to: &String, process: &Process| {
        let (source, from) = (source.clone(), from.clone());
        let (to, process) = (to.clone(), process.clone());
        // Of the handoff as it is by then: what was read before may be deleted since.
        move |records: &mut dyn RecordsMut| {
            let Some(found) = own_intent(records, &source, &from)? else { return Ok(None) };
            let intent = Intent { attempt: to, process, ..found };
            records.put_intent(&intent)?;
            Ok(Some(intent))
        }
    };
    let claimed = store.write(pass_on(&abandoned, &attempt.0, Process::this())).await;
    let Some(intent) = claimed.map_err(not_done)? else { return Ok(None) };
    for workspace in &intent.workspaces {
        let reference = Arguments::none().json(workspace.as_str());
        if let Err(error) = host.call("workspaces", "discard", reference).await {
            store.write(pass_on(&attempt.0, &abandoned, &ended)).await.map_err(not_done)?;
            return Err(error);
        }
    }
    let (name, now) = (attempt.0.clone(), now(host).await);
    let undo = move |records: &mut dyn RecordsMut| unlock(records, &source, &name, now);
    let Some(has_source) = store.write(undo).await? else { return Ok(None) };
    if has_source {
        tell(host, &intent, &ended).await;
    }
    Ok(Some(account(&intent)))
}

/// The ids of an intent's assignments, and of the broadcast that they are.
fn ids(intent: &Intent) -> (Vec<Json>, Option<Json>) {
    let field = |assignment: &Json, key: &str| {
        let fields = Fields::of_payload(assignment.as_str()).ok()?;
        fields.get(key).filter(|raw| raw.get() != "null").map(Json::from)
    };
    let handoffs = intent.assignments.iter().filter_map(|a| field(a, "id")).collect();
    (handoffs, intent.assignments.first().and_then(|a| field(a, "broadcastId")))
}

/// `{ sourceSessionId, mode, handoffIds }`.
fn account(intent: &Intent) -> String {
    let mut json = ObjectWriter::new();
    json.string("sourceSessionId", intent.source.as_str());
    json.string("mode", intent.mode.word());
    json.values("handoffIds", &ids(intent).0);
    json.finish()
}

async fn tell(host: &dyn Host, intent: &Intent, ended: &Process) {
    let mut event = ObjectWriter::new();
    event.string("sessionId", intent.source.as_str());
    let listener = match intent.mode {
        HandoffMode::Single => "onUnlocked",
        HandoffMode::Broadcast => {
            if let Some(broadcast) = ids(intent).1 {
                event.raw("broadcastId", broadcast.as_str());
            }
            let reason = match ended.is_this() {
                true => "The handoff was given up, and could not be undone then",
                false => "The process that ran the handoff has ended",
            };
            event.string("reason", reason);
            let mut partial = ObjectWriter::new();
            partial.number("assignmentsWritten", 0).number("subsessionsCreated", 0);
            partial.number("worktreesProvisioned", intent.workspaces.len() as u64);
            event.raw("partialState", &partial.finish());
            "onBroadcastRollback"
        }
    };
    // What listeners throw is reported by the host and changes nothing.
    let _: Result<_, Error> =
        host.call("events", listener, Arguments::none().json(&event.finish())).await;
}
