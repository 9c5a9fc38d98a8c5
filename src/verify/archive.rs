//! Bundles of archived sub-sessions, below `archive/`.

use super::{Finding, FindingKind, logs};
use crate::{
    engine::{FileError, RelPath, View},
    json::{Fields, non_empty_string, object},
    retention::{Digest, Digester, Manifest},
};

const PREFIX: &str = "arc_";
const MARKER: &str = "archive.json";
/// What its writer holds, or a sweep that looks whether anyone does.
const LOCK: &str = "writing";
const IDENTITY: &str = "subsession.json";
const MESSAGES: &str = "messages.jsonl";
/// How much of a file is read in one step, in bytes.
const STEP: usize = 1 << 20;

/// What is wrong with the bundles: whatever restoring them refuses, and what is left of
/// those that were never finished.
pub(super) fn findings(view: &View<'_>) -> Vec<Finding> {
    let archive = RelPath::of("archive");
    let names = match view.list(&archive) {
        Ok(names) => names,
        Err(error) => return vec![Finding::unreadable(&error)],
    };
    let mut findings = Vec::new();
    let named = names.iter().filter(|name| name.starts_with(PREFIX) && !name.ends_with(".tmp"));
    for (name, folder) in named.filter_map(|name| Some((name, archive.listed(name)?))) {
        bundle(view, name, &folder, &mut findings);
    }
    findings
}

fn bundle(view: &View<'_>, archive_ref: &str, folder: &RelPath, findings: &mut Vec<Finding>) {
    let names = match view.list(folder) {
        Ok(names) => names,
        Err(error) => return findings.push(Finding::unreadable(&error)),
    };
    for name in names.iter().filter(|name| name.ends_with(".tmp")) {
        let detail = "its writer stopped, or is at it, before it got its name";
        findings.push(Finding::new(format!("{folder}/{name}"), FindingKind::Leftover, detail));
    }
    for required in [MARKER, IDENTITY] {
        if !names.iter().any(|name| name == required) {
            let detail = format!("the bundle was never finished: it has no {required}");
            return findings.push(Finding::new(folder.as_str(), FindingKind::Leftover, detail));
        }
    }
    let manifest = record(view, folder, MARKER, findings, |text| manifest(text, archive_ref));
    record(view, folder, IDENTITY, findings, |text| {
        ["subSessionId", "sessionId", "tenantId"]
            .into_iter()
            .try_for_each(|key| field(text, key, "a non-empty string", non_empty_string))
    });
    for (name, key) in [("summary.json", "summary"), ("workspace.json", "workspace")] {
        if names.iter().any(|found| found == name) {
            record(view, folder, name, findings, |text| field(text, key, "an object", object));
        }
    }
    if let Some(manifest) = manifest {
        files(view, folder, &names, &manifest, findings);
    }
    logs::check(view, &folder.at(MESSAGES), None, findings);
}

/// Compares the files of a bundle with what its marker says of them. A marker of the SDK
/// says nothing.
fn files(
    view: &View<'_>,
    folder: &RelPath,
    names: &[String],
    manifest: &Manifest,
    findings: &mut Vec<Finding>,
) {
    let damaged = |name: &str, detail: &str| {
        Finding::new(format!("{folder}/{name}"), FindingKind::DamagedRecord, detail)
    };
    let is_there = |name: &str| names.iter().any(|found| found == name);
    let Some(expected) = &manifest.files else {
        if !is_there(MESSAGES) {
            findings.push(damaged(MESSAGES, "it is missing"));
        }
        return;
    };
    let is_listed = |name: &str| name != MARKER && name != LOCK && !name.ends_with(".tmp");
    for name in names.iter().filter(|name| is_listed(name)) {
        if expected.iter().all(|(known, _)| known != name) {
            findings.push(damaged(name, &format!("{MARKER} knows of no such file")));
        }
    }
    for (name, expected) in expected {
        match digest(view, &folder.at(name)) {
            Ok(_) if !is_there(name) => findings.push(damaged(name, "it is missing")),
            Ok(found) if found == *expected => {}
            Ok(_) => {
                let detail = format!("it is not what {MARKER} has the SHA-256 of");
                findings.push(damaged(name, &detail));
            }
            Err(error) => findings.push(Finding::unreadable(&error)),
        }
    }
}

fn digest(view: &View<'_>, file: &RelPath) -> Result<Digest, FileError> {
    let mut digester = Digester::default();
    let mut offset = 0;
    loop {
        let bytes = view.read_at(file, offset, STEP)?;
        digester.update(&bytes);
        offset += bytes.len() as u64;
        if bytes.len() < STEP {
            return Ok(digester.finish());
        }
    }
}

/// Reads a record of a bundle; what is wrong with it is a finding.
fn record<T>(
    view: &View<'_>,
    folder: &RelPath,
    name: &'static str,
    findings: &mut Vec<Finding>,
    decode: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let path = folder.at(name);
    let bytes = match view.read(&path) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => {
            findings.push(Finding::unreadable(&error));
            return None;
        }
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string());
    match text.and_then(decode) {
        Ok(decoded) => Some(decoded),
        Err(reason) => {
            findings.push(Finding::new(path.as_str(), FindingKind::DamagedRecord, reason));
            None
        }
    }
}

fn manifest(text: &str, archive_ref: &str) -> Result<Manifest, String> {
    let manifest = Manifest::from_text(text).ok_or("it is no marker, or not as it was written")?;
    if manifest.archive_ref != archive_ref {
        let found = &manifest.archive_ref;
        return Err(format!("archiveRef: expected {archive_ref}, found {found}"));
    }
    Ok(manifest)
}

fn field<'t, T>(
    text: &'t str,
    key: &str,
    expected: &str,
    decode: fn(&'t str) -> Option<T>,
) -> Result<(), String> {
    let decoded = Fields::parse(text)?.decoded(key, expected, decode);
    decoded.map(drop).map_err(|invalid| invalid.to_string())
}
