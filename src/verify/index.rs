//! Whether the index says what the tree says.

use std::collections::HashSet;

use super::{Finding, FindingKind};
use crate::{
    engine::{Entry, IndexState},
    layout::{CHILD, CREATED, EDGE, MEMBER, MOVED, SESSION},
    store::disk::linkage::{edge_in, is_without_record},
};

/// Compares the index with what an index of this tree would say, or with a part of that when
/// not `all` of the tree is known.
pub(super) fn finding(
    path: &str,
    index: &IndexState,
    entries: &[Entry],
    all: bool,
) -> Option<Finding> {
    let found = |detail: String| Some(Finding::new(path, FindingKind::StaleIndex, detail));
    let table = match index {
        IndexState::Absent => return None,
        IndexState::Broken(why) => return found((*why).to_owned()),
        IndexState::Holds(table) => table,
    };
    let has = |entry: &&Entry| table.has(entry.kind, &entry.key, &entry.value);
    let is_missing = |entry: &&Entry| table.is_complete() && !has(entry);
    let missing: Vec<&Entry> = entries.iter().filter(is_missing).collect();
    let known: HashSet<(u8, &str, &str)> = entries.iter().map(key).collect();
    let readable: HashSet<&str> =
        entries.iter().filter(|e| e.kind == CHILD).map(|e| edge_in(&e.value)).collect();
    // What is not known may be there.
    let indexed: Vec<Entry> =
        if all { table.entries().filter(is_of_record).collect() } else { Vec::new() };
    // What a damaged edge said cannot be held against an index that still has it.
    let of_damaged = |entry: &Entry| {
        matches!(entry.kind, CHILD | MOVED)
            && !readable.contains(edge_in(&entry.value))
            && entries.iter().any(|e| e.kind == EDGE && e.key == edge_in(&entry.value))
    };
    // The tree does not say in which order records came; and a session that has no longer the
    // project that the index says is looked up in vain, which does no harm.
    let is_of_tree = |entry: &&Entry| !matches!(entry.kind, CREATED | MEMBER);
    let extra = indexed.iter().filter(|entry| !known.contains(&key(entry)) && !of_damaged(entry));
    let extra: Vec<&Entry> = extra.filter(is_of_tree).collect();
    let first = |entries: &[&Entry]| entries.iter().map(|entry| in_words(entry)).min();
    match (first(&missing), first(&extra)) {
        (None, None) => None,
        (Some(first), _) => {
            found(format!("it lacks {} of the tree's entries, {first} first", missing.len()))
        }
        (None, Some(first)) => {
            found(format!("it has {} entries that the tree lacks, {first} first", extra.len()))
        }
    }
}

/// Whether an entry says of a record where it is, or what it connects.
fn is_of_record(entry: &Entry) -> bool {
    match entry.kind {
        SESSION => !is_without_record(&entry.data),
        kind => matches!(kind, EDGE | CHILD | MOVED | MEMBER | CREATED),
    }
}

fn key(entry: &Entry) -> (u8, &str, &str) {
    (entry.kind, &entry.key, &entry.value)
}

fn in_words(entry: &Entry) -> String {
    let Entry { key, value, .. } = entry;
    match entry.kind {
        SESSION => format!("session {key} in {value}"),
        EDGE => format!("edge {key} under {value}"),
        CHILD => format!("edge {value} to {key}"),
        MEMBER => format!("session {value} of {key}"),
        _ => format!("edge {value} from {key}"),
    }
}
