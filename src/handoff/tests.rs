//! The state machine over a memory store, with an application that can be told to fail.

use std::sync::Mutex;

use super::{Handoff, HostHandoffStore, NativeHandoffStore, Outcome, execute, recover};
use crate::{
    error::{Error, Foreign, Result},
    host::{Arguments, Host, HostAnswer},
    id::{SessionId, TenantId},
    json::Json,
    model::{ActorRef, Intent, NewProject, NewSession, Session, SessionStatus},
    process::Process,
    store::{MemoryStore, RecordStore, RecordsMut, SessionStore as _},
};

const ACTOR: &str = r#"{"kind":"user","userId":"u","tenantId":"t"}"#;

/// An application that notes every call, and fails the one that it is told to fail.
#[derive(Default)]
pub(super) struct Application {
    calls: Mutex<Vec<String>>,
    fatal: Option<&'static str>,
    gone: bool,
    /// What happens elsewhere while a workspace is created.
    meanwhile: Option<Box<dyn Fn() + Send + Sync>>,
}

impl Application {
    fn failing_at(call: &'static str) -> Self {
        Self { fatal: Some(call), ..Self::default() }
    }

    /// One that can no longer be reached from that call on.
    pub(super) fn gone_at(call: &'static str) -> Self {
        Self { gone: true, ..Self::failing_at(call) }
    }

    pub(super) fn called(&self, object: &str) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.starts_with(object)).cloned().collect()
    }

    fn answer(&self, call: &str, arguments: &str) -> Result<Option<String>> {
        let mut calls = self.calls.lock().unwrap();
        calls.push(format!("{call}{arguments}"));
        let number = calls.iter().filter(|made| made.starts_with("workspaces.create")).count();
        if self.fatal == Some(call) {
            return Err(if self.gone { Error::HostGone } else { thrown() });
        }
        if self.gone && call == "events.isListening" {
            return Err(Error::HostGone);
        }
        if let Some(meanwhile) = self.meanwhile.as_ref().filter(|_| call == "workspaces.create") {
            meanwhile();
        }
        Ok(match call {
            "workspaces.create" => Some(format!(r#"{{"id":"wsp_{number}"}}"#)),
            "store.getSession" => Some(format!(
                r#"{{"projectId":"prj_a","tenantId":"t","status":"idle","currentActor":{ACTOR},
                "previousActors":[1,2],"ownerVersion":3}}"#
            )),
            "store.getProject" => {
                Some(r#"{"config":{"maxDelegationDepth":4,"maxDelegationWidth":8}}"#.to_owned())
            }
            "store.createSession" => Some(r#"{"id":"ses_new"}"#.to_owned()),
            "store.createSubSession" => Some(r#"{"id":"sub_new"}"#.to_owned()),
            _ => None,
        })
    }
}

fn thrown() -> Error {
    Error::Foreign(Foreign {
        thrown: 7,
        name: "Error".to_owned(),
        message: Json::string("broken"),
        details: None,
    })
}

impl Host for Application {
    fn call<'h>(
        &'h self,
        object: &'static str,
        method: &'static str,
        arguments: Arguments,
    ) -> HostAnswer<'h> {
        let answer = self.answer(&format!("{object}.{method}"), &arguments.finish());
        Box::pin(async move { answer })
    }
}

pub(super) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(super) fn tenant() -> TenantId {
    TenantId::new("t").unwrap()
}

/// A store with one session, and assignments of it to as many recipients.
pub(super) fn scene(recipients: usize) -> (MemoryStore, Session, Handoff) {
    let store = MemoryStore::new();
    let session = run(async {
        let new =
            NewProject { tenant_id: tenant(), name: Json::string("p"), config: Default::default() };
        let project = store.create_project(new, &tenant()).await.unwrap();
        let current_actor = Some(ActorRef::parse(ACTOR).unwrap());
        let new = NewSession { project_id: project.id, current_actor };
        store.create_session(new, &tenant()).await.unwrap()
    });
    let handoff = handoff(session.id.as_str(), session.project_id.as_str(), 0, recipients);
    (store, session, handoff)
}

/// A handoff of a further session, of the same project.
pub(super) fn another(store: &MemoryStore, like: &Session) -> Handoff {
    let new = NewSession { project_id: like.project_id.clone(), current_actor: None };
    let session = run(store.create_session(new, &tenant())).unwrap();
    handoff(session.id.as_str(), session.project_id.as_str(), 0, 1)
}

fn handoff(source: &str, project: &str, version: u64, recipients: usize) -> Handoff {
    let mode = if recipients == 1 { "single" } else { "broadcast" };
    let row = |n| {
        format!(
            r#"{{"id":"hof_{n}","mode":"{mode}","sourceSessionId":"{source}","tenantId":"t",
            "projectId":"{project}","sourceActor":{ACTOR},"expectedOwnerVersion":{version},
            "recipientActor":{{"kind":"agent","agentId":"a{n}","tenantId":"t"}},
            "broadcastId":"b"}}"#
        )
    };
    if recipients == 1 {
        return Handoff::single(&row(0), tenant()).unwrap();
    }
    let rows: Vec<_> = (0..recipients).map(row).collect();
    Handoff::broadcast(&format!("[{}]", rows.join(",")), tenant()).unwrap()
}

pub(super) fn natively(
    store: &impl RecordStore,
    application: &Application,
    handoff: &Handoff,
) -> Result<Vec<Outcome>> {
    let mut native = NativeHandoffStore::new(store.clone(), application, handoff);
    run(execute(&mut native, application, handoff))
}

pub(super) fn session(store: &impl RecordStore, id: &SessionId) -> Session {
    store.read(|records| records.session(id)).unwrap().unwrap()
}

fn only_intent(records: &dyn RecordsMut) -> Result<Intent> {
    let sources = records.intended()?;
    let [source] = sources.as_slice() else { panic!("{sources:?}") };
    Ok(records.intent(source)?.unwrap())
}

/// Has a handoff that died leave a workspace.
fn leave_workspace(store: &MemoryStore) {
    run(store.write(|records| {
        let mut intent = only_intent(records)?;
        intent.workspaces.push(Json::parse(r#"{"id":"wsp_1"}"#).unwrap());
        records.put_intent(&intent)
    }))
    .unwrap();
}

#[test]
fn a_native_handoff_is_done_when_it_is_answered() {
    for recipients in [1, 3] {
        let (store, source, handoff) = scene(recipients);
        let application = Application::default();
        let outcomes = natively(&store, &application, &handoff).unwrap();
        assert_eq!(outcomes.len(), recipients);
        let after = session(&store, &source.id);
        assert_eq!(after.owner_version, 1);
        let single = recipients == 1;
        let status = if single { SessionStatus::Idle } else { SessionStatus::AwaitingMerge };
        assert_eq!(after.status, status);
        assert_eq!(after.previous_actors.len(), usize::from(single));
        let edges = store.read(|records| records.edges_from(&source.id)).unwrap();
        assert_eq!(edges.len(), recipients);
        for edge in edges {
            assert_eq!(edge.broadcast_group_id.is_some(), !single);
            let recipient = session(&store, &edge.child_session_id);
            assert_eq!(recipient.workspace_id, edge.workspace_id);
            assert!(recipient.workspace_id.is_some());
        }
        assert!(store.read(|records| records.intended()).unwrap().is_empty());
        let told: Vec<_> = application.called("events");
        assert!(told[0].starts_with("events.onLocked"));
        assert!(told[1].starts_with("events.onCommitted"));
    }
}

#[test]
fn a_failure_leaves_the_source_as_it_was() {
    for recipients in [1, 3] {
        for fatal in ["workspaces.find", "workspaces.create"] {
            let (store, source, handoff) = scene(recipients);
            let application = Application::failing_at(fatal);
            let error = natively(&store, &application, &handoff).unwrap_err();
            assert!(matches!(error, Error::Foreign(Foreign { thrown: 7, .. })));
            let after = session(&store, &source.id);
            assert_eq!((after.status, after.owner_version), (SessionStatus::Idle, 0));
            assert!(store.read(|records| records.intended()).unwrap().is_empty());
            assert!(store.read(|records| records.edges_from(&source.id)).unwrap().is_empty());
            natively(&store, &Application::default(), &handoff).unwrap();
        }
    }
}

#[test]
fn a_status_that_was_set_meanwhile_stays_and_the_handoff_is_undone() {
    for recipients in [1, 3] {
        let (store, source, handoff) = scene(recipients);
        let (elsewhere, id) = (store.clone(), source.id.clone());
        let meanwhile = move || {
            let locked = session(&elsewhere, &id);
            let failed = Session { status: SessionStatus::Failed, ..locked };
            // Another call has another runtime.
            let set = || run(elsewhere.update_session(failed, &TenantId::new("t").unwrap(), None));
            std::thread::scope(|scope| scope.spawn(set).join().unwrap()).unwrap();
        };
        let application =
            Application { meanwhile: Some(Box::new(meanwhile)), ..Application::default() };
        let error = natively(&store, &application, &handoff).unwrap_err();
        assert!(matches!(error, Error::LockRejected { .. }), "{error}");
        let after = session(&store, &source.id);
        assert_eq!((after.status, after.owner_version), (SessionStatus::Failed, 0));
        assert!(store.read(|records| records.edges_from(&source.id)).unwrap().is_empty());
    }
}

#[test]
fn a_version_that_cannot_be_counted_on_from_is_refused_before_the_lock() {
    const LAST: u64 = (1 << 53) - 1;
    let (store, source, _) = scene(1);
    let last = Session { owner_version: LAST, ..session(&store, &source.id) };
    run(store.update_session(last, &TenantId::new("t").unwrap(), None)).unwrap();
    let handoff = self::handoff(source.id.as_str(), source.project_id.as_str(), LAST, 1);
    let error = natively(&store, &Application::default(), &handoff).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    let after = session(&store, &source.id);
    assert_eq!((after.status, after.owner_version), (SessionStatus::Idle, LAST));
}

#[test]
fn what_nobody_is_there_to_undo_is_left_to_recovery() {
    let (store, source, handoff) = scene(1);
    let application = Application::gone_at("workspaces.create");
    natively(&store, &application, &handoff).unwrap_err();
    assert_eq!(session(&store, &source.id).status, SessionStatus::Locked);

    let other = TenantId::new("other").unwrap();
    assert!(run(recover(&store, &Application::default(), &other)).unwrap().is_empty());
    let recovered = run(recover(&store, &Application::default(), &tenant())).unwrap();
    assert_eq!(recovered.len(), 1);
    assert!(recovered[0].contains(r#""handoffIds":["hof_0"]"#));
    assert_eq!(session(&store, &source.id).status, SessionStatus::Idle);
    assert!(run(recover(&store, &Application::default(), &tenant())).unwrap().is_empty());
}

#[test]
fn a_handoff_recovers_what_one_of_this_process_gave_up() {
    for recipients in [1, 3] {
        let (store, source, handoff) = scene(recipients);
        let gone = Application::gone_at("workspaces.create");
        natively(&store, &gone, &handoff).unwrap_err();
        assert_eq!(session(&store, &source.id).status, SessionStatus::Locked);
        let application = Application::default();
        natively(&store, &application, &handoff).unwrap();
        assert_eq!(session(&store, &source.id).owner_version, 1);
        assert!(store.read(|records| records.intended()).unwrap().is_empty());
        let told: Vec<_> = application.called("events");
        let undone = if recipients == 1 { "events.onUnlocked" } else { "events.onBroadcast" };
        assert!(told[0].starts_with(undone), "{told:?}");
        assert!(told[1].starts_with("events.onLocked"), "{told:?}");
    }
}

#[test]
fn what_is_left_of_a_source_that_was_unlocked_by_other_means_is_recovered_first() {
    let (store, source, handoff) = scene(1);
    let application = Application::gone_at("workspaces.find");
    natively(&store, &application, &handoff).unwrap_err();
    run(store.write({
        let id = source.id.clone();
        move |records| {
            let mut intent = only_intent(records)?;
            intent.workspaces.push(Json::parse(r#"{"id":"wsp_left"}"#).unwrap());
            records.put_intent(&intent)?;
            let session = records.session(&id)?.unwrap();
            records.put_session(&Session { status: SessionStatus::Idle, ..session })
        }
    }))
    .unwrap();
    let application = Application::default();
    natively(&store, &application, &handoff).unwrap();
    let discarded = application.called("workspaces.discard");
    assert_eq!(discarded, [r#"workspaces.discard[{"id":"wsp_left"}]"#]);
    assert_eq!(session(&store, &source.id).owner_version, 1);
    assert!(store.read(|records| records.intended()).unwrap().is_empty());
}

#[test]
fn an_intent_whose_workspace_stays_is_kept_for_another_try() {
    let (store, source, handoff) = scene(1);
    let application = Application::gone_at("workspaces.find");
    natively(&store, &application, &handoff).unwrap_err();
    leave_workspace(&store);
    let failing = Application::failing_at("workspaces.discard");
    assert!(run(recover(&store, &failing, &tenant())).is_err());
    assert_eq!(session(&store, &source.id).status, SessionStatus::Locked);
    let working = Application::default();
    assert_eq!(run(recover(&store, &working, &tenant())).unwrap().len(), 1);
    assert_eq!(working.called("workspaces"), [r#"workspaces.discard[{"id":"wsp_1"}]"#]);
}

/// An application that deletes the source when it is asked to remove a workspace, and
/// then fails to.
struct Deleting(MemoryStore, SessionId);

impl Host for Deleting {
    fn call<'h>(
        &'h self,
        object: &'static str,
        method: &'static str,
        _: Arguments,
    ) -> HostAnswer<'h> {
        Box::pin(async move {
            match (object, method) {
                ("workspaces", "discard") => {
                    self.0.delete_session(self.1.as_str(), &tenant()).await?;
                    Err(thrown())
                }
                _ => Ok(None),
            }
        })
    }
}

#[test]
fn what_a_deletion_took_from_an_intent_is_not_brought_back_by_a_recovery() {
    let (store, source, handoff) = scene(1);
    let application = Application::gone_at("workspaces.find");
    natively(&store, &application, &handoff).unwrap_err();
    leave_workspace(&store);
    let deleting = Deleting(store.clone(), source.id.clone());
    assert!(run(recover(&store, &deleting, &tenant())).is_err());
    let left = run(store.write(|records| only_intent(records))).unwrap();
    assert_eq!(left.assignments, [Json::parse(r#"{"id":"hof_0"}"#).unwrap()]);
    assert_eq!(left.workspaces.len(), 1);

    let working = Application::default();
    assert_eq!(run(recover(&store, &working, &tenant())).unwrap().len(), 1);
    assert_eq!(working.called("workspaces"), [r#"workspaces.discard[{"id":"wsp_1"}]"#]);
    assert!(working.called("events").is_empty());
    assert!(store.read(|records| records.intended()).unwrap().is_empty());
}

#[test]
fn a_process_that_may_live_is_left_alone() {
    let (store, source, handoff) = scene(1);
    let application = Application::gone_at("workspaces.find");
    natively(&store, &application, &handoff).unwrap_err();
    run(store.write(|records| {
        let mut intent = only_intent(records)?;
        // Another copy of this library, in this very process.
        intent.process = Process { copy: "another".to_owned(), ..Process::this().clone() };
        records.put_intent(&intent)
    }))
    .unwrap();
    assert!(run(recover(&store, &Application::default(), &tenant())).unwrap().is_empty());
    assert_eq!(session(&store, &source.id).status, SessionStatus::Locked);
}

#[test]
fn a_store_of_the_application_is_told_what_changes_and_no_more() {
    let handoff = handoff("ses_a", "prj_a", 3, 1);
    let application = Application::default();
    let mut store = HostHandoffStore::new(&application, &handoff);
    run(execute(&mut store, &application, &handoff)).unwrap();
    let updates: Vec<_> = application.called("store.updateSession");
    assert_eq!(updates[0], r#"store.updateSession[{"status":"locked"},"t",3]"#);
    let recipient = r#"{"kind":"agent","agentId":"a0","tenantId":"t"}"#;
    assert_eq!(
        updates[1],
        format!(
            r#"store.updateSession[{{"status":"idle","currentActor":{recipient},"ownerVersion":4}},"t"]"#
        )
    );
}

#[test]
fn a_store_of_the_application_is_put_back_as_it_was() {
    let handoff = handoff("ses_a", "prj_a", 3, 1);
    let application = Application::failing_at("store.createSubSession");
    let mut store = HostHandoffStore::new(&application, &handoff);
    run(execute(&mut store, &application, &handoff)).unwrap_err();
    let calls = application.calls.lock().unwrap();
    let failed = calls.iter().position(|call| call.starts_with("store.createSub")).unwrap();
    let undone: Vec<_> = calls[failed + 1..].iter().map(String::as_str).collect();
    assert_eq!(
        undone[..3],
        [
            r#"store.updateSession[{"status":"idle"},"t"]"#,
            "workspaces.dispose[0]",
            r#"store.deleteSession["ses_new","t"]"#,
        ]
    );
    assert!(undone[3].starts_with("events.onUnlocked"));
}
