//! Records as files: where each is, how it reads, and what changing it takes.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use super::{
    created::{self, Creation},
    linkage::{edge_in, forgotten_edge, located_edge, located_session, membership},
    log::{self, LogFile, OpenLog, Source},
    memory::Memory,
};
use crate::{
    engine::{Entry, FileError, Op, Opened, RelPath, View},
    error::{Error, Result},
    id::{ArchiveRef, InvalidId, ProjectId, SessionId, SubSessionId, TenantId},
    layout::{self, CHILD, CREATED, EDGE, Home, MEMBER, MOVED, SESSION},
    model::{Eviction, Intent, Project, Record, Session, SessionMessage, SubSession, Summary},
    store::{
        Created, Damaged, Form, Listed, Log, LogToken, Order, Records, RecordsMut, Selection,
        SentMessage, Span, selection::SpanPlace,
    },
    sync::atomic::Ordering,
    timestamp::Timestamp,
};

/// The records of a root, and the operations that a mutation asked for so far.
#[derive(Debug)]
pub(crate) struct DiskRecords<'v> {
    view: &'v View<'v>,
    memory: &'v Memory,
    /// Whether this is a mutation: what it sees may still be taken back.
    mutating: bool,
    ops: Vec<Op>,
    /// The sessions found so far, as a mutation asks for them before it changes them; with the
    /// project that the record says, where it was read.
    found: RefCell<Vec<(Home, Option<ProjectId>)>>,
    /// How many records this mutation has created.
    created: u64,
    /// Something was asked that the index may not know yet: the answer is of no use.
    unsure: Cell<bool>,
    /// The edge that was read last, as a mutation reads one before it changes it.
    last_edge: RefCell<Option<(Home, SubSession)>>,
}

/// The ids among the names in a folder, in order; other names are not ours.
pub(crate) fn ids<T: Ord>(
    view: &View<'_>,
    folder: &RelPath,
    parse: fn(&str) -> Result<T, InvalidId>,
) -> Result<Vec<T>, FileError> {
    let mut ids: Vec<T> = view.list(folder)?.iter().filter_map(|name| parse(name).ok()).collect();
    ids.sort_unstable();
    Ok(ids)
}

impl<'v> DiskRecords<'v> {
    /// The records for reading.
    pub(crate) fn new(view: &'v View<'v>, memory: &'v Memory) -> Self {
        Self {
            view,
            memory,
            mutating: false,
            ops: Vec::new(),
            found: RefCell::default(),
            created: 0,
            unsure: Cell::new(false),
            last_edge: RefCell::default(),
        }
    }

    /// The records for a mutation.
    pub(crate) fn changing(view: &'v View<'v>, memory: &'v Memory) -> Self {
        Self { mutating: true, ..Self::new(view, memory) }
    }

    /// Whether what was read is an answer; otherwise it is to be read again after a look for
    /// what other programs changed.
    pub(crate) fn is_sure(&self) -> bool {
        !self.unsure.get()
    }

    fn knows_all(&self) -> Result<bool> {
        Ok(self.view.knows_all(self.memory.trusts_index.load(Ordering::Relaxed))?)
    }

    /// Makes sure that what other programs changed is known, before an answer that rests on
    /// the index.
    fn ask_all(&self) -> Result<()> {
        if self.knows_all()? {
            return Ok(());
        }
        if self.mutating {
            // It should have been waited for; a transaction cannot be run again.
            return Ok(self.view.look_here()?);
        }
        self.unsure.set(true);
        Ok(())
    }

    /// Runs `read` over a session's log as it is at this moment.
    fn with_log<T>(
        &self,
        session: &Session,
        read: impl FnOnce(LogFile<'_>) -> Result<T>,
    ) -> Result<T> {
        let path = self.existing_home(&session.id)?.messages_file();
        let file = self.view.open(&path)?;
        read(self.log_file(&file, &path, &session.id, &session.tenant_id))
    }

    fn log_file<'a>(
        &'a self,
        file: &'a Opened,
        path: &'a RelPath,
        session: &'a SessionId,
        tenant: &'a TenantId,
    ) -> LogFile<'a> {
        let source = Source { view: self.view, file, path };
        LogFile { source, session, tenant, memory: &self.memory.logs, lasting: !self.mutating }
    }

    fn file_of<'a>(&'a self, log: &'a OpenLog) -> LogFile<'a> {
        self.log_file(&log.file, &log.path, &log.session, &log.tenant)
    }

    pub(crate) fn into_ops(self) -> Vec<Op> {
        self.ops
    }

    /// Reads and decodes a record, which must carry the id that its folder has.
    pub(crate) fn record<R: Record>(&self, path: &RelPath, id: &str) -> Result<Option<R>> {
        let corrupt = |reason: String| Error::corrupt(path.as_str(), None, reason);
        let Some(bytes) = self.view.read(path)? else { return Ok(None) };
        let text = std::str::from_utf8(&bytes).map_err(|error| corrupt(error.to_string()))?;
        let record = R::from_record(text).map_err(corrupt)?;
        if record.record_id() != id {
            return Err(corrupt(format!("id: expected {id}, found {}", record.record_id())));
        }
        Ok(Some(record))
    }

    fn session_at(&self, home: Home) -> Result<Option<Session>> {
        let session: Option<Session> = self.record(&home.session_file(), home.session.as_str())?;
        if let Some(session) = &session {
            self.found.borrow_mut().push((home, Some(session.project_id.clone())));
        }
        Ok(session)
    }

    /// Tries where the locator has a session, smallest project first, until `of` answers.
    fn located_home<T>(
        &self,
        id: &SessionId,
        of: impl Fn(Home) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let of = |project: &str| match ProjectId::parse(project) {
            Ok(project) => of(Home { project, session: id.clone() }),
            Err(_) => Ok(None),
        };
        let Some(first) = self.view.first_located(SESSION, id.as_str())? else { return Ok(None) };
        if let Some(found) = of(&first)? {
            return Ok(Some(found));
        }
        for project in self.view.located(SESSION, id.as_str())? {
            if project != first
                && let Some(found) = of(&project)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn found(&self, id: &SessionId) -> Option<Home> {
        self.found.borrow().iter().map(|(home, _)| home).find(|home| home.session == *id).cloned()
    }

    /// The project that the record of a session says which is kept there.
    fn said_project(&self, home: &Home) -> Result<Option<ProjectId>> {
        let found = self.found.borrow();
        let read = found.iter().filter(|(one, _)| one == home).find_map(|(_, said)| said.clone());
        drop(found);
        if read.is_some() {
            return Ok(read);
        }
        match self.record::<Session>(&home.session_file(), home.session.as_str()) {
            Ok(session) => Ok(session.map(|session| session.project_id)),
            Err(error) if Damaged::is_told_by(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes back what was said about a record when it was created.
    fn forget_creation(&mut self, of: Created<'_>) -> Result<()> {
        let said = self.view.located(CREATED, of.id())?;
        self.locate(said.iter().map(|text| Entry::remove(CREATED, of.id(), text)));
        Ok(())
    }

    /// Removes what was salvaged of a record that is removed.
    fn remove_salvaged(&mut self, id: &str) -> Result<()> {
        for name in self.view.list(&layout::salvage())? {
            if layout::is_salvaged_of(id, &name)
                && let Some(salvaged) = layout::salvage().listed(&name)
            {
                self.remove(salvaged);
            }
        }
        Ok(())
    }

    /// What was said about a record when it was created.
    fn creation(&self, of: Created<'_>) -> Result<Option<Creation>> {
        let said = self.view.first_located(CREATED, of.id())?;
        Ok(said.and_then(|text| Creation::from_text(&text)))
    }

    /// The sessions whose records say a project, and that are kept with another.
    fn members(&self, project: &ProjectId) -> Result<Vec<Home>> {
        self.ask_all()?;
        let said = self.view.located(MEMBER, project.as_str())?;
        Ok(said.iter().filter_map(|text| Home::from_text(text)).collect())
    }

    /// The session of the smallest project that has it.
    fn session_in(&self, projects: Vec<ProjectId>, id: &SessionId) -> Result<Option<Session>> {
        for project in projects {
            let home = Home { project, session: id.clone() };
            let learned = located_session(&home);
            if let Some(session) = self.session_at(home)? {
                self.view.learn(&learned);
                return Ok(Some(session));
            }
        }
        Ok(None)
    }

    /// The first home that the index has of a session.
    fn first_home(&self, id: &SessionId) -> Result<Option<Home>> {
        let first = self.view.first_located(SESSION, id.as_str())?;
        let project = first.and_then(|project| ProjectId::parse(&project).ok());
        Ok(project.map(|project| Home { project, session: id.clone() }))
    }

    /// When a session was created, by its record; that is read only when it is another than last
    /// time, as any program may have changed it.
    fn age(&self, project: &ProjectId, id: &SessionId) -> Result<Option<Timestamp>> {
        let home = Home { project: project.clone(), session: id.clone() };
        // Before the record is read, so that a later change shows.
        let stat = self.view.stat(&home.session_file())?;
        if let Some(known) = stat.and_then(|stat| self.memory.ages.get(project, id, stat)) {
            return Ok(Some(known));
        }
        let session: Option<Session> = self.record(&home.session_file(), id.as_str())?;
        let session = session.filter(|session| session.project_id == *project);
        let created_at = session.map(|session| session.created_at);
        if let (Some(stat), Some(created_at), false) = (stat, created_at, self.mutating) {
            self.memory.ages.learn(project, id, stat, created_at);
        }
        Ok(created_at)
    }

    /// The folder of a session that exists.
    fn home(&self, id: &SessionId) -> Result<Option<Home>> {
        if let Some(found) = self.found(id) {
            return Ok(Some(found));
        }
        self.located_home(id, |home| Ok(self.view.exists(&home.session_file())?.then_some(home)))
    }

    fn existing_home(&self, id: &SessionId) -> Result<Home> {
        self.home(id)?.ok_or_else(|| Error::NotFound { kind: "Session", id: id.to_string() })
    }

    /// An edge, and the folder that it hangs under.
    fn find_edge(&self, id: &SubSessionId) -> Result<Option<(Home, SubSession)>> {
        if let Some(found) = self.located_edge(id)? {
            return Ok(Some(found));
        }
        if self.knows_all()? {
            return Ok(None);
        }
        self.ask_all()?;
        self.located_edge(id)
    }

    /// An edge where the index has it, the first folder that has one of that id.
    fn located_edge(&self, id: &SubSessionId) -> Result<Option<(Home, SubSession)>> {
        for home in self.view.located(EDGE, id.as_str())? {
            if let Some(home) = Home::from_text(&home)
                && let Some(edge) = self.edge_at(&home, id)?
            {
                return Ok(Some((home, edge)));
            }
        }
        Ok(None)
    }

    fn edge_at(&self, home: &Home, id: &SubSessionId) -> Result<Option<SubSession>> {
        if let Some((read, edge)) = self.last_edge.borrow().as_ref()
            && edge.id == *id
            && read == home
        {
            return Ok(Some(edge.clone()));
        }
        let edge = self.record(&home.edge_file(id), id.as_str())?;
        if self.mutating {
            let read = edge.as_ref().map(|edge: &SubSession| (home.clone(), edge.clone()));
            *self.last_edge.borrow_mut() = read;
        }
        Ok(edge)
    }

    /// The edges that the index has under a session's key.
    fn located_edges(&self, kind: u8, session: &SessionId) -> Result<Vec<SubSession>> {
        let mut edges = Vec::<SubSession>::new();
        for place in self.view.located(kind, session.as_str())? {
            // Of an edge in two folders there are two places, one after the other.
            let is_known = edges.last().is_some_and(|edge| edge.id.as_str() == edge_in(&place));
            if let (false, Ok(id)) = (is_known, SubSessionId::parse(edge_in(&place))) {
                edges.extend(self.located_edge(&id)?.map(|(_, edge)| edge));
            }
        }
        Ok(edges)
    }

    /// What the index keeps of an edge.
    fn kept(&self, home: &Home, id: &SubSessionId) -> Result<Option<Vec<u8>>> {
        Ok(self.view.kept(EDGE, id.as_str(), &home.text())?)
    }

    fn put(&mut self, path: RelPath, record: &impl Record) {
        self.ops.push(Op::Put { path, bytes: record.to_record().into_bytes() });
    }

    fn remove(&mut self, path: RelPath) {
        self.ops.push(Op::Remove { path });
    }

    fn locate(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.ops.extend(entries.into_iter().map(Op::Locate));
    }
}

impl Records for DiskRecords<'_> {
    fn project(&self, id: &ProjectId) -> Result<Option<Project>> {
        self.record(&layout::project_file(id), id.as_str())
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        if let Some(session) = self.located_home(id, |home| self.session_at(home))? {
            return Ok(Some(session));
        }
        self.session_in(ids(self.view, &layout::projects(), ProjectId::parse)?, id)
    }

    /// A change that needs no more of a session than its owner, who never changes, looks
    /// at the file and reads it only when it is another than last time.
    fn owner(&self, id: &SessionId) -> Result<Option<TenantId>> {
        if let Some(home) = self.first_home(id)?
            && let Some(stat) = self.view.stat(&home.session_file())?
        {
            if let Some(owner) = self.memory.recent.owner(&home.session_file(), stat) {
                self.found.borrow_mut().push((home, None));
                return Ok(Some(owner));
            }
            let owner = self.session(id)?.map(|session| session.tenant_id);
            if let Some(owner) = &owner {
                self.memory.recent.owned(home.session_file(), stat, owner.clone());
            }
            return Ok(owner);
        }
        Ok(self.session(id)?.map(|session| session.tenant_id))
    }

    fn edge(&self, id: &SubSessionId) -> Result<Option<SubSession>> {
        Ok(self.find_edge(id)?.map(|(_, edge)| edge))
    }

    fn edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>> {
        self.ask_all()?;
        self.known_edges_from(parent)
    }

    fn known_edges_from(&self, parent: &SessionId) -> Result<Vec<SubSession>> {
        // Of a root that was never looked through, nothing is known of other folders.
        if !self.view.knows_all(true)? {
            self.ask_all()?;
        }
        let mut edges = self.located_edges(MOVED, parent)?;
        if let Some(home) = self.home(parent)? {
            for id in ids(self.view, &home.edges(), SubSessionId::parse)? {
                let Some(edge) = self.edge_at(&home, &id)? else { continue };
                let new = located_edge(&edge, &home, self.kept(&home, &id)?.as_deref());
                new.iter().for_each(|entry| self.view.learn(entry));
                edges.push(edge);
            }
        }
        edges.retain(|edge| edge.parent_session_id == *parent);
        Ok(edges)
    }

    fn edges_to(&self, child: &SessionId) -> Result<Vec<SubSession>> {
        self.ask_all()?;
        let mut edges = self.located_edges(CHILD, child)?;
        edges.retain(|edge| edge.child_session_id == *child);
        Ok(edges)
    }

    fn summary(&self, session: &SessionId) -> Result<Option<Summary>> {
        match self.home(session)? {
            Some(home) => self.record(&home.summary_file(), session.as_str()),
            None => Ok(None),
        }
    }

    fn order(&self, of: Created<'_>) -> Result<Order> {
        Ok(self.creation(of)?.map(|creation| creation.order).unwrap_or_default())
    }

    fn is_owned(&self, of: Created<'_>, tenant: &TenantId) -> Result<Option<bool>> {
        let owner = self.creation(of)?.map(|creation| creation.owner);
        Ok(owner.map(|owner| owner == created::mark_of(tenant)))
    }

    fn projects(&self) -> Result<Listed<ProjectId>> {
        let mut projects = Listed::default();
        for id in ids(self.view, &layout::projects(), ProjectId::parse)? {
            match self.project(&id) {
                Ok(Some(project)) => projects.found.push((project.created_at, id)),
                Ok(None) => {}
                Err(error) if Damaged::is_told_by(&error) => projects.damaged.push((id, error)),
                Err(error) => return Err(error),
            }
        }
        Ok(projects)
    }

    fn session_ids(&self, project: &ProjectId) -> Result<Vec<SessionId>> {
        let mut ids = ids(self.view, &layout::sessions(project), SessionId::parse)?;
        ids.extend(self.members(project)?.into_iter().map(|home| home.session));
        Ok(ids)
    }

    fn sessions_of(&self, project: &ProjectId) -> Result<Listed<SessionId>> {
        let mut sessions = Listed::default();
        for id in ids(self.view, &layout::sessions(project), SessionId::parse)? {
            match self.age(project, &id) {
                Ok(Some(created_at)) => sessions.found.push((created_at, id)),
                Ok(None) => {}
                Err(error) if Damaged::is_told_by(&error) => sessions.damaged.push((id, error)),
                Err(error) => return Err(error),
            }
        }
        for home in self.members(project)? {
            // One that cannot be read is named where its folder is.
            match self.record::<Session>(&home.session_file(), home.session.as_str()) {
                Ok(Some(session)) if session.project_id == *project => {
                    sessions.found.push((session.created_at, home.session));
                }
                Err(error) if !Damaged::is_told_by(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(sessions)
    }

    fn session_of(&self, project: &ProjectId, id: &SessionId) -> Result<Option<Session>> {
        let here = Home { project: project.clone(), session: id.clone() };
        let is_said = |session: &Session| session.project_id == *project;
        let found = self.record::<Session>(&here.session_file(), id.as_str())?;
        if let Some(session) = found.filter(is_said) {
            return Ok(Some(session));
        }
        for home in self.members(project)?.into_iter().filter(|home| home.session == *id) {
            let found = self.record::<Session>(&home.session_file(), id.as_str())?;
            if let Some(session) = found.filter(is_said) {
                return Ok(Some(session));
            }
        }
        Ok(None)
    }

    fn log(&self, session: &Session, form: Form) -> Result<Log> {
        self.with_log(session, |log| log.whole(form))
    }

    fn log_bytes(&self, session: &Session) -> Result<u64> {
        let path = self.existing_home(&session.id)?.messages_file();
        Ok(self.view.len(&path)?)
    }

    fn log_token(&self, session: &Session) -> Result<Option<LogToken>> {
        let path = self.existing_home(&session.id)?.messages_file();
        if let Some(stat) = self.view.stat(&path)? {
            let holder = [stat.id.0, stat.id.1];
            return Ok(Some(LogToken { holder, changed: stat.changed, len: stat.len }));
        }
        Ok((!self.view.exists(&path)?).then(LogToken::default))
    }

    fn span(&self, session: &Session, selection: &Selection) -> Result<Span> {
        let path = self.existing_home(&session.id)?.messages_file();
        let file = self.view.open(&path)?;
        let (session, tenant) = (session.id.clone(), session.tenant_id.clone());
        let log = Arc::new(OpenLog { file, path, session, tenant });
        self.file_of(&log).resolve(&log, selection)
    }

    fn next_chunk(&self, span: &mut Span, form: Form, max_bytes: usize) -> Result<Option<String>> {
        let SpanPlace::File(place) = &mut span.place else { return Ok(None) };
        let log = Arc::clone(&place.log);
        self.file_of(&log).next_chunk(place, &mut span.left, form, max_bytes)
    }

    fn count(&self, session: &Session) -> Result<u64> {
        self.with_log(session, |log| log.count())
    }

    fn sent(&self, session: &Session, key: &str) -> Result<Vec<SentMessage>> {
        self.with_log(session, |log| log.sent(key))
    }

    fn eviction(&self, session: &SessionId) -> Result<Option<Eviction>> {
        match self.home(session)? {
            Some(home) => self.record(&home.eviction_file(), session.as_str()),
            None => Ok(None),
        }
    }

    fn raw_log(&self, session: &Session, offset: u64, max_bytes: usize) -> Result<Vec<u8>> {
        let path = self.existing_home(&session.id)?.messages_file();
        Ok(self.view.read_at(&path, offset, max_bytes)?)
    }

    fn raw_summary(&self, session: &SessionId) -> Result<Option<Vec<u8>>> {
        match self.home(session)? {
            Some(home) => Ok(self.view.read(&home.summary_file())?),
            None => Ok(None),
        }
    }

    fn bundle_waits(&self, archive_ref: &ArchiveRef) -> Result<bool> {
        Ok(self.view.exists(&layout::bundle_identity(archive_ref))?
            && !self.view.exists(&layout::bundle_marker(archive_ref))?)
    }

    fn unsealed_bundles(&self) -> Result<Vec<ArchiveRef>> {
        let mut unsealed = Vec::new();
        for archive_ref in ids(self.view, &layout::archive(), ArchiveRef::parse)? {
            if !self.view.exists(&layout::bundle_marker(&archive_ref))? {
                unsealed.push(archive_ref);
            }
        }
        Ok(unsealed)
    }

    fn intent(&self, source: &SessionId) -> Result<Option<Intent>> {
        self.record(&layout::intent_file(source), source.as_str())
    }

    fn intended(&self) -> Result<Vec<SessionId>> {
        Ok(layout::intended(&self.view.list(&layout::intents())?))
    }
}

impl RecordsMut for DiskRecords<'_> {
    fn created(&mut self, new: Created<'_>, owner: &TenantId) -> Result<()> {
        let order = Order { transaction: self.view.transaction(), place: self.created };
        self.created += 1;
        let creation = Creation { order, owner: created::mark_of(owner) };
        self.locate([Entry::add(CREATED, new.id(), &creation.text())]);
        Ok(())
    }

    fn put_project(&mut self, project: &Project) -> Result<()> {
        self.put(layout::project_file(&project.id), project);
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<()> {
        let home = match self.found(&session.id) {
            Some(home) => {
                let said = self.said_project(&home)?.filter(|said| *said != session.project_id);
                if let Some(said) = said {
                    let before = membership(&said, &home);
                    self.locate(before.map(|entry| Entry { present: false, ..entry }));
                    self.locate(membership(&session.project_id, &home));
                }
                home
            }
            // One that was not asked for is new.
            None => {
                let project = session.project_id.clone();
                let home = Home { project, session: session.id.clone() };
                self.locate([located_session(&home)]);
                home
            }
        };
        self.put(home.session_file(), session);
        Ok(())
    }

    /// Edges that were moved to another parent keep hanging under this session's
    /// folder, so the folder goes only when it holds none. What was salvaged of it goes with it:
    /// who deletes a session means all that was said in it.
    fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        let home = self.existing_home(id)?;
        let mut holds_edges = false;
        for edge in ids(self.view, &home.edges(), SubSessionId::parse)? {
            holds_edges |= self.view.exists(&home.edge_file(&edge))?;
        }
        if holds_edges {
            self.remove(home.session_file());
            self.remove(home.messages_file());
            self.remove(home.summary_file());
            self.remove(home.eviction_file());
            self.remove(home.runs());
        } else {
            self.remove(home.folder());
        }
        self.remove_salvaged(id.as_str())?;
        self.locate([Entry { present: false, ..located_session(&home) }]);
        if let Some(said) = self.said_project(&home)? {
            let member = membership(&said, &home);
            self.locate(member.map(|entry| Entry { present: false, ..entry }));
        }
        self.forget_creation(Created::Session(id))
    }

    fn put_edge(&mut self, edge: &SubSession) -> Result<()> {
        let home = match self.find_edge(&edge.id)? {
            Some((home, _)) => home,
            None => self.existing_home(&edge.parent_session_id)?,
        };
        self.put(home.edge_file(&edge.id), edge);
        let kept = self.kept(&home, &edge.id)?;
        self.locate(located_edge(edge, &home, kept.as_deref()));
        Ok(())
    }

    fn remove_edge(&mut self, id: &SubSessionId) -> Result<()> {
        let Some((home, _)) = self.find_edge(id)? else { return Ok(()) };
        let kept = self.kept(&home, id)?.unwrap_or_default();
        self.locate(forgotten_edge(id.as_str(), &home.text(), &kept));
        self.remove(home.edge(id));
        self.remove_salvaged(id.as_str())?;
        self.forget_creation(Created::Edge(id))
    }

    fn put_summary(&mut self, summary: &Summary) -> Result<()> {
        let home = self.existing_home(&summary.session_ref)?;
        self.put(home.summary_file(), summary);
        Ok(())
    }

    fn append(&mut self, session: &SessionId, messages: Vec<SessionMessage>) -> Result<()> {
        let home = self.existing_home(session)?;
        let ops = log::append(self.view, &self.memory.recent, &home, &messages)?;
        self.ops.extend(ops);
        Ok(())
    }

    fn put_intent(&mut self, intent: &Intent) -> Result<()> {
        self.put(layout::intent_file(&intent.source), intent);
        Ok(())
    }

    fn remove_intent(&mut self, source: &SessionId) -> Result<()> {
        self.remove(layout::intent_file(source));
        Ok(())
    }

    fn replace(&mut self, session: &Session, messages: Vec<SessionMessage>) -> Result<()> {
        let home = self.existing_home(&session.id)?;
        let ops = log::replace(self.view, &self.memory.recent, &home, session, &messages)?;
        self.ops.extend(ops);
        Ok(())
    }

    fn evict(&mut self, eviction: &Eviction) -> Result<()> {
        let home = self.existing_home(&eviction.session_id)?;
        self.put(home.eviction_file(), eviction);
        self.remove(home.messages_file());
        self.remove(home.summary_file());
        Ok(())
    }

    fn put_eviction(&mut self, eviction: &Eviction) -> Result<()> {
        let home = self.existing_home(&eviction.session_id)?;
        self.put(home.eviction_file(), eviction);
        Ok(())
    }

    fn put_back(&mut self, session: &Session, offset: u64, lines: &[u8]) -> Result<()> {
        let path = self.existing_home(&session.id)?.messages_file();
        self.ops.push(Op::Append { path, offset, bytes: lines.to_vec() });
        Ok(())
    }

    fn end_eviction(&mut self, session: &SessionId, summary: Option<&str>) -> Result<()> {
        let home = self.existing_home(session)?;
        if let Some(summary) = summary {
            let bytes = summary.as_bytes().to_vec();
            self.ops.push(Op::Put { path: home.summary_file(), bytes });
        }
        self.remove(home.eviction_file());
        Ok(())
    }

    fn seal_bundle(&mut self, archive_ref: &ArchiveRef, marker: &str) -> Result<()> {
        self.remove(layout::bundle_lock(archive_ref));
        let bytes = marker.as_bytes().to_vec();
        self.ops.push(Op::Put { path: layout::bundle_marker(archive_ref), bytes });
        Ok(())
    }

    fn remove_bundle(&mut self, archive_ref: &ArchiveRef) -> Result<()> {
        self.remove(layout::archive().id(archive_ref));
        Ok(())
    }
}
