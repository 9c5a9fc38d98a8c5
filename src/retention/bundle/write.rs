//! Writes a bundle, all but its marker, which its writer puts last.

use std::{collections::BTreeSet, fs::File, io, path::PathBuf};

use super::{
    ARCHIVE, BundleContent, DiskArchive, IDENTITY, MARKER, MESSAGES, SUMMARY, WORKSPACE, WRITING,
    Writing,
    files::{self, Digest, Digester},
    manifest::Manifest,
    named,
};
use crate::{
    engine::mutant,
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
    /// Held until it is sealed, so that no sweep takes it for one that was left.
    writing: Writing,
    kept: bool,
}

impl Writer {
    pub(in crate::retention) fn new(archive: &DiskArchive) -> Result<Self> {
        /// How often another one is begun, because a sweep took it before it was locked.
        const ATTEMPTS: usize = 16;
        for _ in 0..ATTEMPTS {
            let archive_ref = ArchiveRef::generate();
            let folder = archive.folder(&archive_ref);
            let failed = |file: &str, error: &io::Error| failed(&archive_ref, file, error);
            files::create_dirs(&folder).map_err(|error| failed("", &error))?;
            let writing = match Writing::take(&folder) {
                Ok(writing) => writing,
                Err(error) => {
                    let _ = files::remove_dir(&folder); // the error that counts is the first one
                    return Err(failed(WRITING, &error));
                }
            };
            if let Some(writing) = writing {
                let archive = archive.clone();
                return Ok(Self {
                    archive,
                    archive_ref,
                    folder,
                    files: vec![],
                    writing,
                    kept: false,
                });
            }
        }
        Err(Error::io("archive", ARCHIVE, &io::ErrorKind::ResourceBusy.into()))
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
        let file: File =
            files::create(&self.folder.join(name)).map_err(|error| self.failed(name, &error))?;
        while let Some(bytes) = next()? {
            digester.update(&bytes);
            files::write(&file, &bytes).map_err(|error| self.failed(name, &error))?;
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
        self.manifest(archived_at).to_text()
    }

    fn manifest(&self, archived_at: Timestamp) -> Manifest {
        Manifest::of(&self.archive_ref, archived_at, self.files.clone())
    }

    /// Reads the bundle as a restoration would, before anything relies on it.
    ///
    /// # Errors
    /// What restoring it would answer.
    pub(in crate::retention) fn read_back(&self) -> Result<BundleContent> {
        let manifest = self.manifest(Timestamp::now());
        let bundle = self.archive.read_back(&self.archive_ref, &manifest)?;
        bundle.check_messages()?;
        bundle.summary_record()?;
        Ok(bundle)
    }

    /// Puts the marker.
    pub(in crate::retention) fn seal(&self, marker: &str) -> Result<()> {
        let durable = self.archive.durable;
        let sealed = self
            .writing
            .seal(marker, durable)
            .and_then(|()| if durable { files::sync_dir(&self.folder) } else { Ok(()) });
        sealed.map_err(|error| self.failed(MARKER, &error))
    }

    /// Leaves the bundle where it is.
    pub(in crate::retention) fn keep(mut self) {
        self.kept = true;
    }

    fn failed(&self, file: &str, error: &io::Error) -> Error {
        failed(&self.archive_ref, file, error)
    }
}

fn failed(archive_ref: &ArchiveRef, file: &str, error: &io::Error) -> Error {
    Error::io("archive", named(archive_ref, file).trim_end_matches('/'), error)
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.kept {
            let _ = files::remove_dir(&self.folder); // an incomplete bundle does no harm
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
    /// answers its name. It is read back before it is sealed.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for what could not be restored, [`Error::StoreIo`];
    /// nothing is left behind then.
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
        check(&writer)?;
        self.sync([&writer])?;
        writer.seal(&writer.marker(archived_at))?;
        let archive_ref = writer.archive_ref().clone();
        writer.keep();
        Ok(archive_ref)
    }
}

/// Refuses what the reader that `restore` uses would refuse.
fn check(writer: &Writer) -> Result<()> {
    if mutant!(SealUnread) {
        return Ok(());
    }
    let refused = |argument: &str, expected: &str| Error::InvalidArgument {
        argument: argument.to_owned(),
        expected: expected.to_owned(),
        received: "what could not be restored".to_owned(),
    };
    let bundle =
        writer.archive.read_back(&writer.archive_ref, &writer.manifest(Timestamp::now()))?;
    if !bundle.has_plain_messages()? {
        let expected = "messages of `tenantId`, each with `id`, `sessionId`, `message` and a date";
        return Err(refused("input.messages", expected));
    }
    match bundle.summary_record() {
        Err(Error::ArchiveNotFound { .. }) => {
            Err(refused("input.summaryRef", "a whole summary of `sessionId` and `tenantId`"))
        }
        other => other.map(drop),
    }
}
