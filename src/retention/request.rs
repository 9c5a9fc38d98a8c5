//! What is to be archived, as it was asked for.

use crate::{id::TenantId, json::Json, timestamp::Timestamp};

/// What is to be archived, and how.
#[derive(Debug, Clone)]
pub struct ArchiveRequest {
    /// The edge.
    pub sub_session_id: String,
    /// Who asks.
    pub tenant_id: TenantId,
    /// The edge's workspace, as the API has it.
    pub workspace: Option<Json>,
    /// Whether the child's messages and summary are to be in the archive only.
    pub evict: bool,
    /// Since when edge, child and messages must be unchanged, where that is a condition.
    pub idle_since: Option<Timestamp>,
}
