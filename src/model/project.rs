//! A project: the sessions of one tenant that share limits and configuration.

use super::{Dates, Entity, ProjectConfig, ProjectConfigPart, Record, UnknownKeys, in_words};
use crate::{
    id::{ProjectId, TenantId},
    json::{Fields, Invalid, Json, ObjectWriter, indented},
    timestamp::Timestamp,
};

/// A project.
#[derive(Debug, Clone)]
pub struct Project {
    /// The project's id.
    pub id: ProjectId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// Its name, a string literal kept verbatim.
    pub name: Json,
    /// Limits and shared stores.
    pub config: ProjectConfig,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Keys of its record that are not ours.
    pub unknown: UnknownKeys,
}

/// What a new project needs.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Who is to own it.
    pub tenant_id: TenantId,
    /// Its name, a string literal kept verbatim.
    pub name: Json,
    /// What of its configuration is not the default.
    pub config: ProjectConfigPart,
}

impl NewProject {
    /// Reads `{ tenantId, name, config? }`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        Ok(Self {
            tenant_id: fields.opaque_id("tenantId", TenantId::new)?,
            name: fields.literal("name")?,
            config: match fields.get("config") {
                None => ProjectConfigPart::default(),
                Some(config) => ProjectConfigPart::from_payload(config.get())
                    .map_err(|invalid| invalid.below("config"))?,
            },
        })
    }
}

const KEYS: &[&str] = &["id", "tenantId", "name", "config", "createdAt", "updatedAt"];

impl Project {
    fn decode(fields: &Fields<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            id: fields.path_id("id", ProjectId::parse)?,
            tenant_id: fields.opaque_id("tenantId", TenantId::new)?,
            name: fields.literal("name")?,
            config: fields.decoded("config", "an object", ProjectConfig::stored)?,
            created_at: fields.date("createdAt")?,
            updated_at: fields.date("updatedAt")?,
            unknown: UnknownKeys::default(),
        })
    }

    fn write(&self, dates: Dates) -> ObjectWriter {
        let mut json = ObjectWriter::new();
        json.string("id", self.id.as_str());
        json.string("tenantId", self.tenant_id.as_str());
        json.raw("name", self.name.as_str());
        json.raw("config", self.config.json().as_str());
        dates.write(&mut json, "createdAt", self.created_at);
        dates.write(&mut json, "updatedAt", self.updated_at);
        json
    }
}

impl Record for Project {
    fn from_record(text: &str) -> Result<Self, String> {
        let fields = Fields::parse(text)?;
        let unknown = UnknownKeys::of(&fields, KEYS)?;
        let project = Self::decode(&fields).map_err(|invalid| in_words(&invalid))?;
        Ok(Self { unknown, ..project })
    }

    fn to_record(&self) -> String {
        let mut json = self.write(Dates::Texts);
        self.unknown.write(&mut json);
        indented(&json.finish())
    }

    fn record_id(&self) -> &str {
        self.id.as_str()
    }
}

impl Entity for Project {
    fn to_json(&self) -> String {
        self.write(Dates::Texts).finish()
    }

    fn to_answer(&self) -> String {
        self.write(Dates::Numbers).finish()
    }
}
