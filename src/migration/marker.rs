//! The marker that says that a root is migrated.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use super::{layout::PART, tree::Tree};
use crate::{
    id::generate,
    json::{Fields, Invalid, Json, ObjectWriter, indented},
    timestamp::Timestamp,
};

/// The layout that a migration leads to.
pub const VERSION: &str = "0.2.0";

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The layout that the root was brought to, a string literal kept verbatim.
    pub version: Json,
    /// When.
    pub at: Timestamp,
    /// What was migrated then.
    pub threads: Vec<MigratedThread>,
}

/// A thread and the project that it became, string literals kept verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigratedThread {
    /// The thread.
    pub thread: Json,
    /// The project.
    pub project: Json,
}

impl MigratedThread {
    fn decode(fields: &Fields<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            thread: fields.literal("legacyThreadId")?,
            project: fields.literal("newProjectId")?,
        })
    }

    fn json(&self) -> Json {
        let mut json = ObjectWriter::new();
        json.raw("legacyThreadId", self.thread.as_str());
        json.raw("newProjectId", self.project.as_str());
        json.finish_value()
    }
}

impl Marker {
    /// Reads a marker.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let threads = fields.list("migratedThreads", |raw| {
            MigratedThread::decode(&Fields::of_payload(raw.get())?)
        })?;
        Ok(Self { version: fields.literal("version")?, at: fields.date("at")?, threads })
    }

    /// The marker as compact JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.raw("version", self.version.as_str());
        json.string("at", &self.at.to_string());
        let threads: Vec<Json> = self.threads.iter().map(MigratedThread::json).collect();
        json.values("migratedThreads", &threads);
        json.finish()
    }

    /// Reads a marker's file; `None` where there is none, or none that could be read as a
    /// marker.
    pub(super) fn read(tree: &dyn Tree, file: &Path) -> io::Result<Option<Self>> {
        match tree.read(file) {
            Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(|t| Self::parse(t).ok())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a marker's text beside its file, synced, to become it later.
    pub(super) fn prepare(&self, tree: &dyn Tree, file: &Path) -> io::Result<Prepared> {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        tree.create_dirs(&folder)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let part = folder.join(format!("{name}.{}.{PART}", generate("")));
        match tree.write_new(&part, indented(&self.to_json()).as_bytes()) {
            Ok(()) => Ok(Prepared { part, file: file.to_owned(), folder }),
            Err(error) => {
                let _ = tree.remove_file(&part); // the first error is the one to tell
                Err(error)
            }
        }
    }
}

/// A marker that needs nothing but its name.
#[derive(Debug)]
pub(super) struct Prepared {
    part: PathBuf,
    file: PathBuf,
    folder: PathBuf,
}

impl Prepared {
    /// Makes the marker be there, and stay.
    pub(super) fn publish(self, tree: &dyn Tree) -> io::Result<()> {
        let above = self.folder.parent().map(Path::to_owned);
        let folders = BTreeSet::from_iter([self.folder.clone()].into_iter().chain(above));
        match tree.rename(&self.part, &self.file).and_then(|()| tree.sync(&folders)) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.discard(tree);
                Err(error)
            }
        }
    }

    /// Leaves nothing of it.
    pub(super) fn discard(self, tree: &dyn Tree) {
        let _ = tree.remove_file(&self.part); // the next migration removes what is left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_and_takes_nothing_else() {
        let text = r#"{"version":"0.2.0","at":"2026-01-02T03:04:05.006Z","migratedThreads":[{"legacyThreadId":"thd_a","newProjectId":"prj_legacy_a"}]}"#;
        let marker = Marker::parse(text).unwrap();
        assert_eq!(marker.to_json(), text);
        for wrong in [
            "",
            "null",
            "[]",
            "{}",
            r#""x""#,
            &text
                .replace("thd_a\"", "thd_a\",\"x\":1")
                .replace("\"legacyThreadId\":\"thd_a\"", "\"y\":1"),
            &text.replace("\"thd_a\"", "7"),
            &text.replace("2026-01-02", "2026-13-02"),
            &text.replace("\"0.2.0\"", "null"),
            &text.replace("[{", "{\"a\":{").replace("}]", "}}"),
        ] {
            assert!(Marker::parse(wrong).is_err(), "{wrong}");
        }
    }
}
