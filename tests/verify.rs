//! `verify`: finds every kind of damage, changes nothing, and finds nothing where
//! nothing is wrong.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails where an answer is missing"
)]

mod support;

#[path = "verify/clean.rs"]
mod clean;
#[path = "verify/engine.rs"]
mod engine;
#[path = "verify/records.rs"]
mod records;

use std::{collections::BTreeMap, fs, path::Path, time::SystemTime};

use namzu_native::{
    json::Word as _,
    verify::{Finding, verify},
};

use crate::support::root::Root;

/// What is found, as `kind path` or `kind path:line`; the root must stay as it is.
#[track_caller]
fn findings(root: &Root) -> Vec<String> {
    found(root).iter().map(in_short).collect()
}

#[track_caller]
fn found(root: &Root) -> Vec<Finding> {
    let before = everything(&root.path());
    let found = verify(&root.path()).unwrap();
    assert!(everything(&root.path()) == before, "verifying changed the root");
    assert_eq!(verify(&root.path()).unwrap(), found, "the same again");
    assert!(found.iter().all(|finding| !finding.detail.is_empty()));
    assert!(found.is_sorted_by(|a, b| a.path <= b.path));
    found
}

fn in_short(finding: &Finding) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{} {}{line}", finding.kind.word(), finding.path)
}

/// Every file and folder: its bytes, and when it was changed.
fn everything(path: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut all = BTreeMap::new();
    collect(path, &mut all);
    all
}

fn collect(path: &Path, all: &mut BTreeMap<String, (Vec<u8>, SystemTime)>) {
    let Ok(metadata) = fs::metadata(path) else { return };
    let name = path.to_str().unwrap().to_owned();
    let changed = metadata.modified().unwrap();
    if metadata.is_dir() {
        all.insert(name, (Vec::new(), changed));
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), all);
        }
    } else {
        all.insert(name, (fs::read(path).unwrap(), changed));
    }
}
