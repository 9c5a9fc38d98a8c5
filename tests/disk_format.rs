//! Holds the disk store to the record tree of the format document, seen from outside.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails where an answer is missing"
)]

mod support;

#[path = "disk_format/corrupt_records.rs"]
mod corrupt_records;
#[path = "disk_format/folders.rs"]
mod folders;
#[path = "disk_format/message_logs.rs"]
mod message_logs;
#[path = "disk_format/obstacles.rs"]
mod obstacles;
#[path = "disk_format/other_hands.rs"]
mod other_hands;
#[path = "disk_format/record_layout.rs"]
mod record_layout;
#[path = "disk_format/reparented_edges.rs"]
mod reparented_edges;
#[path = "disk_format/shared_root.rs"]
mod shared_root;
#[path = "disk_format/torn_logs.rs"]
mod torn_logs;
#[path = "disk_format/unknown_keys.rs"]
mod unknown_keys;
