//! One operation, told in names that stand for each store's own ids.

use serde_json::Value;

/// A call of the contract. Strings that begin with `$` are names of records.
#[derive(Debug, Clone)]
pub struct Operation {
    pub call: Call,
    pub tenant: &'static str,
    /// What a record that the call creates is called from now on.
    pub makes: String,
}

#[derive(Debug, Clone)]
pub enum Call {
    CreateProject(Value),
    GetProject(String),
    CreateSession(Value),
    GetSession(String),
    UpdateSession(Value, Option<u64>),
    DeleteSession(String),
    /// Creates an edge and gives it a time of its own: two edges that the clocks put
    /// in one millisecond would be ordered by ids, which the stores make up apart.
    CreateEdge(Value, String),
    GetEdge(String),
    UpdateEdge(Value),
    DeleteEdge(String),
    Append(String, String),
    LoadMessages(String),
    LoadEnvelopes(String),
    GetChildren(String),
    GetAncestry(String),
    Drill(String),
    RecordSummary(Value),
    GetSummary(String),
}
