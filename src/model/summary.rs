//! What a finished session leaves behind for its parent.

use serde_json::value::RawValue;

use super::{DeliverableRef, Entity, Record, UnknownKeys, in_words};
use crate::{
    id::{SessionId, SummaryId, TenantId},
    json::{Fields, Invalid, Json, ObjectWriter, Word, indented, object, string_literal, words},
    timestamp::Timestamp,
};

words! {
    /// How a session ended.
    OutcomeStatus {
        Succeeded = "succeeded",
        Partial = "partial",
        Failed = "failed",
    }
}

words! {
    /// Who made a summary.
    MaterializedBy {
        Kernel = "kernel",
    }
}

/// A session's summary.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The summary's id.
    pub id: SummaryId,
    /// The session it summarizes.
    pub session_ref: SessionId,
    /// Who owns it.
    pub tenant_id: TenantId,
    outcome: Json,
    deliverables: Vec<DeliverableRef>,
    agent_summary: Json,
    key_decisions: Vec<KeyDecision>,
    at: Timestamp,
    materialized_by: MaterializedBy,
    unknown: UnknownKeys,
}

#[derive(Debug, Clone)]
struct KeyDecision {
    at: Timestamp,
    summary: Json,
}

const KEYS: &[&str] = &[
    "id",
    "sessionRef",
    "tenantId",
    "outcome",
    "deliverables",
    "agentSummary",
    "keyDecisions",
    "at",
    "materializedBy",
];

impl Summary {
    /// Reads a summary as an application records it.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        Self::decode(&Fields::of_payload(text)?)
    }

    fn decode(fields: &Fields<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            id: fields.opaque_id("id", SummaryId::new)?,
            session_ref: fields.path_id("sessionRef", SessionId::parse)?,
            tenant_id: fields.opaque_id("tenantId", TenantId::new)?,
            outcome: outcome(fields)?,
            deliverables: fields.list("deliverables", DeliverableRef::parse)?,
            agent_summary: fields.literal("agentSummary")?,
            key_decisions: fields.list("keyDecisions", KeyDecision::parse)?,
            at: fields.date("at")?,
            materialized_by: fields.word("materializedBy")?,
            unknown: UnknownKeys::default(),
        })
    }

    fn write(&self) -> ObjectWriter {
        let mut json = ObjectWriter::with_capacity(1024);
        json.string("id", self.id.as_str());
        json.string("sessionRef", self.session_ref.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.raw("outcome", self.outcome.as_str());
        json.values("deliverables", self.deliverables.iter().map(DeliverableRef::json));
        json.raw("agentSummary", self.agent_summary.as_str());
        json.raw("keyDecisions", &self.key_decisions.to_json());
        json.string("at", &self.at.to_string());
        json.string("materializedBy", self.materialized_by.word());
        json
    }
}

/// Reads `{ status, verdict? }`; the verdict is the application's own.
fn outcome(fields: &Fields<'_>) -> Result<Json, Invalid> {
    let outcome = fields.decoded("outcome", "an object", object)?;
    let inner = Fields::of_payload(outcome.as_str())?;
    inner.word::<OutcomeStatus>("status").map_err(|invalid| invalid.below("outcome"))?;
    inner
        .optional("verdict", "a string", string_literal)
        .map_err(|invalid| invalid.below("outcome"))?;
    Ok(outcome)
}

impl KeyDecision {
    fn parse(raw: &RawValue) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(raw.get())?;
        Ok(Self { at: fields.date("at")?, summary: fields.literal("summary")? })
    }
}

impl Entity for KeyDecision {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("at", &self.at.to_string()).raw("summary", self.summary.as_str());
        json.finish()
    }
}

impl Record for Summary {
    fn from_record(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text)?;
        let unknown = UnknownKeys::of(&fields, KEYS)?;
        let summary = Self::decode(&fields).map_err(|invalid| in_words(&invalid))?;
        Ok(Self { unknown, ..summary })
    }

    fn to_record(&self) -> String {
        let mut json = self.write();
        self.unknown.write(&mut json);
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.session_ref.as_str()
    }
}

impl Entity for Summary {
    fn to_json(&self) -> String {
        self.write().finish()
    }
}
