//! Archiving and restoring over file operations that fail, one after the other.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use super::{
    ArchiveRequest, DiskArchive, Identity, Tombstone,
    archive::{archive, archive_batch, commit},
    bundle::fail_after,
    remove_unsealed, restore,
    snapshot::Snapshot,
};
use crate::{
    error::{Error, Result},
    id::{SessionId, TenantId, WorkspaceId},
    json::Json,
    model::{
        Message, NewProject, NewSession, NewSubSession, ProjectConfigPart, Session, SessionStatus,
        SubSession, SubSessionStatus, Summary,
    },
    store::{
        DiskStore, ExtendedSessionStore as _, Log, MemoryStore, RecordStore, SessionStore as _,
    },
    timestamp::Timestamp,
    verify::verify,
};

/// The answer of a future that is ready at once, as there is no runtime here.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("without a runtime every transaction is done at once"),
    }
}

/// A store with an idle edge, whose child has messages and a summary.
pub(super) struct World<S> {
    pub(super) store: S,
    pub(super) bundles: DiskArchive,
    pub(super) tenant: TenantId,
    pub(super) child: SessionId,
    pub(super) edge: SubSession,
    /// The child's messages.
    pub(super) log: Log,
    _roots: [tempfile::TempDir; 2],
}

impl<S: RecordStore> World<S> {
    pub(super) fn new(store: impl FnOnce(&std::path::Path) -> S, beside: bool) -> Self {
        let roots = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let store = store(roots[0].path());
        let tenant = TenantId::new("tnt_a").unwrap();
        let new = NewProject {
            tenant_id: tenant.clone(),
            name: Json::parse("\"P\"").unwrap(),
            config: ProjectConfigPart::default(),
        };
        let project = now(store.create_project(new, &tenant)).unwrap().id;
        let session = || {
            let new = format!(r#"{{"projectId":"{project}","currentActor":null}}"#);
            let new = NewSession::from_payload(&new).unwrap();
            now(store.create_session(new, &tenant)).unwrap().id
        };
        let (parent, child) = (session(), session());
        let new = format!(
            r#"{{"parentSessionId":"{parent}","childSessionId":"{child}","kind":"agent_spawn",
            "spawnedBy":{{"kind":"user","userId":"u","tenantId":"tnt_a"}}}}"#
        );
        let new = NewSubSession::from_payload(&new).unwrap();
        let edge = now(store.create_sub_session(new, &tenant)).unwrap();
        let edge = SubSession { status: SubSessionStatus::Idle, ..edge };
        now(store.update_sub_session(edge.clone(), &tenant)).unwrap();
        let messages = ["a", "b", "c"].map(|text| {
            Message::from_payload(&format!(r#"{{"role":"user","content":"{text}"}}"#)).unwrap()
        });
        let session = child.as_str();
        now(store.append_messages(session, messages.to_vec(), Some("k".into()), &tenant)).unwrap();
        now(store.replace_messages(session, messages.to_vec(), &tenant)).unwrap();
        let summary = format!(
            r#"{{"id":"sum_a","sessionRef":"{child}","tenantId":"tnt_a",
            "outcome":{{"status":"succeeded"}},"deliverables":[],"agentSummary":"x",
            "keyDecisions":[],"at":"2026-01-01T00:00:00.000Z","materializedBy":"kernel"}}"#
        );
        now(store.record_summary(Summary::from_payload(&summary).unwrap(), &tenant)).unwrap();
        let log = now(store.load_session_messages(session, &tenant)).unwrap();
        let root = roots[usize::from(!beside)].path();
        let bundles = DiskArchive::new(root, true);
        Self { store, bundles, tenant, child, edge, log, _roots: roots }
    }

    pub(super) fn archive(&self, evict: bool) -> Result<()> {
        let request = ArchiveRequest {
            sub_session_id: self.edge.id.to_string(),
            tenant_id: self.tenant.clone(),
            workspace: Json::parse(r#"{"id":"wsp_a"}"#).ok(),
            evict,
            idle_since: None,
        };
        now(archive(&self.store, &self.bundles, &request)).map(drop)
    }

    /// One that is missing, then the edge as many times.
    fn archive_batch(&self, times: usize, resolves: bool) -> Result<Vec<Result<Tombstone>>> {
        let mut ids = vec!["sub_missing"];
        ids.resize(times + 1, self.edge.id.as_str());
        let request = |id: &&str| ArchiveRequest {
            sub_session_id: (*id).to_owned(),
            tenant_id: self.tenant.clone(),
            workspace: None,
            evict: true,
            idle_since: None,
        };
        let requests: Vec<_> = ids.iter().map(request).collect();
        now(archive_batch(&self.store, &self.bundles, &requests, resolves))
    }

    fn restore(&self) -> Result<()> {
        now(restore(&self.store, &self.bundles, self.edge.id.as_str(), &self.tenant, None))
    }

    pub(super) fn status(&self) -> SubSessionStatus {
        let edge = now(self.store.get_sub_session(self.edge.id.as_str(), &self.tenant));
        edge.unwrap().unwrap().status
    }

    pub(super) fn messages(&self) -> Log {
        now(self.store.load_session_messages(self.child.as_str(), &self.tenant)).unwrap()
    }

    fn has_summary(&self) -> bool {
        now(self.store.get_summary(self.child.as_str(), &self.tenant)).unwrap().is_some()
    }

    /// How many bundles are complete.
    fn bundles(&self) -> usize {
        let states = self.bundles.verify().unwrap();
        assert!(states.iter().all(|bundle| bundle.state != "corrupt"));
        states.iter().filter(|bundle| bundle.state == "complete").count()
    }
}

/// Runs `work`, with each of its file operations failing in turn, until it has met
/// none that fails.
fn failing(mut work: impl FnMut() -> Result<()>, check: impl Fn(Result<()>)) -> u32 {
    for n in 0.. {
        fail_after(Some(n));
        let answer = work();
        if !fail_after(None) {
            answer.unwrap();
            return n;
        }
        check(answer);
    }
    unreachable!("work comes to an end");
}

fn survives_failures<S: RecordStore>(world: &World<S>, evict: bool) {
    let is_full = |answer: Result<()>| {
        assert!(matches!(answer, Err(Error::StoreIo { code, .. }) if code == "ENOSPC"));
    };
    let steps = failing(
        || world.archive(evict),
        |answer| {
            is_full(answer);
            assert_eq!(world.status(), SubSessionStatus::Idle);
            assert_eq!((world.messages(), world.has_summary()), (world.log.clone(), true));
            assert_eq!(world.bundles(), 0);
        },
    );
    assert!(steps >= 10, "{steps}");
    assert_eq!((world.status(), world.bundles()), (SubSessionStatus::Archived, 1));
    assert_eq!(world.has_summary(), !evict);
    assert_eq!(world.messages() == world.log, !evict);
    let steps = failing(
        || world.restore(),
        |answer| {
            is_full(answer);
            assert_eq!(world.status(), SubSessionStatus::Archived);
            assert_eq!(world.has_summary(), !evict);
            assert_eq!(world.messages() == world.log, !evict);
        },
    );
    assert!(steps > 5, "{steps}");
    assert_eq!(world.status(), SubSessionStatus::Idle);
    assert_eq!((world.messages(), world.has_summary()), (world.log.clone(), true));
}

#[test]
fn a_failure_at_any_step_leaves_the_edge_as_it_was() {
    for evict in [false, true] {
        for beside in [false, true] {
            survives_failures(&World::new(|root| DiskStore::new(root), beside), evict);
            survives_failures(&World::new(|_| MemoryStore::new(), beside), evict);
        }
    }
}

#[test]
fn what_its_writer_left_is_removed_beside_the_records_alone() {
    for beside in [true, false] {
        let world = World::new(|root| DiskStore::new(root), beside);
        world.archive(false).unwrap();
        let unfinished = super::bundle::Writer::new(&world.bundles).unwrap();
        assert_eq!(world.bundles.verify().unwrap().len(), 2);
        // As long as it is held, it is being written.
        assert_eq!(now(remove_unsealed(&world.store, &world.bundles)).unwrap(), 0);
        assert_eq!(world.bundles.verify().unwrap().len(), 2);
        unfinished.keep();
        let removed = now(remove_unsealed(&world.store, &world.bundles)).unwrap();
        assert_eq!(removed, usize::from(beside));
        assert_eq!(world.bundles(), 1);
    }
}

#[test]
fn a_log_of_the_same_length_is_another_once_it_was_changed() {
    fn check<S: RecordStore>(world: &World<S>) {
        let request = ArchiveRequest {
            sub_session_id: world.edge.id.to_string(),
            tenant_id: world.tenant.clone(),
            workspace: None,
            evict: true,
            idle_since: None,
        };
        let read = Snapshot::of(&world.store, &request).unwrap();
        let child = read.child.clone().unwrap();
        let holds = |evict| world.store.read(|records| read.holds(records, &child, evict));
        assert!(holds(true).unwrap() && holds(false).unwrap());
        // Evicted and put back: to the byte what it was, and yet read at another time.
        world.archive(true).unwrap();
        world.restore().unwrap();
        assert_eq!(world.messages(), world.log);
        assert!(!holds(true).unwrap() && !holds(false).unwrap());
    }
    // On disk a file system may give the log that was put back the number of the one before.
    check(&World::new(|_| MemoryStore::new(), false));
}

#[test]
fn what_was_used_since_a_sweep_decided_is_not_archived() {
    fn check<S: RecordStore>(world: &World<S>, beside: bool, evict: bool) {
        let since = world.store.now();
        let request = |idle_since| ArchiveRequest {
            sub_session_id: world.edge.id.to_string(),
            tenant_id: world.tenant.clone(),
            workspace: None,
            evict,
            idle_since: Some(idle_since),
        };
        let read = |request: &ArchiveRequest| Snapshot::of(&world.store, request);
        let write = |request: &ArchiveRequest| {
            let mut snapshot = read(request)?;
            let writer = snapshot.write(&world.store, &world.bundles, request)?;
            world.bundles.sync([&writer])?;
            Ok::<_, Error>((writer, snapshot))
        };
        let written = [request(since), request(since)].map(|one| (write(&one).unwrap(), one));
        while world.store.now() <= since {}
        let said = Message::from_payload(r#"{"role":"user","content":"late"}"#).unwrap();
        now(world.store.append_message(world.child.as_str(), said, &world.tenant)).unwrap();
        let is_refused = |answer: &Result<Option<Tombstone>>| {
            matches!(answer, Err(Error::NotArchivable { reason: "not_idle", .. }))
        };
        for ((writer, snapshot), request) in written {
            let answer = now(commit(&world.store, writer, &request, snapshot, beside));
            assert!(is_refused(&answer), "{answer:?}");
        }
        assert!(read(&request(since)).is_err());
        assert_eq!((world.status(), world.bundles()), (SubSessionStatus::Idle, 0));
        assert_ne!(world.messages(), world.log);
        // In use, though nothing was written.
        let request = request(world.store.now());
        let (writer, snapshot) = write(&request).unwrap();
        let session = now(world.store.get_session(world.child.as_str(), &world.tenant)).unwrap();
        let used = Session { status: SessionStatus::Active, ..session.unwrap() };
        now(world.store.update_session(used, &world.tenant, None)).unwrap();
        assert!(is_refused(&now(commit(&world.store, writer, &request, snapshot, beside))));
    }
    for (beside, evict) in [(true, true), (true, false), (false, true), (false, false)] {
        check(&World::new(|root| DiskStore::new(root), beside), beside, evict);
        check(&World::new(|_| MemoryStore::new(), false), false, evict);
    }
}

#[test]
fn a_bundle_that_could_not_be_restored_is_not_sealed() {
    let world = World::new(|root| DiskStore::new(root), true);
    let identity = Identity {
        sub_session_id: "sub_a".to_owned(),
        session_id: "ses_a".to_owned(),
        tenant_id: "tnt_a".to_owned(),
        summary: None,
        workspace: None,
    };
    let line = r#"{"id":"msg_a","sessionId":"ses_a","tenantId":"tnt_b","message":{},"at":"2026-01-02T03:04:05.678Z"}"#;
    for line in [line, "{}", &line.replace("tnt_b", "tnt_a").replace("2026", "x")] {
        let stored = world.bundles.store(&identity, vec![format!("{line}\n")], Timestamp::now());
        assert!(matches!(stored, Err(Error::InvalidArgument { .. })), "{line}");
    }
    assert_eq!(world.bundles.verify().unwrap(), []);
}

/// Not by cutting the file first, which some file systems answer by writing it out.
fn overwrite(path: &std::path::Path, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new().write(true).open(path);
    std::io::Write::write_all(&mut file.unwrap(), bytes).unwrap();
}

/// Every file of a bundle has its digest, and the marker one of its own.
#[test]
fn no_bit_of_a_bundle_can_change_unnoticed() {
    let world = World::new(|root| DiskStore::new(root), false);
    world.archive(true).unwrap();
    let all = world._roots[1].path().join("archive");
    let folder = std::fs::read_dir(&all).unwrap().next().unwrap().unwrap();
    let archive_ref = folder.file_name().into_string().unwrap();
    let step = if std::env::var_os("NAMZU_EVERY_BIT").is_some() { 1 } else { 7 };
    let mut files = 0;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        for bit in (0..whole.len() * 8).step_by(step) {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            overwrite(&path, &flipped);
            let refused = world.bundles.open(&archive_ref).unwrap_err();
            let named = matches!(refused, Error::ArchiveNotFound { reason: "corrupt", .. });
            assert!(named, "{}:{bit}: {refused}", path.display());
            let found = verify(world._roots[1].path()).unwrap();
            assert!(!found.is_empty(), "{}:{bit}: verify finds nothing", path.display());
            let restored = world.restore().unwrap_err();
            // A bundle that says that it is another tenant's is none, before it is verified.
            let named = matches!(
                restored,
                Error::ArchiveNotFound { reason: "corrupt", .. }
                    | Error::ArchiveNotFound { reason: "missing", .. }
            );
            assert!(named, "{}:{bit}: {restored}", path.display());
        }
        overwrite(&path, &whole);
        files += 1;
    }
    assert!(files >= 5, "{files} files");
    world.restore().unwrap();
    assert_eq!(world.messages(), world.log);
}

#[test]
fn a_batch_archives_each_edge_for_itself() {
    for beside in [true, false] {
        let world = World::new(|root| DiskStore::new(root), beside);
        let reason = |answer: &Result<Tombstone>| match answer {
            Err(Error::NotArchivable { reason, .. }) => *reason,
            _ => "",
        };
        let archived = world.archive_batch(2, true).unwrap();
        assert_eq!(
            archived.iter().map(reason).collect::<Vec<_>>(),
            ["missing", "", "already_archived"]
        );
        let (edge, bundle) = (world.edge.id.as_str(), archived[1].as_ref().unwrap());
        assert_eq!((bundle.sub_session_id.as_str(), world.bundles()), (edge, 1));
        world.restore().unwrap();
        assert_eq!(world.messages(), world.log);
    }
}

#[test]
fn a_failure_at_any_step_of_a_batch_leaves_the_edge_as_it_was() {
    for beside in [true, false] {
        let world = World::new(|root| DiskStore::new(root), beside);
        let steps = failing(
            || world.archive_batch(1, false)?.remove(1).map(drop),
            |answer| {
                assert!(matches!(answer, Err(Error::StoreIo { .. })));
                assert_eq!((world.status(), world.bundles()), (SubSessionStatus::Idle, 0));
                assert_eq!((world.messages(), world.has_summary()), (world.log.clone(), true));
            },
        );
        assert!(steps > 8, "{steps}");
        assert_eq!(world.status(), SubSessionStatus::Archived);
    }
}

#[test]
fn a_batch_ends_before_a_workspace_that_is_to_be_resolved() {
    let world = World::new(|root| DiskStore::new(root), true);
    let edge = SubSession { workspace_id: WorkspaceId::new("wsp_a"), ..world.edge.clone() };
    now(world.store.update_sub_session(edge, &world.tenant)).unwrap();
    assert_eq!(world.archive_batch(2, true).unwrap().len(), 1);
    assert_eq!(world.status(), SubSessionStatus::Idle);
    assert_eq!(world.archive_batch(2, false).unwrap().len(), 3);
    assert_eq!(world.status(), SubSessionStatus::Archived);
}
