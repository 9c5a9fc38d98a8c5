//! Undoes the handoffs of processes that died in the middle.

use super::native_store::{Attempt, may_be_running, now, unlock};
use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    id::TenantId,
    json::{Fields, Json, ObjectWriter, Word},
    model::{HandoffMode, Intent},
    process::Process,
    store::{RecordStore, RecordsMut},
};

/// Undoes every handoff of a tenant that nobody is at work on any more; answers one
/// JSON object for each, in the order of the sessions' ids.
///
/// Each is claimed first, so that of several recoveries one undoes it and the others
/// leave it alone.
///
/// # Errors
/// The first thing that failed, after all others were tried. What could not be undone
/// stays as it is, to be tried again.
pub async fn recover(
    store: &impl RecordStore,
    host: &dyn Host,
    tenant: &TenantId,
) -> Result<Vec<String>> {
    let intents = store.read(|records| records.intents())?;
    let mut recovered = Vec::new();
    let mut first_error = None;
    for intent in intents {
        if intent.tenant_id != *tenant || may_be_running(&intent) {
            continue;
        }
        match recover_one(store, host, intent).await {
            Ok(found) => recovered.extend(found),
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    first_error.map_or(Ok(recovered), Err)
}

/// Undoes one handoff that nobody is at work on any more; answers an account of it, or
/// nothing when somebody else was faster.
pub(super) async fn recover_one(
    store: &impl RecordStore,
    host: &dyn Host,
    intent: Intent,
) -> Result<Option<String>> {
    let attempt = Attempt::start();
    let claim =
        Intent { attempt: attempt.0.clone(), process: Process::this().clone(), ..intent.clone() };
    let abandoned = intent.attempt.clone();
    let swap = |from: String, to: Intent| {
        move |records: &mut dyn RecordsMut| {
            let found = records.intent(&to.source)?.is_some_and(|found| found.attempt == from);
            if found {
                records.put_intent(&to)?;
            }
            Ok(found)
        }
    };
    if !store.write(swap(abandoned, claim)).await? {
        return Ok(None);
    }
    for workspace in &intent.workspaces {
        let reference = Arguments::none().json(workspace.as_str());
        if let Err(error) = host.call("workspaces", "discard", reference).await {
            store.write(swap(attempt.0.clone(), intent)).await?;
            return Err(error);
        }
    }
    let (source, name, now) = (intent.source.clone(), attempt.0.clone(), now(host).await);
    if !store.write(move |records| unlock(records, &source, &name, now)).await? {
        return Ok(None);
    }
    tell(host, &intent).await;
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

async fn tell(host: &dyn Host, intent: &Intent) {
    let mut event = ObjectWriter::new();
    event.string("sessionId", intent.source.as_str());
    let listener = match intent.mode {
        HandoffMode::Single => "onUnlocked",
        HandoffMode::Broadcast => {
            if let Some(broadcast) = ids(intent).1 {
                event.raw("broadcastId", broadcast.as_str());
            }
            event.string("reason", "The process that ran the handoff has ended");
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
