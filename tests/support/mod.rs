//! What every test crate here stands on: waiting for answers, telling errors apart,
//! payloads of the contract's shapes, and a small world of records.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub mod errors;
pub mod payload;
pub mod root;
pub mod world;

use std::{future::Future, sync::LazyLock};

use namzu_native::id::TenantId;
use tokio::runtime::{Builder, Runtime};

/// A store that writes files may hand its work to the runtime it is polled in.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).build().unwrap());

/// Waits for a store's answer; any number of threads may do so at once.
pub fn wait<T>(answer: impl Future<Output = T>) -> T {
    RUNTIME.block_on(answer)
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
