//! One thing that is wrong with a root.

use std::cmp::Ordering;

use crate::{
    engine::FileError,
    error::system_code,
    json::{ObjectWriter, Word, words},
    model::Entity,
};

words! {
    /// What is wrong.
    FindingKind {
        /// A record that is not JSON, lacks a key, carries another id than its folder, or
        /// was written by a release too new to be read; a file that its bundle's marker
        /// says otherwise of:
        DamagedRecord = "damaged_record",
        /// A line of a message log, before the last, that is no message of its session:
        BrokenLine = "broken_line",
        /// A message log whose last line was never finished:
        TornLog = "torn_log",
        /// A file or folder that the system does not let us read:
        Unreadable = "unreadable",
        /// An edge whose parent or child session is missing:
        DanglingEdge = "dangling_edge",
        /// Files of a session or a project whose own record is missing:
        Orphan = "orphan",
        /// An archived edge or an eviction whose bundle is missing or incomplete:
        MissingBundle = "missing_bundle",
        /// An evicted session to whose bundle no edge leads back:
        StrandedEviction = "stranded_eviction",
        /// A session or an edge of which the store reads another copy:
        DuplicateId = "duplicate_id",
        /// What an interrupted operation left behind:
        Leftover = "leftover",
        /// A fragment of a message log that an append moved out of its way:
        Salvaged = "salvaged",
        /// Committed transactions that the tree does not show yet:
        UnappliedTransaction = "unapplied_transaction",
        /// A part of the journal that cannot be read:
        UnreadableJournal = "unreadable_journal",
        /// An index that does not hold, or says other than the tree:
        StaleIndex = "stale_index",
    }
}

words! {
    /// How much a finding matters.
    Severity {
        /// Something is damaged or lost:
        Error = "error",
        /// Something is left over, or rebuilt by itself; nothing is lost:
        Warning = "warning",
        /// What a healthy root that is in use may show:
        Info = "info",
    }
}

impl FindingKind {
    fn severity(self) -> Severity {
        match self {
            Self::TornLog | Self::Leftover | Self::Salvaged | Self::StaleIndex => Severity::Warning,
            Self::UnappliedTransaction => Severity::Info,
            _ => Severity::Error,
        }
    }
}

/// One thing that is wrong with a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or folder, relative to the root, with `/` between components.
    pub path: String,
    /// What is wrong with it.
    pub kind: FindingKind,
    /// How much it matters.
    pub severity: Severity,
    /// The line, counted from 1, in a message log.
    pub line: Option<u64>,
    /// The same for a person.
    pub detail: String,
}

impl Finding {
    pub(super) fn new(
        path: impl Into<String>,
        kind: FindingKind,
        detail: impl Into<String>,
    ) -> Self {
        let severity = kind.severity();
        Self { path: path.into(), kind, severity, line: None, detail: detail.into() }
    }

    pub(super) fn at_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// What a process at work leaves for a moment.
    pub(super) fn in_passing(self) -> Self {
        Self { severity: Severity::Info, ..self }
    }

    pub(super) fn unreadable(error: &FileError) -> Self {
        let detail = format!("{}: {}", error.op, system_code(&error.source));
        Self::new(error.path.clone(), FindingKind::Unreadable, detail)
    }

    /// By path, then line, then whatever makes the order the same each time.
    pub(super) fn in_order(&self, other: &Self) -> Ordering {
        let key = |finding: &Self| (finding.line, finding.kind.word());
        self.path
            .cmp(&other.path)
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.detail.cmp(&other.detail))
    }
}

impl Entity for Finding {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("path", &self.path).string("kind", self.kind.word());
        if let Some(line) = self.line {
            json.number("line", line);
        }
        json.string("severity", self.severity.word()).string("detail", &self.detail);
        json.finish()
    }
}
