//! Writes a bundle, all but its marker, which whoever writes it puts last.

use std::{collections::BTreeSet, fs::File, io, path::PathBuf};

use super::{
    ARCHIVE, DiskArchive, IDENTITY, MARKER, MESSAGES, SUMMARY, WORKSPACE,
    files::{self, Digest, Digester},
    manifest::Manifest,
    named,
};
use crate::{
    error::{Error, Result},
    id::ArchiveRef,
    json::{Fields, Invalid, Json, NON_EMPTY, ObjectWriter, indented, non_empty_string, object},
    timestamp::Timestamp,
};

/// Whose bundle it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The edge.
    pub sub_session_id: String,
    /// Its child.
    pub session_id: String,
    /// Who owns them.
    pub tenant_id: String,
    /// The child's summary, as the API has it.
    pub summary: Option<Json>,
    /// The workspace, as the API has it.
    pub workspace: Option<Json>,
}

impl Identity {
    /// Reads an `ArchiveInput` without its messages.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let name = |key| fields.decoded(key, NON_EMPTY, |raw| Some(non_empty_string(raw)?.into()));
        Ok(Self {
            sub_session_id: name("subSessionId")?,
            session_id: name("sessionId")?,
            tenant_id: name("tenantId")?,
            summary: fields.optional("summaryRef", "an object", object)?,
            workspace: fields.optional("workspace", "an object", object)?,
        })
    }

    /// The text of an `ArchiveInput` without its messages.
    #[must_use]
    pub fn to_payload(&self) -> String {
        let mut json = self.ids();
        if let Some(workspace) = &self.workspace {
            json.raw("workspace", workspace.as_str());
        }
        if let Some(summary) = &self.summary {
            json.raw("summaryRef", summary.as_str());
        }
        json.finish()
    }

    fn ids(&self) -> ObjectWriter {
        let mut json = ObjectWriter::new();
        json.string("subSessionId", &self.sub_session_id);
        json.string("sessionId", &self.session_id);
        json.string("tenantId", &self.tenant_id);
        json
    }
}

/// A bundle that is being written; what was written is removed again unless it is
/// kept.
#[derive(Debug)]
pub(in crate::retention) struct Writer {
    archive: DiskArchive,
    archive_ref: ArchiveRef,
    folder: PathBuf,
    files: Vec<(&'static str, Digest)>,
    kept: bool,
}

impl Writer {
    pub(in crate::retention) fn new(archive: &DiskArchive) -> Result<Self> {
        let archive_ref = ArchiveRef::generate();
        let folder = archive.folder(&archive_ref);
        let writer =
            Self { archive: archive.clone(), archive_ref, folder, files: Vec::new(), kept: false };
        files::create_dirs(&writer.folder).map_err(|error| writer.failed("", &error))?;
        Ok(writer)
    }

    pub(in crate::retention) fn archive_ref(&self) -> &ArchiveRef {
        &self.archive_ref
    }

    /// Writes whose bundle it is. Done after the messages, it says that they are there.
    pub(in crate::retention) fn identity(&mut self, identity: &Identity) -> Result<()> {
        for (name, key, value) in
            [(SUMMARY, "summary", &identity.summary), (WORKSPACE, "workspace", &identity.workspace)]
        {
            if let Some(value) = value {
                let mut json = ObjectWriter::new();
                json.raw(key, value.as_str());
                self.file(name, indented(&json.finish()).as_bytes())?;
            }
        }
        self.file(IDENTITY, indented(&identity.ids().finish()).as_bytes())
    }

    pub(in crate::retention) fn messages(
        &mut self,
        next: impl FnMut() -> Result<Option<Vec<u8>>>,
    ) -> Result<()> {
        self.stream(MESSAGES, next)
    }

    pub(in crate::retention) fn file(&mut self, name: &'static str, bytes: &[u8]) -> Result<()> {
        let mut once = Some(bytes.to_vec());
        self.stream(name, || Ok(once.take()))
    }

    /// Writes a file piece by piece.
    pub(in crate::retention) fn stream(
        &mut self,
        name: &'static str,
        mut next: impl FnMut() -> Result<Option<Vec<u8>>>,
    ) -> Result<()> {
        let mut digester = Digester::default();
        let mut file: File =
            files::create(&self.folder.join(name)).map_err(|error| self.failed(name, &error))?;
        while let Some(bytes) = next()? {
            digester.update(&bytes);
            files::write(&mut file, &bytes).map_err(|error| self.failed(name, &error))?;
        }
        self.files.push((name, digester.finish()));
        Ok(())
    }

    /// Whether a file that was written holds exactly these pieces.
    pub(in crate::retention) fn is_same(
        &self,
        name: &str,
        mut next: impl FnMut() -> Result<Option<Vec<u8>>>,
    ) -> Result<bool> {
        let mut digester = Digester::default();
        while let Some(bytes) = next()? {
            digester.update(&bytes);
        }
        let digest = digester.finish();
        Ok(self.files.iter().any(|(written, found)| *written == name && *found == digest))
    }

    /// The marker that makes the bundle complete, once what it names is synced.
    pub(in crate::retention) fn marker(&self, archived_at: Timestamp) -> String {
        Manifest::of(&self.archive_ref, archived_at, self.files.clone()).to_text()
    }

    /// Puts the marker.
    pub(in crate::retention) fn seal(&self, marker: &str) -> Result<()> {
        let put =
            files::put(&self.folder.join(MARKER), marker.as_bytes(), self.archive.durable)
                .and_then(|()| {
                    if self.archive.durable { files::sync_dir(&self.folder) } else { Ok(()) }
                });
        put.map_err(|error| self.failed(MARKER, &error))
    }

    /// Leaves the bundle where it is.
    pub(in crate::retention) fn keep(mut self) {
        self.kept = true;
    }

    fn failed(&self, file: &str, error: &io::Error) -> Error {
        Error::io("archive", named(&self.archive_ref, file).trim_end_matches('/'), error)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.kept {
            let _ = files::remove_dir(&self.folder); // an incomplete bundle harms nobody
        }
    }
}

impl DiskArchive {
    /// Makes what was written of some bundles last, where this archive promises that.
    pub(in crate::retention) fn sync<'w>(
        &self,
        writers: impl IntoIterator<Item = &'w Writer>,
    ) -> Result<()> {
        if !self.durable {
            return Ok(());
        }
        let mut folders = BTreeSet::from([String::new()]);
        let mut files = BTreeSet::new();
        for writer in writers {
            let folder = writer.archive_ref.to_string();
            files.extend(writer.files.iter().map(|(name, _)| format!("{folder}/{name}")));
            folders.insert(folder);
        }
        if files.is_empty() {
            return Ok(());
        }
        // From the folder itself, which may be a link to another disk.
        files::sync(&self.all(), &files, &folders)
            .map_err(|error| Error::io("archive", ARCHIVE, &error))
    }

    /// Writes a whole bundle, its messages given as text that ends with a line each;
    /// answers its name.
    ///
    /// # Errors
    /// [`Error::StoreIo`]; nothing is left behind then.
    pub fn store(
        &self,
        identity: &Identity,
        lines: Vec<String>,
        archived_at: Timestamp,
    ) -> Result<ArchiveRef> {
        let mut writer = Writer::new(self)?;
        let mut lines = lines.into_iter();
        writer.messages(|| Ok(lines.next().map(String::into_bytes)))?;
        writer.identity(identity)?;
        self.sync([&writer])?;
        writer.seal(&writer.marker(archived_at))?;
        let archive_ref = writer.archive_ref().clone();
        writer.keep();
        Ok(archive_ref)
    }
}
