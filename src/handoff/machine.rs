//! The state machine: check, lock, provision, commit; or undo.

use serde_json::value::RawValue;

use super::{
    Fate, Handoff, HandoffStore, Outcome, Source, Workspace,
    whole::{after_undoing, not_done, of_whole},
};
use crate::{
    engine::mutant,
    error::{self, Error, Result},
    host::{Arguments, Host},
    json::{Fields, Json, ObjectWriter, string_literal},
    model::HandoffMode,
};

/// The largest version that JavaScript can count to, 2^53 - 1.
const MAX_VERSION: u64 = (1 << 53) - 1;

/// Hands a session over; answers one outcome for each assignment.
///
/// # Errors
/// The first thing that failed. Nothing that this handoff did is left then, unless
/// the application can no longer be reached, or its own store fails to undo. The outcome
/// of an error of a store is the handoff's, not that of the step that failed.
pub async fn execute(
    store: &mut impl HandoffStore,
    host: &dyn Host,
    handoff: &Handoff,
) -> Result<Vec<Outcome>> {
    let application = Application { host, handoff };
    let source = check(store, &application).await.map_err(not_done)?;
    store.lock(&source).await.map_err(|error| conflict(error, handoff, &source))?;
    application.locked().await;
    let mut progress = Progress::default();
    let failed = match provision(store, &application, &source, &mut progress).await {
        Ok(outcomes) => match store.commit(&source).await {
            Ok(()) => {
                application.committed(&outcomes).await;
                return Ok(outcomes);
            }
            Err(error) => match store.fate(&error).await {
                Fate::Failed => error,
                Fate::Committed => {
                    application.committed(&outcomes).await;
                    return Err(of_whole(error, error::Outcome::Done));
                }
                // Its intent tells recovery what to do.
                Fate::Unknown => return Err(of_whole(error, error::Outcome::Unknown)),
            },
        },
        Err(error) => error,
    };
    Err(undo(store, &application, &source, &progress, failed).await)
}

/// How far a handoff came: what `partialState` tells.
#[derive(Debug, Default)]
struct Progress {
    assignments: u64,
    edges: u64,
    workspaces: u64,
    /// How many workspaces there are to dispose of, whatever is told.
    made: u64,
}

/// Everything that can be wrong before anything is written.
async fn check(store: &mut impl HandoffStore, application: &Application<'_>) -> Result<Source> {
    let Handoff { tenant, .. } = application.handoff;
    let first = application.handoff.first();
    let not_found = |kind: &'static str, id: &str| Error::NotFound { kind, id: id.to_owned() };
    let source = store.source().await?.ok_or_else(|| not_found("Session", &first.source))?;
    if source.tenant_id != tenant.as_str() {
        let resource = format!("session({})", first.source);
        return Err(Error::TenantIsolation { requested: tenant.clone(), resource });
    }
    if source.project_id != first.project_id {
        let problem = format!(
            "session {} is in project {}, not in {}",
            first.source, source.project_id, first.project_id
        );
        return Err(Error::Assignments {
            problem,
            argument: "assignment.projectId".to_owned(),
            received: first.project_id.clone(),
        });
    }
    if let Some(reason) = application.handoff.refusal(&source.status) {
        return Err(Error::lock_rejected(&first.source, reason));
    }
    application.check_runs().await?;
    let limits = store.limits().await?;
    let limits = limits.ok_or_else(|| not_found("Project", &first.project_id))?;
    if application.handoff.mode == HandoffMode::Broadcast {
        application.check_width(&limits.width).await?;
    }
    application.check_depth(&limits.depth).await?;
    if source.owner_version != first.expected_version {
        return Err(Error::VersionConflict {
            session_id: first.source.clone(),
            expected: first.expected_version,
            actual: source.owner_version,
        });
    }
    if source.owner_version >= MAX_VERSION && !mutant!(HandoffBeyondLastVersion) {
        return Err(Error::InvalidArgument {
            argument: "assignment.expectedOwnerVersion".to_owned(),
            expected: format!(
                "a version below {MAX_VERSION}, the largest that a record can hold: a handoff \
                 adds one; set the session's ownerVersion back before it is handed over"
            ),
            received: format!("number {}", source.owner_version),
        });
    }
    Ok(source)
}

/// A stale session is a conflict, in the words of handoffs.
fn conflict(error: Error, handoff: &Handoff, source: &Source) -> Error {
    let actual = match &error {
        Error::StaleSession { actual_version, .. } => *actual_version,
        Error::Foreign(foreign) if foreign.name == "StaleSessionError" => {
            let details = foreign.details.as_ref().map_or("", Json::as_str);
            Fields::of_payload(details)
                .and_then(|fields| fields.whole_number("actualVersion"))
                .unwrap_or(source.owner_version)
        }
        _ => return error,
    };
    let expected = handoff.first().expected_version;
    Error::VersionConflict { session_id: handoff.source().to_owned(), expected, actual }
}

async fn provision(
    store: &mut impl HandoffStore,
    application: &Application<'_>,
    source: &Source,
    progress: &mut Progress,
) -> Result<Vec<Outcome>> {
    application.find_driver().await?;
    let ahead = if store.takes_all() { application.make_workspaces().await? } else { Vec::new() };
    progress.made = ahead.len() as u64;
    let mut ahead = ahead.into_iter();
    let mut outcomes = Vec::new();
    for (row, assignment) in application.handoff.rows().enumerate() {
        let made = match ahead.next() {
            Some(made) => made,
            None => application.make_workspace(&application.handoff.label(assignment)).await?,
        };
        progress.workspaces += 1;
        progress.made = progress.made.max(progress.workspaces);
        let workspace = Workspace::parse(&made)?;
        store.provisioned(&workspace).await?;
        let session_id = store.add_session(row, &workspace).await?;
        store.add_edge(row).await?;
        progress.edges += 1;
        progress.assignments += 1;
        outcomes.push(Outcome {
            assignment_id: assignment.id.clone(),
            session_id,
            workspace_id: workspace.id,
            version: source.owner_version + 1,
        });
    }
    Ok(outcomes)
}

/// Takes everything back; answers why it had to be, which nothing that fails here hides.
async fn undo(
    store: &mut impl HandoffStore,
    application: &Application<'_>,
    source: &Source,
    progress: &Progress,
    error: Error,
) -> Error {
    if matches!(error, Error::HostGone) && application.is_gone().await {
        return error; // the workspaces cannot be disposed of: that is left to recovery
    }
    store.undo_first(source).await;
    for workspace in 0..progress.made {
        let _ = application.dispose_workspace(workspace).await;
    }
    let undone = store.undo_last(source).await;
    let error = after_undoing(error, undone.whole);
    match application.handoff.mode {
        HandoffMode::Single if undone.unlocked => application.unlocked().await,
        HandoffMode::Single => {} // still locked, or deleted: nothing was let go of
        HandoffMode::Broadcast => application.rolled_back(progress, &error).await,
    }
    error
}

/// The application's own objects, as a handoff uses them.
struct Application<'h> {
    host: &'h dyn Host,
    handoff: &'h Handoff,
}

impl Application<'_> {
    async fn check_runs(&self) -> Result<()> {
        let arguments =
            Arguments::none().string(self.handoff.source()).string(self.handoff.tenant.as_str());
        let Some(blocking) = self.host.call("runStatus", "blockingRun", arguments).await? else {
            return Ok(());
        };
        let Ok(fields) = Fields::of_payload(&blocking) else { return Ok(()) };
        let literal = |key| fields.get(key).and_then(|raw| string_literal(raw.get()));
        Err(Error::LockRejected {
            session_id: self.handoff.source().to_owned(),
            reason: literal("reason").unwrap_or_else(|| Json::string("active_run")),
            run_id: literal("runId"),
        })
    }

    async fn check_depth(&self, limit: &str) -> Result<()> {
        let arguments = Arguments::none().string(self.handoff.source()).json(limit);
        let arguments = arguments.string(self.handoff.tenant.as_str());
        self.host.call("capacity", "validateDepth", arguments).await.map(drop)
    }

    async fn check_width(&self, limit: &str) -> Result<()> {
        let arguments = Arguments::none().string(self.handoff.source());
        let arguments = arguments.number(self.handoff.len()).json(limit);
        let arguments = arguments.string(self.handoff.tenant.as_str());
        self.host.call("capacity", "validateWidth", arguments).await.map(drop)
    }

    async fn find_driver(&self) -> Result<()> {
        self.host.call("workspaces", "find", Arguments::none()).await.map(drop)
    }

    /// What the driver answered: a workspace is there, whatever it looks like.
    async fn make_workspace(&self, label: &str) -> Result<String> {
        let label = Arguments::none().string(label);
        Ok(self.host.call("workspaces", "create", label).await?.unwrap_or_default())
    }

    /// Makes the workspaces of all rows, one after the other, up to the first that
    /// fails: why is answered when that one is asked for by itself.
    async fn make_workspaces(&self) -> Result<Vec<String>> {
        let labels = Arguments::none().json(&self.handoff.labels());
        let made = self.host.call("workspaces", "createAll", labels).await?;
        let made = made.unwrap_or_default();
        let list: Vec<&RawValue> = serde_json::from_str(&made).unwrap_or_default();
        Ok(list.into_iter().map(|made| made.get().to_owned()).collect())
    }

    async fn dispose_workspace(&self, number: u64) -> Result<()> {
        let number = Arguments::none().number(number);
        self.host.call("workspaces", "dispose", number).await.map(drop)
    }

    async fn is_gone(&self) -> bool {
        let asked = self.host.call("events", "isListening", Arguments::none()).await;
        matches!(asked, Err(Error::HostGone))
    }

    async fn locked(&self) {
        self.tell("onLocked", self.event()).await;
    }

    async fn unlocked(&self) {
        self.tell("onUnlocked", self.event()).await;
    }

    async fn committed(&self, outcomes: &[Outcome]) {
        let ids: Vec<String> =
            outcomes.iter().map(|outcome| outcome.assignment_id.clone()).collect();
        let version = outcomes.first().map_or(0, |outcome| outcome.version);
        let mut event = self.event();
        event.number("newVersion", version).strings("handoffIds", &ids);
        self.tell("onCommitted", event).await;
    }

    async fn rolled_back(&self, progress: &Progress, error: &Error) {
        let reason = match error {
            Error::Foreign(foreign) => foreign.message.clone(),
            error => Json::string(&error.to_string()),
        };
        let mut partial = ObjectWriter::new();
        partial.number("assignmentsWritten", progress.assignments);
        partial.number("subsessionsCreated", progress.edges);
        partial.number("worktreesProvisioned", progress.workspaces);
        let mut event = self.event();
        event.optional_string("broadcastId", self.handoff.first().broadcast_id.as_deref());
        event.raw("reason", reason.as_str()).raw("partialState", &partial.finish());
        self.tell("onBroadcastRollback", event).await;
    }

    /// An event; the host adds the time.
    fn event(&self) -> ObjectWriter {
        let mut event = ObjectWriter::new();
        event.string("sessionId", self.handoff.source());
        event
    }

    /// What listeners throw is reported by the host and changes nothing.
    async fn tell(&self, listener: &'static str, event: ObjectWriter) {
        let event = Arguments::none().json(&event.finish());
        let _ = self.host.call("events", listener, event).await;
    }
}
