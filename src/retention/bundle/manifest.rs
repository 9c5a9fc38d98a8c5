//! The marker of a bundle: which bundle it is, and a checksum of every file.
//!
//! A marker with checksums has one of its own too, over its other keys, and is
//! accepted only as it would be written: no byte of it can change unnoticed. A marker
//! of the SDK has none of this, and nothing can be verified by it.

use super::{
    IDENTITY, MARKER, MESSAGES, ORIGINAL_MESSAGES, ORIGINAL_SUMMARY, SUMMARY, WORKSPACE, WRITING,
    files::{Digest, digest_of},
};
use crate::{
    id::ArchiveRef,
    json::{Fields, ObjectWriter, indented, string},
    timestamp::Timestamp,
};

const FILES: &[&str] =
    &[IDENTITY, MESSAGES, SUMMARY, WORKSPACE, ORIGINAL_MESSAGES, ORIGINAL_SUMMARY];

/// What a marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) archive_ref: String,
    pub(super) archived_at: Timestamp,
    /// The digest of each file; `None` in a bundle that the SDK wrote.
    pub(crate) files: Option<Vec<(&'static str, Digest)>>,
}

impl Manifest {
    pub(super) fn of(
        archive_ref: &ArchiveRef,
        archived_at: Timestamp,
        files: Vec<(&'static str, Digest)>,
    ) -> Self {
        Self { archive_ref: archive_ref.to_string(), archived_at, files: Some(files) }
    }

    /// The text of the marker.
    pub(super) fn to_text(&self) -> String {
        let checksum = digest_of(self.write().finish().as_bytes()).sha256;
        let mut json = self.write();
        if self.files.is_some() {
            json.string("sha256", &checksum);
        }
        indented(&json.finish())
    }

    fn write(&self) -> ObjectWriter {
        let mut json = ObjectWriter::new();
        json.string("archiveRef", &self.archive_ref);
        json.string("archivedAt", &self.archived_at.to_string());
        if let Some(files) = &self.files {
            let mut list = ObjectWriter::new();
            for (name, digest) in files {
                let mut entry = ObjectWriter::new();
                entry.number("bytes", digest.bytes).string("sha256", &digest.sha256);
                list.raw(name, &entry.finish());
            }
            json.raw("files", &list.finish());
        }
        json
    }

    /// Reads a marker; `None` for one that is damaged.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let fields = Fields::parse(text).ok()?;
        let known = ["archiveRef", "archivedAt", "files", "sha256", "schemaVersion"];
        if !fields.others(&known).is_empty() {
            return None;
        }
        let manifest = Self {
            archive_ref: fields.decoded("archiveRef", "", string).ok()?.into_owned(),
            archived_at: fields.date("archivedAt").ok()?,
            files: match fields.get("files") {
                Some(files) => Some(digests(files.get())?),
                None => None,
            },
        };
        let is_ours = manifest.files.is_some() || fields.get("sha256").is_some();
        (!is_ours || manifest.to_text() == text).then_some(manifest)
    }
}

fn digests(text: &str) -> Option<Vec<(&'static str, Digest)>> {
    let fields = Fields::parse(text).ok()?;
    let entry = |(name, value): (Box<str>, crate::json::Json)| {
        let name = *FILES.iter().find(|known| ***known == *name)?;
        let entry = Fields::parse(value.as_str()).ok()?;
        let sha256 = entry.decoded("sha256", "", string).ok()?.into_owned();
        Some((name, Digest { bytes: entry.whole_number("bytes").ok()?, sha256 }))
    };
    fields.others(&[]).into_iter().map(entry).collect()
}

/// Whether a file of a bundle's folder is the marker, or the lock that comes before it: what
/// the marker has no digest of.
pub(super) fn is_marker(name: &str) -> bool {
    name == MARKER || name == WRITING
}

/// Reads a marker that may be anything: what is believed of ours is to the byte as we
/// write it.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str) {
    if let Some(manifest) = Manifest::from_text(text) {
        assert!(manifest.files.is_none() || manifest.to_text() == text);
        assert!(manifest.files.iter().flatten().all(|(name, _)| FILES.contains(name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_of_our_marker_can_change_unnoticed() {
        let archive_ref = ArchiveRef::parse("arc_a").unwrap();
        let files = vec![(IDENTITY, digest_of(b"x")), (MESSAGES, digest_of(b""))];
        let manifest = Manifest::of(&archive_ref, Timestamp::now(), files);
        let text = manifest.to_text();
        assert_eq!(Manifest::from_text(&text), Some(manifest));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            if let Ok(flipped) = String::from_utf8(bytes) {
                assert_eq!(Manifest::from_text(&flipped), None, "byte {at}");
            }
        }
        for end in 0..text.len() {
            assert_eq!(Manifest::from_text(&text[..end]), None);
        }
    }

    #[test]
    fn a_marker_of_the_sdk_has_no_checksums() {
        let text =
            "{\n  \"archiveRef\": \"arc_a\",\n  \"archivedAt\": \"2026-01-01T00:00:00.000Z\"\n}";
        assert_eq!(Manifest::from_text(text).unwrap().files, None);
        assert_eq!(Manifest::from_text(text).unwrap().to_text(), text);
    }
}
