//! The records of a memory store, and the linkage between them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::{Log, Records, RecordsMut, records::LogWriter};
use crate::{
    error::Result,
    id::{ProjectId, SessionId, SubSessionId},
    model::{Entity as _, Intent, Project, Session, SessionMessage, SubSession, Summary},
};

#[derive(Debug, Default)]
pub(super) struct Tables {
    projects: HashMap<ProjectId, Project>,
    sessions: HashMap<SessionId, Session>,
    summaries: HashMap<SessionId, Summary>,
    messages: HashMap<SessionId, Vec<SessionMessage>>,
    edges: HashMap<SubSessionId, SubSession>,
    intents: BTreeMap<SessionId, Intent>,
    edges_from: Linkage,
    edges_to: Linkage,
}

/// Which edges name a session, as parent or as child.
#[derive(Debug, Default)]
struct Linkage(HashMap<SessionId, BTreeSet<SubSessionId>>);

impl Linkage {
    fn add(&mut self, session: &SessionId, edge: &SubSessionId) {
        self.0.entry(session.clone()).or_default().insert(edge.clone());
    }

    fn remove(&mut self, session: &SessionId, edge: &SubSessionId) {
        if let Some(edges) = self.0.get_mut(session) {
            edges.remove(edge);
            if edges.is_empty() {
                self.0.remove(session);
            }
        }
    }

    fn of<'t>(
        &'t self,
        session: &SessionId,
        edges: &'t HashMap<SubSessionId, SubSession>,
    ) -> Vec<SubSession> {
        let ids = self.0.get(session).into_iter().flatten();
        ids.filter_map(|id| edges.get(id)).cloned().collect()
    }
}

impl Tables {
    fn log(&self, session: &Session, write: impl Fn(&mut String, &SessionMessage)) -> Log {
        let mut log = LogWriter::default();
        for message in self.messages.get(&session.id).into_iter().flatten() {
            log.push(|text| write(text, message));
        }
        log.finish()
    }

    fn unlink(&mut self, id: &SubSessionId) -> Option<SubSession> {
        let edge = self.edges.remove(id)?;
        self.edges_from.remove(&edge.parent_session_id, id);
        self.edges_to.remove(&edge.child_session_id, id);
        Some(edge)
    }
}

impl Records for Tables {
    fn project(&self, id: &ProjectId) -> Result<Option<Project>> {
        Ok(self.projects.get(id).cloned())
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        Ok(self.sessions.get(id).cloned())
    }

    fn edge(&self, id: &SubSessionId) -> Result<Option<SubSession>> {
        Ok(self.edges.get(id).cloned())
    }

    fn edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>> {
        Ok(self.edges_from.of(parent, &self.edges))
    }

    fn edges_to(&self, child: &SessionId) -> Result<Vec<SubSession>> {
        Ok(self.edges_to.of(child, &self.edges))
    }

    fn summary(&self, session: &SessionId) -> Result<Option<Summary>> {
        Ok(self.summaries.get(session).cloned())
    }

    fn messages(&self, session: &Session) -> Result<Log> {
        Ok(self.log(session, |text, line| text.push_str(line.message.as_str())))
    }

    fn session_messages(&self, session: &Session) -> Result<Log> {
        Ok(self.log(session, |text, line| text.push_str(&line.to_json())))
    }

    fn intent(&self, source: &SessionId) -> Result<Option<Intent>> {
        Ok(self.intents.get(source).cloned())
    }

    fn intents(&self) -> Result<Vec<Intent>> {
        Ok(self.intents.values().cloned().collect())
    }
}

impl RecordsMut for Tables {
    fn put_project(&mut self, project: &Project) -> Result<()> {
        self.projects.insert(project.id.clone(), project.clone());
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<()> {
        self.sessions.insert(session.id.clone(), session.clone());
        Ok(())
    }

    fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        self.sessions.remove(id);
        self.summaries.remove(id);
        self.messages.remove(id);
        Ok(())
    }

    fn put_edge(&mut self, edge: &SubSession) -> Result<()> {
        self.unlink(&edge.id);
        self.edges_from.add(&edge.parent_session_id, &edge.id);
        self.edges_to.add(&edge.child_session_id, &edge.id);
        self.edges.insert(edge.id.clone(), edge.clone());
        Ok(())
    }

    fn remove_edge(&mut self, id: &SubSessionId) -> Result<()> {
        self.unlink(id);
        Ok(())
    }

    fn put_summary(&mut self, summary: &Summary) -> Result<()> {
        self.summaries.insert(summary.session_ref.clone(), summary.clone());
        Ok(())
    }

    fn append(&mut self, session: &SessionId, messages: Vec<SessionMessage>) -> Result<()> {
        self.messages.entry(session.clone()).or_default().extend(messages);
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
