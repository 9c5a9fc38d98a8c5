//! The records of a memory store, and the linkage between them.

use std::collections::BTreeMap;

use super::{
    super::{
        Created, Form, Listed, Log, LogToken, Order, Records, RecordsMut, Selection, SentMessage,
        Span, selection::SpanPlace,
    },
    IdMap,
    edges::{Edges, End},
    log::{self, MemoryLog},
};
use crate::{
    engine::mutant,
    error::{Error, Result},
    id::{ArchiveRef, ProjectId, SessionId, SubSessionId, TenantId},
    model::{
        Eviction, Intent, Project, Record as _, Session, SessionMessage, SubSession, Summary,
        is_blank,
    },
};

#[derive(Debug, Default)]
pub(super) struct Tables {
    projects: IdMap<ProjectId, Numbered<Project>>,
    /// Boxed: a table that grows moves all its entries.
    sessions: IdMap<SessionId, Box<Numbered<Session>>>,
    /// How many records were created.
    created: u64,
    summaries: IdMap<SessionId, Summary>,
    logs: IdMap<SessionId, MemoryLog>,
    /// Counts the changes of all logs.
    log_changes: u64,
    evictions: IdMap<SessionId, Eviction>,
    edges: Edges,
    intents: BTreeMap<SessionId, Intent>,
}

/// A record, and the how manieth it was to be created; 0 where that was not said.
#[derive(Debug)]
struct Numbered<T> {
    number: u64,
    record: T,
}

impl Tables {
    fn in_project(&self, project: &ProjectId) -> impl Iterator<Item = &Session> {
        let sessions = self.sessions.values().map(|session| &session.record);
        sessions.filter(|session| session.project_id == *project)
    }

    /// A session's log, which is about to be changed.
    fn changed_log(&mut self, session: &SessionId) -> &mut MemoryLog {
        self.log_changes += u64::from(!mutant!(MemoryLogUncounted));
        let log = self.logs.entry(session.clone()).or_default();
        log.begin_change(self.log_changes);
        log
    }
}

impl Records for Tables {
    fn project(&self, id: &ProjectId) -> Result<Option<Project>> {
        Ok(self.projects.get(id).map(|project| project.record.clone()))
    }

    fn project_owner(&self, id: &ProjectId) -> Result<Option<TenantId>> {
        Ok(self.projects.get(id).map(|project| project.record.tenant_id.clone()))
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        Ok(self.sessions.get(id).map(|session| session.record.clone()))
    }

    fn owner(&self, id: &SessionId) -> Result<Option<TenantId>> {
        Ok(self.sessions.get(id).map(|session| session.record.tenant_id.clone()))
    }

    fn edge(&self, id: &SubSessionId) -> Result<Option<SubSession>> {
        Ok(self.edges.get(id).cloned())
    }

    fn edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>> {
        Ok(self.edges.of(End::Parent, parent).cloned().collect())
    }

    fn edges_to(&self, child: &SessionId) -> Result<Vec<SubSession>> {
        Ok(self.edges.of(End::Child, child).cloned().collect())
    }

    fn summary(&self, session: &SessionId) -> Result<Option<Summary>> {
        Ok(self.summaries.get(session).cloned())
    }

    fn order(&self, of: Created<'_>) -> Result<Order> {
        let number = match of {
            Created::Project(id) => self.projects.get(id).map(|project| project.number),
            Created::Session(id) => self.sessions.get(id).map(|session| session.number),
            Created::Edge(id) => self.edges.number(id),
        };
        Ok(Order { transaction: number.unwrap_or(0), place: 0 })
    }

    /// What is in memory can be read.
    fn is_owned(&self, _: Created<'_>, _: &TenantId) -> Result<Option<bool>> {
        Ok(None)
    }

    fn projects(&self) -> Result<Listed<ProjectId>> {
        let age = |one: &Numbered<Project>| (one.record.created_at, one.record.id.clone());
        Ok(Listed { found: self.projects.values().map(age).collect(), ..Listed::default() })
    }

    fn session_ids(&self, project: &ProjectId) -> Result<Vec<SessionId>> {
        Ok(self.in_project(project).map(|session| session.id.clone()).collect())
    }

    fn sessions_of(&self, project: &ProjectId) -> Result<Listed<SessionId>> {
        let age = |session: &Session| (session.created_at, session.id.clone());
        Ok(Listed { found: self.in_project(project).map(age).collect(), ..Listed::default() })
    }

    fn session_of(&self, project: &ProjectId, id: &SessionId) -> Result<Option<Session>> {
        let session = self.sessions.get(id).map(|session| &session.record);
        Ok(session.filter(|session| session.project_id == *project).cloned())
    }

    fn log(&self, session: &Session, form: Form) -> Result<Log> {
        Ok(self
            .logs
            .get(&session.id)
            .map_or_else(|| MemoryLog::default().all(form), |log| log.all(form)))
    }

    fn log_bytes(&self, session: &Session) -> Result<u64> {
        Ok(self.logs.get(&session.id).map_or(0, MemoryLog::bytes))
    }

    fn log_token(&self, session: &Session) -> Result<Option<LogToken>> {
        Ok(Some(self.logs.get(&session.id).map(MemoryLog::token).unwrap_or_default()))
    }

    fn span(&self, session: &Session, selection: &Selection) -> Result<Span> {
        match self.logs.get(&session.id) {
            Some(log) => log.span(selection),
            None => MemoryLog::default().span(selection),
        }
    }

    fn next_chunk(&self, span: &mut Span, form: Form, max_bytes: usize) -> Result<Option<String>> {
        match &mut span.place {
            SpanPlace::Memory(messages) => Ok(log::next_chunk(messages, form, max_bytes)),
            SpanPlace::File(_) => Ok(None),
        }
    }

    fn count(&self, session: &Session) -> Result<u64> {
        Ok(self.logs.get(&session.id).map_or(0, MemoryLog::count))
    }

    fn sent(&self, session: &Session, key: &str) -> Result<Vec<SentMessage>> {
        Ok(self.logs.get(&session.id).map(|log| log.sent(key)).unwrap_or_default())
    }

    fn eviction(&self, session: &SessionId) -> Result<Option<Eviction>> {
        Ok(self.evictions.get(session).cloned())
    }

    fn raw_log(&self, session: &Session, offset: u64, _: usize) -> Result<Vec<u8>> {
        let lines = self.logs.get(&session.id).map(MemoryLog::lines).unwrap_or_default();
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(lines.as_bytes().get(offset..).unwrap_or_default().to_vec())
    }

    fn raw_summary(&self, session: &SessionId) -> Result<Option<Vec<u8>>> {
        Ok(self.summaries.get(session).map(|summary| summary.to_record().into_bytes()))
    }

    /// No bundle lies beside records in memory.
    fn bundle_waits(&self, _: &ArchiveRef) -> Result<bool> {
        Ok(false)
    }

    fn unsealed_bundles(&self) -> Result<Vec<ArchiveRef>> {
        Ok(Vec::new())
    }

    fn intent(&self, source: &SessionId) -> Result<Option<Intent>> {
        Ok(self.intents.get(source).cloned())
    }

    fn intended(&self) -> Result<Vec<SessionId>> {
        Ok(self.intents.keys().cloned().collect())
    }
}

impl RecordsMut for Tables {
    fn created(&mut self, new: Created<'_>, _: &TenantId) -> Result<()> {
        self.created += 1;
        let number = match new {
            Created::Project(id) => self.projects.get_mut(id).map(|one| &mut one.number),
            Created::Session(id) => self.sessions.get_mut(id).map(|one| &mut one.number),
            Created::Edge(id) => self.edges.number_mut(id),
        };
        if let Some(number) = number {
            *number = self.created;
        }
        Ok(())
    }

    fn put_project(&mut self, project: &Project) -> Result<()> {
        let number = self.projects.get(&project.id).map_or(0, |before| before.number);
        self.projects.insert(project.id.clone(), Numbered { number, record: project.clone() });
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<()> {
        let mut record = session.clone();
        if let Some(project) = self.projects.get(&session.project_id) {
            record.project_id = project.record.id.clone(); // thousands share that text
        }
        match self.sessions.get_mut(&session.id) {
            Some(kept) => kept.record = record,
            None => {
                let new = Box::new(Numbered { number: 0, record });
                self.sessions.insert(session.id.clone(), new);
            }
        }
        Ok(())
    }

    fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        self.sessions.remove(id);
        self.summaries.remove(id);
        self.logs.remove(id);
        self.evictions.remove(id);
        Ok(())
    }

    fn put_edge(&mut self, edge: &SubSession) -> Result<()> {
        self.edges.put(edge);
        Ok(())
    }

    fn remove_edge(&mut self, id: &SubSessionId) -> Result<()> {
        self.edges.remove(id);
        Ok(())
    }

    fn put_summary(&mut self, summary: &Summary) -> Result<()> {
        self.summaries.insert(summary.session_ref.clone(), summary.clone());
        Ok(())
    }

    fn append(&mut self, session: &SessionId, messages: Vec<SessionMessage>) -> Result<()> {
        self.changed_log(session).append(messages);
        Ok(())
    }

    fn replace(&mut self, session: &Session, messages: Vec<SessionMessage>) -> Result<()> {
        self.changed_log(&session.id).replace(messages);
        Ok(())
    }

    fn evict(&mut self, eviction: &Eviction) -> Result<()> {
        self.summaries.remove(&eviction.session_id);
        self.changed_log(&eviction.session_id).evict();
        self.put_eviction(eviction)
    }

    fn put_eviction(&mut self, eviction: &Eviction) -> Result<()> {
        self.evictions.insert(eviction.session_id.clone(), eviction.clone());
        Ok(())
    }

    fn put_back(&mut self, session: &Session, offset: u64, lines: &[u8]) -> Result<()> {
        let mut messages = Vec::new();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !is_blank(line)) {
            let decoded = SessionMessage::from_line(line, session);
            messages
                .extend(decoded.map_err(|reason| Error::corrupt("messages.jsonl", None, reason))?);
        }
        let log = self.changed_log(&session.id);
        if offset == 0 {
            log.evict();
        }
        log.restore(messages);
        Ok(())
    }

    fn end_eviction(&mut self, session: &SessionId, summary: Option<&str>) -> Result<()> {
        if let Some(summary) = summary {
            let summary = Summary::from_record(summary)
                .map_err(|reason| Error::corrupt("summary.json", None, reason))?;
            self.summaries.insert(session.clone(), summary);
        }
        self.evictions.remove(session);
        Ok(())
    }

    fn seal_bundle(&mut self, _: &ArchiveRef, _: &str) -> Result<()> {
        Ok(())
    }

    fn remove_bundle(&mut self, _: &ArchiveRef) -> Result<()> {
        Ok(())
    }

    fn put_intent(&mut self, intent: &Intent) -> Result<()> {
        self.intents.insert(intent.source.clone(), intent.clone());
        Ok(())
    }

    fn remove_intent(&mut self, source: &SessionId) -> Result<()> {
        self.intents.remove(source);
        Ok(())
    }
}
