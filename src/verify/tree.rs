//! The record tree: every record, and how they refer to each other.

use std::collections::BTreeMap;

use super::{Finding, FindingKind, evictions::Archived, logs};
use crate::{
    engine::{Entry, FileError, RelPath, View},
    error::{Error, Result},
    id::{InvalidId, ProjectId, SessionId, SubSessionId},
    layout::{self, EDGE, Home},
    migration::Marker,
    model::{Project, Record, Session, SubSession, Summary},
    store::disk::{
        linkage::{located_edge, located_session, membership},
        memory::Memory,
        records::DiskRecords,
    },
};

/// Every migrated project has one of this name.
const IN_EVERY_MIGRATED_PROJECT: &str = "ses_legacy_default";

/// One walk through a root.
pub(super) struct Walk<'v> {
    view: &'v View<'v>,
    findings: Vec<Finding>,
    /// What an index of this root says.
    entries: Vec<Entry>,
    /// The projects that have a session, in order.
    sessions: BTreeMap<SessionId, Vec<ProjectId>>,
    /// The folders that an edge hangs under, in order.
    edges: BTreeMap<SubSessionId, Vec<Home>>,
    /// The edges whose records can be read, by the path of the record.
    linked: Vec<(RelPath, SubSession)>,
    archived: Archived,
    /// Whether the folders could all be listed that have sessions in them.
    all_sessions: bool,
    /// Whether the folders could all be listed that have sessions or edges in them.
    all_entries: bool,
}

impl<'v> Walk<'v> {
    pub(super) fn over(view: &'v View<'v>) -> Self {
        Self {
            view,
            findings: Vec::new(),
            entries: Vec::new(),
            sessions: BTreeMap::new(),
            edges: BTreeMap::new(),
            linked: Vec::new(),
            archived: Archived::default(),
            all_sessions: true,
            all_entries: true,
        }
    }

    /// Walks through everything, and then asks what refers to what.
    ///
    /// # Errors
    /// When not even the root can be listed.
    pub(super) fn root(&mut self) -> Result<(), FileError> {
        let root = RelPath::of("");
        let names = self.view.list(&root)?;
        self.temporary(&root, &names);
        for folder in [".migration", "archive"] {
            self.names(&RelPath::of(folder));
        }
        self.migration_marker();
        for project in self.homes(&layout::projects(), ProjectId::parse) {
            self.project(&project);
        }
        self.check_edges();
        self.check_duplicates();
        Ok(())
    }

    /// What was found, what an index of this root says, whether that is all of it, and what is
    /// archived.
    pub(super) fn finish(self) -> (Vec<Finding>, Vec<Entry>, bool, Archived) {
        let is_all = self.all_entries && !self.archived.is_blind;
        let archived = Archived { is_all, ..self.archived };
        (self.findings, self.entries, self.all_entries, archived)
    }

    /// One that cannot be read counts as none, and the next migration writes it anew.
    fn migration_marker(&mut self) {
        let path = layout::migration_marker();
        let read = self.view.read(&path);
        let Some(bytes) = self.or_report(read) else { return };
        let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string());
        let marker = text.and_then(|text| Marker::parse(text).map_err(|e| e.to_string()));
        if let Err(reason) = marker {
            self.find(path.as_str(), FindingKind::DamagedRecord, reason);
        }
    }

    fn project(&mut self, id: &ProjectId) {
        let file = layout::project_file(id);
        self.names(&layout::projects().id(id));
        let record = self.record::<Project>(&file, id.as_str());
        let sessions = self.homes(&layout::sessions(id), SessionId::parse);
        let before = (self.entries.len(), self.findings.len());
        for session in sessions {
            self.session(&Home { project: id.clone(), session });
        }
        // Empty folders are no damage: of a write that was answered in `relaxed`, a power cut
        // may leave no more than these.
        let hold_anything = (self.entries.len(), self.findings.len()) != before;
        if matches!(record, Found::Nothing) && hold_anything {
            let detail = format!("sessions without a {file}");
            self.find(layout::sessions(id).as_str(), FindingKind::Orphan, detail);
        }
    }

    fn session(&mut self, home: &Home) {
        let folder = home.folder();
        self.names(&folder);
        let record = self.record::<Session>(&home.session_file(), home.session.as_str());
        if matches!(record, Found::Nothing) {
            self.orphans(home);
        } else {
            self.entries.push(located_session(home));
            let projects = self.sessions.entry(home.session.clone()).or_default();
            projects.push(home.project.clone());
            self.record::<Summary>(&home.summary_file(), home.session.as_str());
            let evicted = home.eviction_file();
            if let Some(eviction) = self.record(&evicted, home.session.as_str()).value() {
                self.archived.evictions.push((evicted, eviction));
            }
            let session = record.value();
            let said = session.as_ref().map(|session| &session.project_id);
            self.entries.extend(said.and_then(|said| membership(said, home)));
            logs::check(self.view, &home.messages_file(), session.as_ref(), &mut self.findings);
        }
        let edges = self.ids(&home.edges(), SubSessionId::parse);
        self.all_entries &= edges.is_some();
        for edge in edges.unwrap_or_default() {
            self.edge(home, edge);
        }
    }

    /// What a session without a record has all the same. Its edges are judged by the
    /// sessions that they name: an edge that was moved stays in the folder it was made in.
    fn orphans(&mut self, home: &Home) {
        let file = home.session_file();
        for path in [home.messages_file(), home.summary_file(), home.eviction_file()] {
            let exists = self.view.exists(&path);
            if self.or_report(exists) {
                self.find(path.as_str(), FindingKind::Orphan, format!("there is no {file}"));
            }
        }
        let runs = self.view.list(&home.runs());
        if !self.or_report(runs).is_empty() {
            let detail = format!("there is no {file}");
            self.find(home.runs().as_str(), FindingKind::Orphan, detail);
        }
    }

    fn edge(&mut self, home: &Home, id: SubSessionId) {
        self.names(&home.edge(&id));
        let file = home.edge_file(&id);
        let record = self.record::<SubSession>(&file, id.as_str());
        if matches!(record, Found::Nothing) {
            return;
        }
        self.archived.is_blind |= matches!(record, Found::Damaged);
        let record = record.value();
        match &record {
            Some(edge) => {
                self.entries.extend(located_edge(edge, home, None));
                self.archived.edge(&file, edge);
            }
            None => self.entries.push(Entry::add(EDGE, id.as_str(), &home.text())),
        }
        self.edges.entry(id).or_default().push(home.clone());
        self.linked.extend(record.map(|edge| (file, edge)));
    }

    fn check_edges(&mut self) {
        let linked = std::mem::take(&mut self.linked);
        if !self.all_sessions {
            return; // what is not found may be in a folder that could not be listed
        }
        for (file, edge) in linked {
            let ends = [
                ("parentSessionId", &edge.parent_session_id),
                ("childSessionId", &edge.child_session_id),
            ];
            for (key, session) in ends {
                if !self.sessions.contains_key(session) {
                    let detail = format!("{key}: there is no session {session}");
                    self.find(file.as_str(), FindingKind::DanglingEdge, detail);
                }
            }
        }
    }

    fn check_duplicates(&mut self) {
        // Of the copies that are known, the first is the one that is read.
        let read = |all: bool| if all { ", where it is read" } else { "" };
        let (read_session, read_edge) = (read(self.all_sessions), read(self.all_entries));
        for (session, projects) in std::mem::take(&mut self.sessions) {
            let [first, others @ ..] = projects.as_slice() else { continue };
            if session.as_str() == IN_EVERY_MIGRATED_PROJECT {
                continue;
            }
            for project in others {
                let home = Home { project: project.clone(), session: session.clone() };
                let detail = format!("the session is in {first} as well{read_session}");
                self.find(home.session_file().as_str(), FindingKind::DuplicateId, detail);
            }
        }
        for (edge, mut homes) in std::mem::take(&mut self.edges) {
            homes.sort_by_key(Home::text);
            let [first, others @ ..] = homes.as_slice() else { continue };
            for home in others {
                let detail = format!("the edge is in {} as well{read_edge}", first.edges());
                self.find(home.edge_file(&edge).as_str(), FindingKind::DuplicateId, detail);
            }
        }
    }

    pub(super) fn record<R: Record>(&mut self, path: &RelPath, id: &str) -> Found<R> {
        let memory = Memory::default();
        match DiskRecords::new(self.view, &memory).record(path, id) {
            Ok(Some(record)) => Found::Record(record),
            Ok(None) => Found::Nothing,
            Err(error) => {
                self.findings.push(of_error(path, &error));
                Found::Damaged
            }
        }
    }

    /// The names in a folder of ours, where none may be that of a file being written.
    pub(super) fn names(&mut self, folder: &RelPath) -> Vec<String> {
        self.listed(folder).unwrap_or_default()
    }

    /// As [`Self::names`]; `None` when they cannot be known.
    fn listed(&mut self, folder: &RelPath) -> Option<Vec<String>> {
        let names = self.view.list(folder).map(Some);
        let names = self.or_report(names)?;
        self.temporary(folder, &names);
        Some(names)
    }

    /// The ids that are names in a folder, in order; `None` when they cannot be known.
    fn ids<T: Ord>(
        &mut self,
        folder: &RelPath,
        parse: fn(&str) -> Result<T, InvalidId>,
    ) -> Option<Vec<T>> {
        let names = self.listed(folder)?;
        let mut ids: Vec<T> = names.iter().filter_map(|name| parse(name).ok()).collect();
        ids.sort_unstable();
        Some(ids)
    }

    /// As [`Self::ids`], of what sessions are in.
    fn homes<T: Ord>(
        &mut self,
        folder: &RelPath,
        parse: fn(&str) -> Result<T, InvalidId>,
    ) -> Vec<T> {
        let ids = self.ids(folder, parse);
        self.all_sessions &= ids.is_some();
        self.all_entries &= ids.is_some();
        ids.unwrap_or_default()
    }

    fn temporary(&mut self, folder: &RelPath, names: &[String]) {
        for name in names.iter().filter(|name| name.ends_with(".tmp")) {
            if let Some(path) = folder.listed(name) {
                let detail = "its writer stopped, or is at it, before it got its name";
                self.find(path.as_str(), FindingKind::Leftover, detail);
            }
        }
    }

    fn or_report<T: Default>(&mut self, read: Result<T, FileError>) -> T {
        read.unwrap_or_else(|error| {
            self.findings.push(Finding::unreadable(&error));
            T::default()
        })
    }

    pub(super) fn find(&mut self, path: &str, kind: FindingKind, detail: impl Into<String>) {
        self.findings.push(Finding::new(path, kind, detail));
    }
}

/// What is where a record belongs.
pub(super) enum Found<R> {
    Nothing,
    Damaged,
    Record(R),
}

impl<R> Found<R> {
    pub(super) fn value(self) -> Option<R> {
        match self {
            Self::Record(record) => Some(record),
            Self::Nothing | Self::Damaged => None,
        }
    }
}

fn of_error(path: &RelPath, error: &Error) -> Finding {
    match error {
        Error::CorruptRecord { reason, .. } => {
            Finding::new(path.as_str(), FindingKind::DamagedRecord, reason)
        }
        Error::StoreIo { op, code, .. } => {
            Finding::new(path.as_str(), FindingKind::Unreadable, format!("{op}: {code}"))
        }
        other => Finding::new(path.as_str(), FindingKind::Unreadable, other.to_string()),
    }
}
