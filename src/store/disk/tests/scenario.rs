//! Sequences of mutations that repeat exactly, and what the tree is after each.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use crate::{
    engine::simulated::SimulatedDisk,
    error::Result,
    id::{SessionId, SubSessionId, TenantId, repeat_ids},
    json::Json,
    model::{
        Entity as _, Eviction, Intent, Message, NewProject, NewSession, NewSubSession, Project,
        ProjectConfigPart, Record as _, Session, SubSession, SubSessionStatus, Summary,
    },
    retention::{self, Returned},
    store::{DiskStore, Durability, ExtendedSessionStore as _, RecordStore, SessionStore as _},
    timestamp::Timestamp,
};

/// The answer of a future that is ready at once, as there is no runtime here.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("without a runtime every transaction is done at once"),
    }
}

/// The files of the record tree: everything but the engine's own.
pub(super) type RecordTree = Vec<(String, String)>;

pub(super) fn record_tree(disk: &SimulatedDisk) -> RecordTree {
    let files = disk.files().into_iter();
    let records = files.filter(|(path, _)| !path.starts_with(".store/"));
    records.map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned())).collect()
}

/// How the transactions of a scenario are committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Synced, applied, answered.
    Full,
    /// Answered, synced, applied before the next one.
    Relaxed,
    /// Answered, and synced and applied with those that follow.
    Late,
}

impl Mode {
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Relaxed, Self::Late];
}

/// A store with what a scenario made so far.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) store: DiskStore,
    tenant: TenantId,
    pub(super) project: Option<Project>,
    pub(super) sessions: Vec<Session>,
    pub(super) edges: Vec<SubSession>,
}

/// One mutation of a scenario.
pub(super) type Step = fn(&mut Run) -> Result<()>;

impl Run {
    /// Starts with ids and times that are the same on each run.
    pub(super) fn new(disk: &SimulatedDisk, durability: Durability) -> Self {
        repeat_ids(7);
        let store = DiskStore::over(disk).with_durability(durability);
        Self {
            store: store.at(Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap()),
            tenant: TenantId::new("tnt_a").unwrap(),
            project: None,
            sessions: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// As [`Run::new`], committing as `mode` says.
    pub(super) fn of_mode(disk: &SimulatedDisk, mode: Mode) -> Self {
        if mode == Mode::Full {
            return Self::new(disk, Durability::Full);
        }
        let run = Self::new(disk, Durability::Relaxed);
        run.store.engine().unwrap().finish_late(mode == Mode::Late);
        run
    }

    /// Whether everything that was answered is synced and applied.
    pub(super) fn is_flushed(&self) -> bool {
        !self.store.engine().unwrap().is_behind()
    }

    /// The same for another tenant.
    pub(super) fn of(self, tenant: &str) -> Self {
        Self { tenant: TenantId::new(tenant).unwrap(), ..self }
    }

    /// A store that is opened anew over a disk, with what this run knows.
    pub(super) fn over(self, disk: &SimulatedDisk) -> Self {
        let store = Self::new(disk, Durability::Full).store;
        Self { store, ..self }
    }

    /// Whether every project, session and edge of a tree was answered to this run.
    pub(super) fn knows(&self, tree: &RecordTree) -> bool {
        let ids = |name: &str| {
            let files = tree.iter().filter(|(path, _)| path.ends_with(name));
            files.count()
        };
        ids("/project.json") == usize::from(self.project.is_some())
            && ids("/session.json") == self.sessions.len()
            && ids("/subsession.json") == self.edges.len()
    }

    /// Whether the first edge leads to the second session, and is archived.
    pub(super) fn is_archived(&self) -> bool {
        let (Some(edge), Some(child)) = (self.edges.first(), self.sessions.get(1)) else {
            return false;
        };
        let stored = now(self.store.get_sub_session(edge.id.as_str(), &self.tenant)).unwrap();
        edge.child_session_id == child.id
            && stored.is_some_and(|edge| edge.status == SubSessionStatus::Archived)
    }

    /// Whether the second session is evicted.
    pub(super) fn is_evicted(&self) -> bool {
        let eviction = |id: &SessionId| self.store.read(|records| records.eviction(id)).unwrap();
        self.sessions.get(1).is_some_and(|session| eviction(&session.id).is_some())
    }

    fn actor(&self) -> String {
        format!(r#"{{"kind":"user","userId":"usr_a","tenantId":"{}"}}"#, self.tenant)
    }

    fn session(&self, n: usize) -> SessionId {
        self.sessions[n].id.clone()
    }
}

pub(super) fn create_project(run: &mut Run) -> Result<()> {
    let new = NewProject {
        tenant_id: run.tenant.clone(),
        name: Json::parse("\"Name ☂\"").unwrap(),
        config: ProjectConfigPart::default(),
    };
    run.project = Some(now(run.store.create_project(new, &run.tenant))?);
    Ok(())
}

pub(super) fn create_session(run: &mut Run) -> Result<()> {
    let project = run.project.as_ref().unwrap().id.as_str();
    let new = format!(r#"{{"projectId":"{project}","currentActor":{}}}"#, run.actor());
    let new = NewSession::from_payload(&new).unwrap();
    run.sessions.push(now(run.store.create_session(new, &run.tenant))?);
    Ok(())
}

/// An edge between the last two sessions.
pub(super) fn create_edge(run: &mut Run) -> Result<()> {
    let [.., parent, child] = run.sessions.as_slice() else { panic!("two sessions are needed") };
    let new = format!(
        r#"{{"parentSessionId":"{}","childSessionId":"{}","kind":"agent_spawn","spawnedBy":{}}}"#,
        parent.id,
        child.id,
        run.actor()
    );
    let new = NewSubSession::from_payload(&new).unwrap();
    run.edges.push(now(run.store.create_sub_session(new, &run.tenant))?);
    Ok(())
}

pub(super) fn append(run: &mut Run) -> Result<()> {
    let text = format!(r#"{{"role":"user","content":"{}"}}"#, "x☂".repeat(40));
    let message = Message::from_payload(&text).unwrap();
    now(run.store.append_message(run.session(0).as_str(), message, &run.tenant)).map(drop)
}

/// Three appends that are asked for before any is awaited, and so share a commit.
pub(super) fn append_three(run: &mut Run) -> Result<()> {
    let appends: Vec<_> = (0..3)
        .map(|n| {
            let message = Message::from_payload(&format!(r#"{{"role":"user","content":"{n}"}}"#));
            run.store.append_message(run.session(0).as_str(), message.unwrap(), &run.tenant)
        })
        .collect();
    appends.into_iter().try_for_each(|append| now(append).map(drop))
}

/// The same three, one by one.
pub(super) fn append_number<const N: u8>(run: &mut Run) -> Result<()> {
    let message = Message::from_payload(&format!(r#"{{"role":"user","content":"{N}"}}"#)).unwrap();
    now(run.store.append_message(run.session(0).as_str(), message, &run.tenant)).map(drop)
}

pub(super) fn append_long(run: &mut Run) -> Result<()> {
    let text = format!(r#"{{"role":"user","content":"{}"}}"#, "y".repeat(5000));
    let message = Message::from_payload(&text).unwrap();
    now(run.store.append_message(run.session(0).as_str(), message, &run.tenant)).map(drop)
}

pub(super) fn update_session(run: &mut Run) -> Result<()> {
    let stored = now(run.store.get_session(run.session(0).as_str(), &run.tenant))?.unwrap();
    let version = stored.owner_version;
    let next = Session { owner_version: version + 1, ..stored };
    let active = next.to_json().replace("\"idle\"", "\"active\"");
    let next = Session::from_payload(&active).unwrap();
    now(run.store.update_session(next, &run.tenant, Some(version)))
}

/// A record and a change of status, together.
pub(super) fn record_summary(run: &mut Run) -> Result<()> {
    let summary = format!(
        r#"{{"id":"sum_a","sessionRef":"{}","tenantId":"{}","outcome":{{"status":"succeeded"}},
        "deliverables":[],"agentSummary":"done","keyDecisions":[],"at":"2026-01-01T00:00:00.000Z",
        "materializedBy":"kernel"}}"#,
        run.session(0),
        run.tenant
    );
    let summary = Summary::from_payload(&summary).unwrap();
    now(run.store.record_summary(summary, &run.tenant))
}

/// Hangs the last edge under another parent.
pub(super) fn move_edge(run: &mut Run) -> Result<()> {
    let edge = run.edges.last().unwrap().clone();
    let moved = SubSession { parent_session_id: run.session(0), ..edge };
    now(run.store.update_sub_session(moved, &run.tenant))
}

pub(super) fn delete_edge(run: &mut Run) -> Result<()> {
    let id: SubSessionId = run.edges.last().unwrap().id.clone();
    now(run.store.delete_sub_session(id.as_str(), &run.tenant))?;
    run.edges.pop();
    Ok(())
}

pub(super) fn delete_session(run: &mut Run) -> Result<()> {
    let id = run.sessions.last().unwrap().id.clone();
    now(run.store.delete_session(id.as_str(), &run.tenant))?;
    run.sessions.pop();
    Ok(())
}

pub(super) fn update_project(run: &mut Run) -> Result<()> {
    let id = run.project.as_ref().unwrap().id.to_string();
    let part = ProjectConfigPart::from_payload(r#"{"maxDelegationWidth":9}"#).unwrap();
    now(run.store.update_project(&id, part, &run.tenant)).map(drop)
}

/// Several messages of the second session, under a key.
pub(super) fn append_batch(run: &mut Run) -> Result<()> {
    let message = |text| Message::from_payload(&format!(r#"{{"content":"{text}"}}"#)).unwrap();
    let (messages, key) = (vec![message("a"), message("b ☂")], Some("key".to_owned()));
    now(run.store.append_messages(run.session(1).as_str(), messages, key, &run.tenant)).map(drop)
}

pub(super) fn replace(run: &mut Run) -> Result<()> {
    let messages = vec![Message::from_payload(r#"{"content":"c"}"#).unwrap()];
    now(run.store.replace_messages(run.session(1).as_str(), messages, &run.tenant))
}

pub(super) fn archive_edge(run: &mut Run) -> Result<()> {
    let status = SubSessionStatus::Archived;
    let edge = SubSession { status, archive_ref: Some("arc_a".into()), ..run.edges[0].clone() };
    now(run.store.update_sub_session(edge, &run.tenant))
}

/// Takes the log of the first edge's child away, and says so, together.
pub(super) fn evict(run: &mut Run) -> Result<()> {
    let eviction = Eviction {
        session_id: run.session(1),
        sub_session_id: run.edges[0].id.clone(),
        archive_ref: "arc_a".into(),
        evicted_at: RecordStore::now(&run.store),
        same_root: false,
        restoration: None,
        keys: None,
        messages: None,
    };
    now(run.store.write(move |records| {
        records.session(&eviction.session_id)?;
        records.evict(&eviction)
    }))
}

/// Puts back what [`evict`] took, as an application's own archive gives it back.
pub(super) fn readmit(run: &mut Run) -> Result<()> {
    let line = format!(
        r#"{{"id":"msg_back","sessionId":"{}","tenantId":"{}","message":{{"content":"back"}},"at":"2026-01-02T03:04:05.678Z"}}"#,
        run.session(1),
        run.tenant
    );
    let lines = vec![format!("{line}\n")];
    let returned = Returned { archive_ref: "arc_a".to_owned(), lines, summary: None };
    let session = run.session(1);
    let put = retention::put_back_returned(&run.store, session.as_str(), returned, &run.tenant);
    now(retention::end_eviction(&run.store, now(put)?.unwrap()))
}

/// Writes what a handoff of the first session writes before it goes on, as of a process
/// of which it is unknown whether it runs.
pub(super) fn begin_handoff(run: &mut Run) -> Result<()> {
    let intent = format!(
        r#"{{"sourceSessionId":"{}","tenantId":"tnt_a","mode":"single","ownerVersion":1,
        "attempt":"att_a","process":{{"pid":1,"startTime":"","bootId":"","copy":""}},
        "at":"2026-01-02T03:04:05.678Z","assignments":[{{"id":"hof_a"}}],
        "workspaces":[{{"id":"wsp_a"}}]}}"#,
        run.session(0)
    );
    let intent = Intent::from_record(&intent).unwrap();
    now(run.store.write(move |records| records.put_intent(&intent)))
}

pub(super) fn checkpoint(run: &mut Run) -> Result<()> {
    Ok(run.store.engine()?.checkpoint()?)
}

/// Each kind of mutation, in an order that lets the next build on it.
pub(super) const LIFE: &[Step] = &[
    create_project,
    create_session,
    append,
    create_session,
    create_edge,
    create_session,
    update_session,
    append,
    append_batch,
    replace,
    checkpoint,
    update_project,
    archive_edge,
    evict,
    record_summary,
    create_edge,
    move_edge,
    append_long,
    delete_edge,
    checkpoint,
    append,
    delete_session,
    create_session,
    append,
];

/// The tree before the first step and after each.
pub(super) fn trees(steps: &[Step]) -> Vec<RecordTree> {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    let mut trees = vec![record_tree(&disk)];
    for step in steps {
        step(&mut run).unwrap();
        trees.push(record_tree(&disk));
    }
    trees
}
