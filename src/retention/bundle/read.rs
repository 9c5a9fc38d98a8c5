//! Verifies a bundle, and reads it.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    path::PathBuf,
};

use super::{
    DiskArchive, IDENTITY, MARKER, MESSAGES, ORIGINAL_MESSAGES, ORIGINAL_SUMMARY, SUMMARY,
    WORKSPACE, files,
    manifest::{Manifest, is_marker},
    named,
    write::Identity,
};
use crate::{
    error::{Error, Result},
    id::{ArchiveRef, TenantId},
    json::{Fields, Json, object},
    model::{LogLine, MessageLine, Record as _, Summary, is_blank},
    store::Log,
};

/// Longest array text that is answered, unless a single message is longer.
const CHUNK_BYTES: usize = 8 << 20;
/// How much of a log is answered at a time, unless a single line is longer.
const LINES_BYTES: usize = 4 << 20;

/// A bundle that was verified.
#[derive(Debug)]
pub struct BundleContent {
    archive_ref: ArchiveRef,
    folder: PathBuf,
    /// Whose bundle it is.
    pub identity: Identity,
    has_original_messages: bool,
    has_original_summary: bool,
}

/// How a bundle stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleState {
    /// The bundle.
    pub archive_ref: ArchiveRef,
    /// `complete`, or the reason why it cannot be read: `incomplete` or `corrupt`.
    pub state: &'static str,
}

impl DiskArchive {
    /// Verifies a bundle as a whole and opens it.
    ///
    /// # Errors
    /// [`Error::ArchiveNotFound`] with the reason, [`Error::StoreIo`] when the system
    /// refuses.
    pub fn open(&self, archive_ref: &str) -> Result<BundleContent> {
        let refused =
            |reason| Error::ArchiveNotFound { archive_ref: archive_ref.to_owned(), reason };
        let Ok(id) = ArchiveRef::parse(archive_ref) else { return Err(refused("missing")) };
        let Some(names) = self.names(&id)? else { return Err(refused("missing")) };
        let has = |file: &str| names.iter().any(|name| name == file);
        if !has(MARKER) || !has(IDENTITY) {
            return Err(refused("incomplete"));
        }
        let Some(marker) = self.read(&id, MARKER)? else { return Err(refused("incomplete")) };
        let manifest = String::from_utf8(marker).ok().and_then(|text| Manifest::from_text(&text));
        let manifest = manifest.filter(|manifest| manifest.archive_ref == archive_ref);
        self.verified(id, names, &manifest.ok_or_else(|| refused("corrupt"))?)
    }

    /// A bundle as it was written, before it gets its marker: what could not be restored
    /// from it is found out here.
    pub(in crate::retention) fn read_back(
        &self,
        archive_ref: &ArchiveRef,
        manifest: &Manifest,
    ) -> Result<BundleContent> {
        let names = self.names(archive_ref)?.unwrap_or_default();
        self.verified(archive_ref.clone(), names, manifest)
    }

    /// Compares the files of a bundle with what its marker says of them.
    fn verified(
        &self,
        id: ArchiveRef,
        mut names: Vec<String>,
        manifest: &Manifest,
    ) -> Result<BundleContent> {
        let corrupt = || Error::ArchiveNotFound { archive_ref: id.to_string(), reason: "corrupt" };
        let folder = self.folder(&id);
        names.retain(|name| !is_marker(name));
        if let Some(expected) = &manifest.files {
            if names.len() != expected.len() {
                return Err(corrupt());
            }
            for (name, expected) in expected {
                let found = files::digest(&folder.join(name))
                    .map_err(|error| Error::io("read archive", &named(&id, name), &error))?;
                if found.as_ref() != Some(expected) {
                    return Err(corrupt());
                }
            }
        }
        let has = |file: &str| names.iter().any(|name| name == file);
        if !has(MESSAGES) {
            return Err(corrupt());
        }
        let part = |file: &str, key: &str| match self.read(&id, file)? {
            Some(bytes) => part(&bytes, key).map(Some).ok_or_else(corrupt),
            None => Ok(None),
        };
        let ids = self.read(&id, IDENTITY)?.ok_or_else(corrupt)?;
        let identity = identity(&ids).ok_or_else(corrupt)?;
        Ok(BundleContent {
            identity: Identity {
                summary: part(SUMMARY, "summary")?,
                workspace: part(WORKSPACE, "workspace")?,
                ..identity
            },
            has_original_messages: has(ORIGINAL_MESSAGES),
            has_original_summary: has(ORIGINAL_SUMMARY),
            archive_ref: id,
            folder,
        })
    }

    fn names(&self, id: &ArchiveRef) -> Result<Option<Vec<String>>> {
        files::list(&self.folder(id))
            .map_err(|error| Error::io("read archive", &named(id, ""), &error))
    }

    fn read(&self, id: &ArchiveRef, file: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.folder(id).join(file))
            .map_err(|error| Error::io("read archive", &named(id, file), &error))
    }

    /// Whether a bundle says that it is another tenant's. An edge's reference is what its
    /// owner wrote there, so it may name any bundle.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when the system refuses.
    pub(in crate::retention) fn is_of_another(
        &self,
        archive_ref: &str,
        tenant: &TenantId,
    ) -> Result<bool> {
        let Ok(id) = ArchiveRef::parse(archive_ref) else { return Ok(false) };
        let says = files::read(&self.folder(&id).join(IDENTITY))
            .map_err(|error| Error::io("read archive", &named(&id, IDENTITY), &error))?;
        let owner = says.and_then(|bytes| identity(&bytes)).map(|identity| identity.tenant_id);
        Ok(owner.is_some_and(|owner| owner != tenant.as_str()))
    }

    /// How every bundle stands, by name; each is read as a whole.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when the system refuses.
    pub fn verify(&self) -> Result<Vec<BundleState>> {
        let names = files::list(&self.all()).map_err(|e| Error::io("list", "archive", &e))?;
        let mut refs: Vec<ArchiveRef> =
            names.into_iter().flatten().filter_map(|name| ArchiveRef::parse(&name).ok()).collect();
        refs.sort_unstable();
        let mut states = Vec::with_capacity(refs.len());
        for archive_ref in refs {
            let state =
                match self.open(archive_ref.as_str()).and_then(|bundle| bundle.check_messages()) {
                    Ok(_) => "complete",
                    Err(Error::ArchiveNotFound { reason, .. }) => reason,
                    Err(error) => return Err(error),
                };
            if state != "missing" {
                states.push(BundleState { archive_ref, state });
            }
        }
        Ok(states)
    }

    /// Removes a bundle; nothing where there is none.
    ///
    /// # Errors
    /// [`Error::StoreIo`] when the system refuses.
    pub fn remove(&self, archive_ref: &str) -> Result<()> {
        let Ok(id) = ArchiveRef::parse(archive_ref) else { return Ok(()) };
        files::remove_dir(&self.folder(&id))
            .map_err(|error| Error::io("remove", &format!("archive/{id}"), &error))
    }
}

fn identity(bytes: &[u8]) -> Option<Identity> {
    Identity::from_payload(std::str::from_utf8(bytes).ok()?).ok()
}

fn part(bytes: &[u8], key: &str) -> Option<Json> {
    let fields = Fields::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    fields.decoded(key, "an object", object).ok()
}

impl BundleContent {
    /// The bundle's name.
    #[must_use]
    pub fn archive_ref(&self) -> &ArchiveRef {
        &self.archive_ref
    }

    /// The messages in their envelopes, as texts of arrays.
    ///
    /// # Errors
    /// [`Error::ArchiveNotFound`] when a line is broken, [`Error::StoreIo`] when the
    /// system refuses.
    pub fn messages(&self) -> Result<Log> {
        let mut log = Log::new();
        let mut text = String::new();
        self.lines_of(MESSAGES, |_, lines| {
            for line in lines.split(|byte| *byte == b'\n') {
                if is_blank(line) {
                    continue;
                }
                let LogLine::Message(message) = self.parse(line)? else {
                    return Err(self.corrupt());
                };
                text.push(if text.is_empty() { '[' } else { ',' });
                message.write_answer(&mut text);
                if text.len() >= CHUNK_BYTES {
                    text.push(']');
                    log.push(std::mem::take(&mut text));
                }
            }
            Ok(())
        })?;
        if !text.is_empty() || log.is_empty() {
            text.push_str(if text.is_empty() { "[]" } else { "]" });
            log.push(text);
        }
        Ok(log)
    }

    /// Reads every line of the messages, so that none is restored that does not read;
    /// answers how many there are.
    pub(in crate::retention) fn check_messages(&self) -> Result<u64> {
        let mut count = 0;
        self.lines_of(MESSAGES, |_, lines| {
            for line in lines.split(|byte| *byte == b'\n') {
                if !is_blank(line) {
                    self.parse(line)?;
                    count += 1;
                }
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Whether every line is one message that reads.
    pub(super) fn has_plain_messages(&self) -> Result<bool> {
        let mut plain = true;
        self.lines_of(MESSAGES, |_, lines| {
            let mut lines = lines.split(|byte| *byte == b'\n');
            let is_one = |line: &[u8]| matches!(self.parse(line), Ok(LogLine::Message(_)));
            plain &= lines.all(|line| is_blank(line) || is_one(line));
            Ok(())
        })?;
        Ok(plain)
    }

    /// A line of the messages, which no other tenant may have written: the session's log
    /// could not be read with it.
    fn parse<'l>(&self, line: &'l [u8]) -> Result<LogLine<'l>> {
        let parsed = LogLine::parse(line).map_err(|_| self.corrupt())?;
        let is_own = |message: &MessageLine<'_>| message.is_of(&self.identity.tenant_id);
        if parsed.messages().iter().all(is_own) { Ok(parsed) } else { Err(self.corrupt()) }
    }

    /// Some of what an evicted session's log held, in whole lines, from `offset` on;
    /// nothing at its end.
    pub(in crate::retention) fn log_piece(&self, offset: u64) -> Result<Vec<u8>> {
        self.piece_of(self.log_file(), offset)
    }

    fn piece_of(&self, name: &'static str, offset: u64) -> Result<Vec<u8>> {
        let io =
            |error: io::Error| Error::io("read archive", &named(&self.archive_ref, name), &error);
        let mut file = files::open(&self.folder.join(name)).map_err(io)?;
        file.seek(SeekFrom::Start(offset)).map_err(io)?;
        let mut piece = Vec::new();
        let mut wanted = LINES_BYTES as u64;
        loop {
            let read = (&mut file).take(wanted).read_to_end(&mut piece).map_err(io)?;
            if (read as u64) < wanted {
                return Ok(piece); // the end of the file
            }
            if let Some(end) = memchr::memrchr(b'\n', &piece) {
                piece.truncate(end + 1);
                return Ok(piece);
            }
            wanted = piece.len() as u64;
        }
    }

    /// The summary's record as an evicted session had it.
    pub(in crate::retention) fn summary_record(&self) -> Result<Option<String>> {
        if self.has_original_summary {
            let path = self.folder.join(ORIGINAL_SUMMARY);
            let bytes = files::read(&path).map_err(|error| {
                Error::io("read archive", &named(&self.archive_ref, ORIGINAL_SUMMARY), &error)
            })?;
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            return text.map(Some).ok_or_else(|| self.corrupt());
        }
        match &self.identity.summary {
            None => Ok(None),
            Some(summary) => match Summary::from_payload(summary.as_str()) {
                Ok(summary) if self.is_about(&summary) => Ok(Some(summary.to_record())),
                _ => Err(self.corrupt()),
            },
        }
    }

    fn is_about(&self, summary: &Summary) -> bool {
        summary.session_ref.as_str() == self.identity.session_id
            && summary.tenant_id.as_str() == self.identity.tenant_id
    }

    fn log_file(&self) -> &'static str {
        if self.has_original_messages { ORIGINAL_MESSAGES } else { MESSAGES }
    }

    fn lines_of(
        &self,
        name: &'static str,
        mut visit: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut offset = 0;
        loop {
            let piece = self.piece_of(name, offset)?;
            if piece.is_empty() {
                return Ok(());
            }
            visit(offset, &piece)?;
            offset += piece.len() as u64;
        }
    }

    pub(in crate::retention) fn corrupt(&self) -> Error {
        let archive_ref = self.archive_ref.to_string();
        Error::ArchiveNotFound { archive_ref, reason: "corrupt" }
    }
}
