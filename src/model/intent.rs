//! A handoff that has locked its source and is not finished.

use serde_json::value::RawValue;

use super::{Record, in_words};
use crate::{
    id::{SessionId, TenantId},
    json::{Fields, Invalid, Json, ObjectWriter, Word, indented, object, string, words},
    process::Process,
    timestamp::Timestamp,
};

words! {
    /// Whether a session is handed to one actor or to several.
    HandoffMode {
        Single = "single",
        Broadcast = "broadcast",
    }
}

/// What a handoff is about to do, written when it locks its source and removed when
/// it commits or is undone: what is left of it when its process dies in between.
#[derive(Debug, Clone)]
pub struct Intent {
    /// The session that is locked.
    pub source: SessionId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// To one actor or to several.
    pub mode: HandoffMode,
    /// The source's version when it was locked.
    pub owner_version: u64,
    /// Tells this attempt from every other to hand the session over.
    pub attempt: String,
    /// Who is at it.
    pub process: Process,
    /// When it locked the source.
    pub at: Timestamp,
    /// The assignments, as the application passed them.
    pub assignments: Vec<Json>,
    /// The workspaces, as provisioned or about to be.
    pub workspaces: Vec<Json>,
}

impl Intent {
    /// What is left of it when its source is deleted: what it takes to remove the
    /// workspaces, and the ids of the assignments, which those are named after.
    #[must_use]
    pub fn of_deleted_source(self) -> Self {
        let assignments = self.assignments.iter().filter_map(|assignment| {
            let id = Fields::of_payload(assignment.as_str()).ok()?.get("id")?.get();
            let mut json = ObjectWriter::new();
            json.raw("id", id);
            Some(json.finish_value())
        });
        Self { assignments: assignments.collect(), ..self }
    }

    fn decode(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let objects = |key: &str| {
            fields.list(key, |raw: &RawValue| {
                object(raw.get()).ok_or_else(|| Invalid::field("", "an object", "something else"))
            })
        };
        let process = fields.decoded("process", "an object", Some)?;
        Ok(Self {
            source: fields.path_id("sourceSessionId", SessionId::parse)?,
            tenant_id: fields.opaque_id("tenantId", TenantId::new)?,
            mode: fields.word("mode")?,
            owner_version: fields.whole_number("ownerVersion")?,
            attempt: fields.decoded("attempt", "a string", string)?.into(),
            process: Process::parse(process).map_err(|invalid| invalid.below("process"))?,
            at: fields.date("at")?,
            assignments: objects("assignments")?,
            workspaces: objects("workspaces")?,
        })
    }
}

impl Record for Intent {
    fn from_record(text: &str) -> Result<Self, String> {
        Self::decode(text).map_err(|invalid| in_words(&invalid))
    }

    fn to_record(&self) -> String {
        let mut json = ObjectWriter::with_capacity(1024);
        json.string("sourceSessionId", self.source.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.string("mode", self.mode.word());
        json.number("ownerVersion", self.owner_version);
        json.string("attempt", &self.attempt);
        json.raw("process", &self.process.to_json());
        json.string("at", &self.at.to_string());
        json.values("assignments", &self.assignments);
        json.values("workspaces", &self.workspaces);
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.source.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes() {
        let intent = Intent {
            source: SessionId::parse("ses_a").unwrap(),
            tenant_id: TenantId::new("tnt_☂").unwrap(),
            mode: HandoffMode::Broadcast,
            owner_version: 3,
            attempt: "x".to_owned(),
            process: Process::this().clone(),
            at: Timestamp::now(),
            assignments: vec![Json::parse(r#"{"id":"hof_1","b":"\ud800"}"#).unwrap()],
            workspaces: vec![Json::parse(r#"{"id":"wsp_1"}"#).unwrap()],
        };
        let text = intent.to_record();
        assert_eq!(Intent::from_record(&text).unwrap().to_record(), text);
        assert!(Intent::from_record("{}").unwrap_err().contains("process"));
        let left = intent.of_deleted_source();
        assert_eq!(left.assignments, [Json::parse(r#"{"id":"hof_1"}"#).unwrap()]);
        assert_eq!(left.workspaces, [Json::parse(r#"{"id":"wsp_1"}"#).unwrap()]);
    }
}
