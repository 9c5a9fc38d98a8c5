//! A project's configuration, and changing part of it.

use super::Entity;
use crate::json::{Fields, Invalid, Json, ObjectWriter, object, string, whole_number};

/// A project's limits and shared stores, kept as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectConfig(Json);

/// Any part of a configuration: the keys that are there, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectConfigPart(Vec<(Box<str>, Json)>);

/// When edges of a project are archived.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RetentionPolicy {
    /// Archive what has been idle for longer than this many milliseconds.
    pub idle_ttl_millis: Option<f64>,
    /// Archive the longest idle above this number.
    pub max_edges: Option<u64>,
}

/// Every key that is ours, in the order in which records have them.
const KEYS: &[&str] = &[
    "maxDelegationDepth",
    "maxDelegationWidth",
    "maxInterventionDepth",
    "sharedMemoryStores",
    "sharedVaults",
    "sharedKnowledgeBases",
    "sharedDeliverables",
    "retentionPolicy",
];

impl ProjectConfig {
    /// Takes a stored configuration as it is; `None` for what is no object.
    pub(super) fn stored(raw: &str) -> Option<Self> {
        object(raw).map(Self)
    }

    /// The configuration as JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.0
    }

    /// The configuration with the keys of `part` in place of its own.
    #[must_use]
    pub fn with(&self, part: &ProjectConfigPart) -> Self {
        let current = Fields::parse(self.0.as_str()).map(|fields| fields.others(&[]));
        let mut merged = current.unwrap_or_default();
        for (key, value) in &part.0 {
            match merged.iter_mut().find(|(k, _)| k == key) {
                Some((_, old)) => old.clone_from(value),
                None => merged.push((key.clone(), value.clone())),
            }
        }
        let place = |key: &str| KEYS.iter().position(|known| *known == key).unwrap_or(KEYS.len());
        merged.sort_by_key(|(key, _)| place(key));
        let mut json = ObjectWriter::new();
        for (key, value) in &merged {
            json.raw(key, value.as_str());
        }
        Self(json.finish_value())
    }

    /// The project's own policy, if it has one.
    ///
    /// # Errors
    /// [`Invalid`] when the stored one is not of that shape.
    pub fn retention_policy(&self) -> Result<Option<RetentionPolicy>, Invalid> {
        let fields = Fields::of_payload(self.0.as_str())?;
        match fields.optional("retentionPolicy", "an object", Some)? {
            None => Ok(None),
            Some(policy) => RetentionPolicy::from_payload(policy)
                .map(Some)
                .map_err(|invalid| invalid.below("retentionPolicy")),
        }
    }
}

/// The limits that a new project has: depth 4, width 8, interventions 10.
impl Default for ProjectConfig {
    fn default() -> Self {
        let mut json = ObjectWriter::new();
        json.number("maxDelegationDepth", 4);
        json.number("maxDelegationWidth", 8);
        json.number("maxInterventionDepth", 10);
        Self(json.finish_value())
    }
}

impl ProjectConfigPart {
    /// Reads any part of a configuration; keys that are not ours are kept as they are.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let given = |key: &str| fields.get(key).is_some();
        for key in ["maxDelegationDepth", "maxDelegationWidth", "maxInterventionDepth"] {
            if given(key) {
                fields.whole_number(key)?;
            }
        }
        for key in ["sharedMemoryStores", "sharedVaults", "sharedKnowledgeBases"] {
            if given(key) {
                let text = |raw: &str| string(raw).map(drop);
                fields.list(key, |raw| {
                    text(raw.get()).ok_or_else(|| {
                        Invalid::field("", "a string", &crate::json::describe(raw.get()))
                    })
                })?;
            }
        }
        if given("sharedDeliverables") {
            let boolean = |raw: &str| matches!(raw, "true" | "false").then_some(());
            fields.decoded("sharedDeliverables", "a boolean", boolean)?;
        }
        if let Some(policy) = fields.get("retentionPolicy") {
            RetentionPolicy::from_payload(policy.get())
                .map_err(|invalid| invalid.below("retentionPolicy"))?;
        }
        Ok(Self(fields.others(&[])))
    }
}

impl RetentionPolicy {
    /// Reads `{ idleSubSessionTTL?, maxSubSessionsPerProject?, archiveBackend? }`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let duration = |raw: &str| raw.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
        fields.optional("archiveBackend", "a string", |raw| string(raw).map(drop))?;
        Ok(Self {
            idle_ttl_millis: fields.optional(
                "idleSubSessionTTL",
                "milliseconds, from 0",
                duration,
            )?,
            max_edges: fields.optional(
                "maxSubSessionsPerProject",
                "a whole number from 0",
                whole_number,
            )?,
        })
    }
}

impl Entity for ProjectConfig {
    fn to_json(&self) -> String {
        self.0.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_merged_key_by_key_in_the_order_of_records() {
        let part = r#"{"x":1,"sharedVaults":["vlt_a"],"maxDelegationWidth":9}"#;
        let part = ProjectConfigPart::from_payload(part).unwrap();
        let merged = ProjectConfig::default().with(&part);
        assert_eq!(
            merged.json().as_str(),
            r#"{"maxDelegationDepth":4,"maxDelegationWidth":9,"maxInterventionDepth":10,"sharedVaults":["vlt_a"],"x":1}"#
        );
        assert_eq!(merged.with(&ProjectConfigPart::default()), merged);
    }

    #[test]
    fn what_is_of_the_wrong_kind_is_named() {
        for (text, field) in [
            ("7", ""),
            (r#"{"maxDelegationDepth":-1}"#, "maxDelegationDepth"),
            (r#"{"maxDelegationDepth":null}"#, "maxDelegationDepth"),
            (r#"{"sharedVaults":["a",1]}"#, "sharedVaults.1"),
            (r#"{"sharedDeliverables":"yes"}"#, "sharedDeliverables"),
            (
                r#"{"retentionPolicy":{"idleSubSessionTTL":-1}}"#,
                "retentionPolicy.idleSubSessionTTL",
            ),
        ] {
            match ProjectConfigPart::from_payload(text).unwrap_err() {
                Invalid::Field { field: named, .. } => assert_eq!(named, field, "{text}"),
                Invalid::Id(_) => panic!("{text}"),
            }
        }
    }

    #[test]
    fn a_policy_reads_what_is_set() {
        let part = r#"{"retentionPolicy":{"idleSubSessionTTL":1.5,"archiveBackend":"arc_x"}}"#;
        let config = ProjectConfig::default().with(&ProjectConfigPart::from_payload(part).unwrap());
        let policy = config.retention_policy().unwrap().unwrap();
        assert_eq!((policy.idle_ttl_millis, policy.max_edges), (Some(1.5), None));
        assert_eq!(ProjectConfig::default().retention_policy().unwrap(), None);
    }
}
