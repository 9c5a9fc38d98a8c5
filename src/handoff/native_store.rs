//! A store of ours, untouched: the lock is one transaction, everything else another.

use super::{
    Fate, Handoff, HandoffStore, Limits, Source, Undone, Workspace,
    attempt::{Attempt, may_be_running, now, own_intent, unlock, was_given_up, with_status},
    recovery::recover_one,
    whole::{after_undoing, is_done, not_done},
};
use crate::{
    engine::mutant,
    error::{Error, Outcome, Result},
    host::{Arguments, Host},
    id::{ProjectId, SessionId, SubSessionId, WorkspaceId},
    json::{Fields, Json, Word},
    model::{
        ActorRef, CompletionMode, FailureMode, HandoffMode, Intent, NewSession, NewSubSession,
        Project, Session, SessionStatus, SubSession, SubSessionKind,
    },
    process::Process,
    store::{Created, RecordStore, Records, SessionStore as _},
    timestamp::Timestamp,
};

/// Hands over in a native store.
pub struct NativeHandoffStore<'h, S> {
    store: S,
    host: &'h dyn Host,
    handoff: &'h Handoff,
    attempt: Attempt,
    actors: Option<Actors>,
    planned: bool,
    recipients: Vec<(Session, SubSession)>,
}

/// The actors of a handoff, checked as every actor that is stored.
struct Actors {
    sources: Vec<ActorRef>,
    recipients: Vec<ActorRef>,
}

impl Actors {
    fn of(handoff: &Handoff) -> Result<Self> {
        let actor = |field: &str, json: &Json| {
            ActorRef::parse(json.as_str())
                .map_err(|invalid| Error::argument("assignment", invalid.below(field)))
        };
        let sources = handoff.rows().map(|row| actor("sourceActor", &row.source_actor));
        let recipients = handoff.rows().map(|row| actor("recipientActor", &row.recipient));
        Ok(Self {
            sources: sources.collect::<Result<_>>()?,
            recipients: recipients.collect::<Result<_>>()?,
        })
    }
}

impl<'h, S: RecordStore> NativeHandoffStore<'h, S> {
    /// A native store, for one handoff.
    #[must_use]
    pub fn new(store: S, host: &'h dyn Host, handoff: &'h Handoff) -> Self {
        Self {
            store,
            host,
            handoff,
            attempt: Attempt::start(),
            actors: None,
            planned: false,
            recipients: Vec::new(),
        }
    }

    /// Unlocks the source. What could not be undone stays in its intent, for recovery.
    async fn give_back(&self) -> Undone {
        let Ok(source) = SessionId::parse(self.handoff.source()) else {
            return Undone { whole: true, unlocked: false };
        };
        let (attempt, now) = (self.attempt.0.clone(), now(self.host).await);
        match self.store.write(move |records| unlock(records, &source, &attempt, now)).await {
            Ok(found) => Undone { whole: true, unlocked: found == Some(true) },
            Err(error) => Undone { whole: is_done(&error), unlocked: is_done(&error) },
        }
    }

    /// The session that is handed over.
    async fn session(&self) -> Result<Option<Session>> {
        self.store.get_session(self.handoff.source(), &self.handoff.tenant).await
    }

    /// What another attempt left of itself in the source.
    fn intent(&self) -> Result<Option<Intent>> {
        let source = SessionId::parse(self.handoff.source())?;
        self.store.read(|records| records.intent(&source))
    }

    /// Unlocks the source where an attempt of this process locked it, and ended without
    /// having been able to undo that; answers whether there was any.
    async fn clear_what_was_given_up(&self) -> Result<bool> {
        let left = match self.intent() {
            Err(Error::CorruptRecord { .. }) => return Ok(false), // locked, whatever by
            left => left?.filter(was_given_up),
        };
        let Some(left) = left else { return Ok(false) };
        recover_one(&self.store, self.host, left).await?;
        Ok(true)
    }

    /// Recovers what a process left that has ended, where another caller unlocked the source
    /// by other means: our own intent must not take the place of that one.
    async fn clear_the_way(&self) -> Result<()> {
        match self.intent()? {
            Some(left) if !may_be_running(&left) => {
                recover_one(&self.store, self.host, left).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The time, and the workspaces that a driver of ours is going to make: they are in
    /// the intent before anything of them exists, and need not be added one by one.
    async fn planned(&self) -> Result<(Timestamp, Option<Vec<Json>>)> {
        let labels = Arguments::none().json(&self.handoff.labels());
        let planned = self.host.call("workspaces", "planned", labels).await?.unwrap_or_default();
        let Ok(fields) = Fields::of_payload(&planned) else { return Ok((Timestamp::now(), None)) };
        let now = fields.date("now").unwrap_or_else(|_| Timestamp::now());
        Ok((now, fields.list("refs", |raw| Ok(Json::from(raw))).ok()))
    }
}

impl<S: RecordStore> HandoffStore for NativeHandoffStore<'_, S> {
    async fn source(&mut self) -> Result<Option<Source>> {
        let mut session = self.session().await?;
        let is_locked = |session: &Session| session.status == SessionStatus::Locked;
        if session.as_ref().is_some_and(is_locked) && self.clear_what_was_given_up().await? {
            session = self.session().await?;
        }
        let Some(session) = session else { return Ok(None) };
        self.actors = Some(Actors::of(self.handoff)?);
        Ok(Some(Source {
            project_id: session.project_id.to_string(),
            tenant_id: session.tenant_id.to_string(),
            status: session.status.word().to_owned(),
            owner_version: session.owner_version,
        }))
    }

    async fn limits(&mut self) -> Result<Option<Limits>> {
        let project = &self.handoff.first().project_id;
        let project = self.store.get_project(project, &self.handoff.tenant).await?;
        let limits = |project: Project| {
            Limits::of(project.config.json().as_str())
                .map_err(|invalid| Error::argument("project.config", invalid))
        };
        project.map(limits).transpose()
    }

    async fn lock(&mut self, source: &Source) -> Result<()> {
        self.clear_the_way().await.map_err(not_done)?;
        let (now, planned) = self.planned().await?;
        self.planned = planned.is_some();
        let handoff = self.handoff.clone();
        let intent = Intent {
            source: SessionId::parse(handoff.source())?,
            tenant_id: handoff.tenant.clone(),
            mode: handoff.mode,
            owner_version: source.owner_version,
            attempt: self.attempt.0.clone(),
            process: Process::this().clone(),
            at: now,
            assignments: handoff.rows().map(|row| row.json.clone()).collect(),
            workspaces: planned.unwrap_or_default(),
        };
        let locked = self.store.write_linked(move |records| {
            let session = current(records, &intent, &handoff)?;
            if let Some(reason) = handoff.refusal(session.status.word()) {
                return Err(Error::lock_rejected(handoff.source(), reason));
            }
            if records.intent(&intent.source)?.is_some() {
                return Err(Error::lock_rejected(handoff.source(), "active_run"));
            }
            records.put_intent(&intent)?;
            records.put_session(&with_status(session, SessionStatus::Locked, now))
        });
        match locked.await {
            Err(error) if may_have_happened(&error) => {
                Err(after_undoing(error, self.give_back().await.whole))
            }
            locked => locked,
        }
    }

    /// Records are written when the handoff commits, and the intent has the workspaces.
    fn takes_all(&self) -> bool {
        self.planned
    }

    async fn provisioned(&mut self, workspace: &Workspace) -> Result<()> {
        if self.planned {
            return Ok(());
        }
        let source = SessionId::parse(self.handoff.source())?;
        let (attempt, workspace) = (self.attempt.0.clone(), workspace.json.clone());
        self.store
            .write(move |records| {
                if let Some(mut intent) = own_intent(records, &source, &attempt)? {
                    intent.workspaces.push(workspace);
                    records.put_intent(&intent)?;
                }
                Ok(())
            })
            .await
    }

    async fn add_session(&mut self, row: usize, workspace: &Workspace) -> Result<String> {
        let actors = self.actors.as_ref();
        let actor = |list: fn(&Actors) -> &[ActorRef]| {
            let found = actors.and_then(|actors| list(actors).get(row));
            found.cloned().ok_or_else(|| Error::Assignments {
                problem: "no such row".to_owned(),
                argument: format!("assignments.{row}"),
                received: "none".to_owned(),
            })
        };
        let first = self.handoff.first();
        let now = Timestamp::now(); // until the commit says when
        let tenant = &self.handoff.tenant;
        let workspace_id = WorkspaceId::new(&workspace.id);
        let session = NewSession {
            project_id: ProjectId::parse(&first.project_id)?,
            current_actor: Some(actor(|actors| &actors.recipients)?),
        };
        let session = Session {
            workspace_id: workspace_id.clone(),
            ..Session::new(SessionId::generate(), tenant.clone(), session, now)
        };
        let edge = NewSubSession {
            parent_session_id: SessionId::parse(&first.source)?,
            child_session_id: session.id.clone(),
            kind: SubSessionKind::UserHandoff,
            spawned_by: actor(|actors| &actors.sources)?,
            failure_mode: FailureMode::Delegate,
            completion_mode: CompletionMode::SummaryRef,
        };
        let edge = SubSession {
            workspace_id,
            broadcast_group_id: first
                .broadcast_id
                .as_ref()
                .filter(|_| self.handoff.mode == HandoffMode::Broadcast)
                .map(|id| Json::string(id)),
            ..SubSession::new(SubSessionId::generate(), tenant.clone(), edge, now)
        };
        let id = session.id.to_string();
        self.recipients.push((session, edge));
        Ok(id)
    }

    /// Session and edge are made together, and written when the handoff commits.
    async fn add_edge(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    async fn commit(&mut self, _: &Source) -> Result<()> {
        let handoff = self.handoff.clone();
        let source = SessionId::parse(handoff.source())?;
        let attempt = self.attempt.0.clone();
        let now = now(self.host).await;
        let mut recipients = std::mem::take(&mut self.recipients);
        for (session, edge) in &mut recipients {
            (session.created_at, session.updated_at) = (now, now);
            (edge.spawned_at, edge.updated_at) = (now, now);
        }
        let new_owner = self
            .actors
            .as_ref()
            .filter(|_| handoff.mode == HandoffMode::Single)
            .and_then(|actors| actors.recipients.first().cloned());
        self.store
            .write_linked(move |records| {
                let Some(intent) = own_intent(records, &source, &attempt)? else {
                    return Err(Error::lock_rejected(handoff.source(), "active_run"));
                };
                let mut session = current(records, &intent, &handoff)?;
                if session.status != SessionStatus::Locked && !mutant!(HandoffOverwritesStatus) {
                    // Another call set it meanwhile, and that stays.
                    let reason = handoff.refusal(session.status.word()).unwrap_or("active_run");
                    return Err(Error::lock_rejected(handoff.source(), reason));
                }
                if let Some(new_owner) = new_owner {
                    session.previous_actors.extend(session.current_actor.replace(new_owner));
                }
                session.owner_version += 1;
                let status = match handoff.mode {
                    HandoffMode::Single => SessionStatus::Idle,
                    HandoffMode::Broadcast => SessionStatus::AwaitingMerge,
                };
                for (session, edge) in &recipients {
                    records.put_session(session)?;
                    records.created(Created::Session(&session.id), &session.tenant_id)?;
                    records.put_edge(edge)?;
                    records.created(Created::Edge(&edge.id), &edge.tenant_id)?;
                }
                records.put_session(&with_status(session, status, now))?;
                records.remove_intent(&source)
            })
            .await
    }

    async fn fate(&mut self, error: &Error) -> Fate {
        match error {
            Error::StoreIo { outcome: Outcome::Done, .. } => return Fate::Committed,
            Error::StoreIo { outcome: Outcome::Unknown, .. } => {}
            _ => return Fate::Failed,
        }
        let Ok(source) = SessionId::parse(self.handoff.source()) else { return Fate::Failed };
        let attempt = self.attempt.0.clone();
        // The next writer finds out what became of it; a reader would not.
        let left = self.store.write(move |records| own_intent(records, &source, &attempt));
        match left.await {
            Ok(Some(_)) => Fate::Failed,
            Ok(None) => Fate::Committed,
            Err(_) => Fate::Unknown,
        }
    }

    /// While its intent stands, no caller takes the workspaces of a handoff for its own, so
    /// everything else is undone after those are disposed of.
    async fn undo_first(&mut self, _: &Source) {}

    async fn undo_last(&mut self, _: &Source) -> Undone {
        self.give_back().await
    }
}

/// Whether a mutation that answered this error may have taken effect.
fn may_have_happened(error: &Error) -> bool {
    matches!(error, Error::StoreIo { outcome: Outcome::Done | Outcome::Unknown, .. })
}

/// The source, at the version that an intent is about.
fn current(
    records: &(impl Records + ?Sized),
    intent: &Intent,
    handoff: &Handoff,
) -> Result<Session> {
    let id = &intent.source;
    let session = records.session(id)?;
    let session = session.filter(|session| session.tenant_id == intent.tenant_id);
    let session = session.ok_or_else(|| Error::NotFound { kind: "Session", id: id.to_string() })?;
    if session.owner_version != intent.owner_version {
        return Err(Error::VersionConflict {
            session_id: id.to_string(),
            expected: handoff.first().expected_version,
            actual: session.owner_version,
        });
    }
    Ok(session)
}
