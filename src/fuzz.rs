//! What reads bytes of others, each over bytes that may be anything. They panic when
//! something is wrong. `fuzz/` runs them with a fuzzer; the tests below without one: over
//! the bytes that `fuzz/corpus/` keeps, and over what a seed makes of them.

use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll, Waker},
};

use sha2::{Digest as _, Sha256};

use crate::{
    engine::fuzz as engine,
    error::Error,
    id::{ArchiveRef, MessageId, PathComponent, ProjectId, SessionId, SubSessionId, TenantId},
    json::{Json, indented},
    model::{
        Eviction, Intent, LogLine, Message, NewProject, NewSession, NewSubSession, Project,
        ProjectConfigPart, Record, Session, SubSession, SubSessionStatus, Summary,
    },
    retention::{self, DiskArchive},
    store::{MemoryStore, SessionStore as _, disk_fuzz as disk},
    workspace::parse_worktree_list,
};

/// A target: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("journal", engine::journal),
    ("index", engine::index),
    ("record", record),
    ("message_log", disk::message_log),
    ("id", id),
    ("worktree_list", worktree_list),
    ("bundle", bundle),
    ("operations", disk::operations),
];

/// Runs the target of a name.
///
/// # Panics
/// When there is none, or when what it looks for is not so.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.unwrap_or_else(|| panic!("no target {name}")).1(bytes);
}

/// A record of any kind: what reads is written, and that reads as the same.
fn record(bytes: &[u8]) {
    fn of<R: Record>(text: &str) {
        let Ok(record) = R::from_record(text) else { return };
        let written = record.to_record();
        let again = R::from_record(&written).unwrap_or_else(|e| panic!("{e}: {written}"));
        assert_eq!(again.to_record(), written);
        assert_eq!(again.record_id(), record.record_id());
        assert!(serde_json::from_str::<&serde_json::value::RawValue>(&written).is_ok());
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    of::<Project>(text);
    of::<Session>(text);
    of::<SubSession>(text);
    of::<Summary>(text);
    of::<Intent>(text);
    of::<Eviction>(text);
    let _ = Session::from_payload(text);
    let _ = Summary::from_payload(text);
    let _ = ProjectConfigPart::from_payload(text);
    if let Ok(message) = Message::from_payload(text) {
        assert!(Json::parse(message.as_str()).is_ok());
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(line) = LogLine::parse(line) {
            assert!(line.messages().iter().all(|message| message.message.starts_with('{')));
        }
    }
}

/// An id: what is taken for a path's component is one, and nothing else.
fn id(bytes: &[u8]) {
    fn is_component(id: &impl PathComponent, text: &str) {
        let name = id.component();
        assert_eq!(name, text);
        assert!((5..=128).contains(&name.len()), "{name}");
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        assert!(name.bytes().all(plain), "{name}");
        let path = std::path::Path::new(name);
        assert_eq!(path.components().count(), 1);
        assert_eq!(path.file_name().and_then(|name| name.to_str()), Some(name));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = &*text;
    let _ = ProjectId::parse(text).map(|id| is_component(&id, text));
    let _ = SessionId::parse(text).map(|id| is_component(&id, text));
    let _ = SubSessionId::parse(text).map(|id| is_component(&id, text));
    let _ = ArchiveRef::parse(text).map(|id| is_component(&id, text));
    assert_eq!(MessageId::new(text).is_none(), text.is_empty());
    if crate::id::check_run_folder(text).is_ok() {
        assert_eq!(std::path::Path::new(text).components().count(), 1);
        assert!(!matches!(text, "." | ".."));
    }
}

/// A list of worktrees, after the path that is looked for and a NUL.
fn worktree_list(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (path, list) = text.split_once('\0').unwrap_or(("/w", &text));
    if let Some(found) = parse_worktree_list(list, path) {
        assert_eq!(found.path, path);
        assert!(path.is_empty() || list.contains(&format!("worktree {path}")));
        assert!(serde_json::from_str::<serde_json::Value>(&found.to_json()).is_ok());
    }
}

/// What can be in a bundle's folder, in the order of the input's parts.
const BUNDLE: [&str; 7] = [
    "archive.json",
    "subsession.json",
    "messages.jsonl",
    "summary.json",
    "workspace.json",
    "original-messages.jsonl",
    "original-summary.json",
];

/// A bundle: its files, with NULs between them. `-` is a file that is absent, and a marker
/// that is `=` is the right one for the others. It is opened, verified and restored: what
/// is refused leaves all as it was, and what is accepted can be read.
fn bundle(bytes: &[u8]) {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0).take(BUNDLE.len()).collect();
    if let Ok(marker) = std::str::from_utf8(parts[0]) {
        retention::fuzz(marker);
    }
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("namzu-fuzz-{}-{run}", std::process::id()));
    let held = std::panic::catch_unwind(|| restore_bundle(&parts, &root));
    std::fs::remove_dir_all(&root).unwrap();
    if let Err(panic) = held {
        std::panic::resume_unwind(panic);
    }
}

fn restore_bundle(parts: &[&[u8]], root: &Path) {
    let tenant = &TenantId::new("tnt_a").unwrap();
    let store = MemoryStore::new();
    let edge = evicted_edge(&store, tenant);
    let (id, child) = (edge.id.as_str(), edge.child_session_id.as_str());
    let folder = root.join("archive").join(EVICTED_INTO);
    std::fs::create_dir_all(&folder).unwrap();
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, part) in BUNDLE.iter().zip(parts).skip(1).filter(|(_, part)| **part != b"-") {
        let mut bytes = part.to_vec();
        for (says, means) in [("$edge", id), ("$child", child)] {
            bytes = String::from_utf8(bytes)
                .map_or_else(|error| error.into_bytes(), |t| t.replace(says, means).into_bytes());
        }
        files.push((name, bytes));
    }
    match parts[0] {
        b"-" => {}
        b"=" => files.push((BUNDLE[0], right_marker(&files).into_bytes())),
        other => files.push((BUNDLE[0], other.to_vec())),
    }
    for (name, bytes) in &files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }

    let archive = DiskArchive::new(root, false);
    let opened = archive.open(EVICTED_INTO);
    let state = archive.verify().unwrap().remove(0).state;
    match &opened {
        Ok(bundle) => assert_eq!(state == "complete", bundle.messages().is_ok(), "{state}"),
        Err(error) => {
            assert!(matches!(error, Error::ArchiveNotFound { .. }), "{error}");
            assert_ne!(state, "complete");
        }
    }
    let log = |store: &MemoryStore| now(store.load_session_messages(child, tenant));
    let before = store.clone();
    let answer = now(retention::restore(&store, &archive, id, tenant, None));
    let status = now(store.get_sub_session(id, tenant)).unwrap().unwrap().status;
    // What the `original-…` files say is not looked at before it is put back.
    let has = |name| files.iter().any(|(other, _)| *other == name);
    let is_named = |error: &Error| {
        matches!(error, Error::CorruptRecord { .. } | Error::TenantIsolation { .. })
    };
    if let Err(error) = answer {
        let of_original = (has(BUNDLE[5]) || has(BUNDLE[6])) && is_named(&error);
        assert!(matches!(error, Error::ArchiveNotFound { .. }) || of_original, "{error}");
        assert_eq!(status, SubSessionStatus::Archived);
        assert_eq!(log(&store).unwrap(), log(&before).unwrap());
        assert!(now(store.get_summary(child, tenant)).unwrap().is_none());
    } else {
        assert_eq!((status, state), (SubSessionStatus::Idle, "complete"));
        assert_eq!(opened.unwrap().identity.session_id, child);
        match log(&store) {
            Ok(texts) => texts.iter().for_each(|text| {
                serde_json::from_str::<Vec<&serde_json::value::RawValue>>(text).unwrap();
            }),
            Err(error) => assert!(has(BUNDLE[5]) && is_named(&error), "{error}"),
        }
        if let Err(error) = now(store.get_summary(child, tenant)) {
            assert!(has(BUNDLE[6]) && is_named(&error), "{error}");
        }
    }
    for (name, bytes) in &files {
        assert_eq!(std::fs::read(folder.join(name)).unwrap(), *bytes, "{name}");
    }
}

/// The bundle that is restored.
const EVICTED_INTO: &str = "arc_a";

/// An edge whose child is in the bundle alone.
fn evicted_edge(store: &MemoryStore, tenant: &TenantId) -> SubSession {
    let project = NewProject {
        tenant_id: tenant.clone(),
        name: Json::parse("\"P\"").unwrap(),
        config: ProjectConfigPart::default(),
    };
    let project = now(store.create_project(project, tenant)).unwrap().id;
    let session = || {
        let new = format!(r#"{{"projectId":"{project}","currentActor":null}}"#);
        now(store.create_session(NewSession::from_payload(&new).unwrap(), tenant)).unwrap().id
    };
    let new = format!(
        r#"{{"parentSessionId":"{}","childSessionId":"{}","kind":"agent_spawn",
        "spawnedBy":{{"kind":"user","userId":"u","tenantId":"tnt_a"}}}}"#,
        session(),
        session()
    );
    let new = NewSubSession::from_payload(&new).unwrap();
    let edge = now(store.create_sub_session(new, tenant)).unwrap();
    let idle = SubSession { status: SubSessionStatus::Idle, ..edge };
    now(store.update_sub_session(idle.clone(), tenant)).unwrap();
    let mark = retention::mark(store, idle.id.as_str(), tenant).unwrap().unwrap();
    let status = SubSessionStatus::Archived;
    let edge = SubSession { status, archive_ref: Some(EVICTED_INTO.into()), ..idle };
    assert!(now(retention::mark_archived(store, edge.clone(), mark, true, None, tenant)).unwrap());
    edge
}

/// A marker as the format document has it, written by another hand.
fn right_marker(files: &[(&str, Vec<u8>)]) -> String {
    let sha256 = |bytes: &[u8]| -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let entries: Vec<String> = files
        .iter()
        .map(|(name, bytes)| {
            format!(r#""{name}":{{"bytes":{},"sha256":"{}"}}"#, bytes.len(), sha256(bytes))
        })
        .collect();
    let says = format!(
        r#"{{"archiveRef":"{EVICTED_INTO}","archivedAt":"2026-01-02T03:04:05.678Z","files":{{{}}}"#,
        entries.join(",")
    );
    let own = sha256(format!("{says}}}").as_bytes());
    indented(&format!(r#"{says},"sha256":"{own}"}}"#))
}

/// The answer of a future that is ready at once, as there is no runtime here.
fn now<T>(future: impl Future<Output = T>) -> T {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("a memory store answers at once"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::simulated::Seed;

    /// How many times each target runs on changed bytes.
    fn runs() -> u64 {
        number("NAMZU_FUZZ_RUNS").unwrap_or(300)
    }

    fn number(name: &str) -> Option<u64> {
        std::env::var(name).ok()?.parse().ok()
    }

    fn corpus(target: &str) -> Vec<Vec<u8>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
    }

    fn below(random: &mut Seed, end: usize) -> usize {
        usize::try_from(random.below(end as u64)).unwrap()
    }

    /// Bytes that are nearly those of a corpus: a few changes, each of some kind.
    fn changed(corpus: &[Vec<u8>], random: &mut Seed) -> Vec<u8> {
        let mut bytes = corpus[below(random, corpus.len())].clone();
        for _ in 0..=random.below(4) {
            let at = below(random, bytes.len() + 1);
            let end = at + below(random, (bytes.len() - at).min(40) + 1);
            match random.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let part = bytes[at..end].to_vec();
                    let to = below(random, bytes.len() + 1);
                    bytes.splice(to..to, part);
                }
                4 => {
                    let other = &corpus[below(random, corpus.len())];
                    let from = below(random, other.len() + 1);
                    bytes.splice(at..end, other[from..].iter().take(200).copied());
                }
                _ => {
                    let new = (0..=random.below(6)).map(|_| random.below(256) as u8);
                    bytes.splice(at..at, new.collect::<Vec<_>>());
                }
            }
        }
        bytes
    }

    #[test]
    fn every_target_holds_over_its_corpus_and_what_is_nearly_that() {
        let seed = disk::seed();
        let only = std::env::var("NAMZU_FUZZ_TARGET").ok();
        let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
        assert!(TARGETS.iter().any(|(name, _)| wanted(name)), "there is no target {only:?}");
        for (name, target) in TARGETS.iter().filter(|(name, _)| wanted(name)) {
            let corpus = corpus(name);
            assert!(!corpus.is_empty(), "fuzz/corpus/{name} is empty");
            corpus.iter().for_each(|bytes| target(bytes));
            let mut random = Seed::new(seed);
            for run in 0..runs() {
                let bytes = changed(&corpus, &mut random);
                let held = std::panic::catch_unwind(|| target(&bytes));
                assert!(held.is_ok(), "{name}, NAMZU_SEED={seed}, run {run}: {bytes:02x?}");
            }
        }
    }
}
