//! Bundles of archived sub-sessions, below `archive/`.

use serde_json::{Map, Value};

use super::{Finding, FindingKind, logs};
use crate::{
    engine::{RelPath, View},
    timestamp::Timestamp,
};

const PREFIX: &str = "arc_";
const MARKER: &str = "archive.json";
const IDENTITY: &str = "subsession.json";

/// What is wrong with the bundles. The hashes of their files are left to restoring.
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
    let sizes = record(view, folder, MARKER, findings, |marker| marks(marker, archive_ref));
    record(view, folder, IDENTITY, findings, |identity| {
        ["subSessionId", "sessionId", "tenantId"]
            .into_iter()
            .try_for_each(|key| text(identity, key).map(drop))
    });
    for (name, expected) in sizes.unwrap_or_default() {
        let Some(file) = folder.listed(&name) else { continue };
        match view.len(&file) {
            Ok(len) if names.contains(&name) && len == expected => {}
            Ok(len) => {
                let detail = format!("it has {len} bytes, where {MARKER} says {expected}");
                findings.push(Finding::new(file.as_str(), FindingKind::DamagedRecord, detail));
            }
            Err(error) => findings.push(Finding::unreadable(&error)),
        }
    }
    logs::check(view, &folder.at("messages.jsonl"), None, findings);
}

/// Reads a record of a bundle; what is wrong with it is a finding.
fn record<T>(
    view: &View<'_>,
    folder: &RelPath,
    name: &'static str,
    findings: &mut Vec<Finding>,
    decode: impl FnOnce(&Map<String, Value>) -> Result<T, String>,
) -> Option<T> {
    let path = folder.at(name);
    let bytes = match view.read(&path) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => {
            findings.push(Finding::unreadable(&error));
            return None;
        }
    };
    let object = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
    match object.and_then(|object| decode(&object)) {
        Ok(decoded) => Some(decoded),
        Err(reason) => {
            findings.push(Finding::new(path.as_str(), FindingKind::DamagedRecord, reason));
            None
        }
    }
}

/// How many bytes each file of a bundle has, where its marker says so.
fn marks(marker: &Map<String, Value>, archive_ref: &str) -> Result<Vec<(String, u64)>, String> {
    let own = text(marker, "archiveRef")?;
    if own != archive_ref {
        return Err(format!("archiveRef: expected {archive_ref}, found {own}"));
    }
    if Timestamp::parse(text(marker, "archivedAt")?).is_none() {
        return Err(format!("archivedAt: expected {}", Timestamp::EXPECTED));
    }
    let files = match marker.get("files") {
        None => return Ok(Vec::new()),
        Some(files) => files.as_object().ok_or("files: expected an object")?,
    };
    let size = |(name, file): (&String, &Value)| {
        let bytes = file.get("bytes").and_then(Value::as_u64);
        let bytes = bytes.ok_or_else(|| format!("files.{name}.bytes: expected a number"))?;
        Ok((name.clone(), bytes))
    };
    files.iter().map(size).collect()
}

fn text<'r>(record: &'r Map<String, Value>, key: &str) -> Result<&'r str, String> {
    let text = record.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("{key}: expected a non-empty string"))
}
