//! What reads bytes of others, each over bytes that may be anything. They panic when
//! something is wrong. `fuzz/` runs them with a fuzzer; the tests below without one: over
//! the bytes that `fuzz/corpus/` keeps, and over what a seed makes of them.

use crate::{
    engine::fuzz as engine,
    id::{ArchiveRef, MessageId, PathComponent, ProjectId, SessionId, SubSessionId},
    json::Json,
    model::{
        Eviction, Intent, LogLine, Message, Project, ProjectConfigPart, Record, Session,
        SubSession, Summary,
    },
    retention,
    store::disk_fuzz as disk,
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

/// The marker of a bundle.
fn bundle(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        retention::fuzz(text);
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

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
        for (name, target) in TARGETS {
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
