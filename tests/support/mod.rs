//! What every test crate here stands on: waiting for answers, telling errors apart,
//! payloads of the contract's shapes, and a small world of records.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub mod errors;
pub mod payload;
pub mod root;
pub mod world;

use std::{future::Future, sync::LazyLock};

use namzu_native::{id::TenantId, timestamp::Timestamp};
use tokio::runtime::{Builder, Runtime};

/// A store that writes files may hand its work to the runtime it is polled in.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap());

/// Waits for a store's answer; any number of threads may do so at once.
pub fn wait<T>(answer: impl Future<Output = T>) -> T {
    RUNTIME.block_on(answer)
}

/// Envelopes with every date as its text: a store may answer the number instead.
pub fn dated(envelopes: Vec<String>) -> Vec<String> {
    envelopes.iter().map(|text| with_dates(text)).collect()
}

fn with_dates(text: &str) -> String {
    const KEY: &str = "\"at\":";
    let mut dated = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(KEY) {
        let (before, after) = rest.split_at(start + KEY.len());
        dated.push_str(before);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let number = after[..digits].parse().ok().filter(|_| after[digits..].starts_with('}'));
        match number.and_then(Timestamp::from_millis) {
            Some(time) => dated.push_str(&format!("\"{time}\"")),
            None => dated.push_str(&after[..digits]),
        }
        rest = &after[digits..];
    }
    dated + rest
}

/// The tenant that owns what a world makes.
pub fn alpha() -> TenantId {
    TenantId::new("tnt_alpha").unwrap()
}

/// A tenant that owns nothing in a world.
pub fn beta() -> TenantId {
    TenantId::new("tnt_beta").unwrap()
}

/// Well-formed ids that name nothing.
pub const UNKNOWN_PROJECT: &str = "prj_unknown00000";
pub const UNKNOWN_SESSION: &str = "ses_unknown00000";
pub const UNKNOWN_EDGE: &str = "sub_unknown00000";

/// The words of the contract's unions.
pub const SESSION_STATUSES: [&str; 7] =
    ["active", "idle", "locked", "awaiting_hitl", "awaiting_merge", "failed", "archived"];
pub const EDGE_STATUSES: [&str; 11] = [
    "pending",
    "active",
    "idle",
    "failed",
    "awaiting_merge",
    "pending_merge",
    "merging",
    "merged",
    "merge_conflict",
    "merge_rejected",
    "archived",
];
pub const EDGE_KINDS: [&str; 3] = ["agent_spawn", "user_handoff", "intervention"];

/// Texts after a prefix that no path id may have.
pub fn malformed_suffixes() -> Vec<String> {
    let mut suffixes: Vec<String> =
        ["", "../x", "a/b", "a\\b", ".", "a.json", "é", "a b", "\0", "a\n", "a:b", "%2e"]
            .map(str::to_owned)
            .into();
    suffixes.push("a".repeat(125));
    suffixes
}

/// Whether `id` is what a generator makes: the prefix, then 12 characters of `0-9a-z`.
pub fn is_generated(id: &str, prefix: &str) -> bool {
    id.strip_prefix(prefix).is_some_and(|rest| {
        rest.len() == 12 && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
    })
}

/// Whether `text` is a date as the format has it: `YYYY-MM-DDTHH:mm:ss.sssZ`.
pub fn is_date(text: &str) -> bool {
    let form = b"dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == form.len()
        && text.bytes().zip(form).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            literal => byte == *literal,
        })
}
