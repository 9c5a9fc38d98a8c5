//! Keys of a record that this version does not know.

use crate::json::{Fields, Json, ObjectWriter};

/// Highest value of `schemaVersion` that is still read.
const MAX_SCHEMA_VERSION: u64 = 4;

/// The keys of a record that are not ours, kept in their order for its next
/// rewriting. Values made here have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnknownKeys(Vec<(Box<str>, Json)>);

impl UnknownKeys {
    /// Takes the keys that are not among `known`.
    ///
    /// # Errors
    /// `schemaVersion` when the record was written by a release too new to be read.
    pub fn of(fields: &Fields<'_>, known: &[&str]) -> Result<Self, String> {
        if let Some(version) = fields.get("schemaVersion") {
            let number: Option<f64> = version.get().parse().ok();
            if number.is_none_or(|n| n > MAX_SCHEMA_VERSION as f64) {
                return Err("schemaVersion".to_owned());
            }
        }
        Ok(Self(fields.others(known)))
    }

    /// Writes them after a record's own keys.
    pub fn write(&self, json: &mut ObjectWriter) {
        for (key, value) in &self.0 {
            json.raw(key, value.as_str());
        }
    }
}
