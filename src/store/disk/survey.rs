//! Walks a root beside its index: what is as the index noted it is not read again, all else
//! is, and a folder listed.
//!
//! A note is taken of what was seen before anything is read, so that a change meanwhile is
//! found by the next walk. What is not older by more than the clock may be coarse is not
//! noted: another change of the same tick could not be told from it.

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicUsize, Ordering},
    thread::{available_parallelism, scope},
};

use super::{
    linkage::{self, Linkage, Note},
    records::ids,
};
use crate::{
    engine::{Entry, FileError, Found, Progress, RelPath, Stat, Table, View},
    id::{ProjectId, SessionId, SubSessionId},
    layout::{self, EDGE, FOLDER, Home, SESSION},
    model::{Record as _, Session},
    store::Damaged,
};

/// Fewer records than this are looked at by one thread.
const WORTH_THREADS: usize = 256;
/// More threads than this only wait for each other's disk.
const MOST_THREADS: usize = 8;
/// This many records are looked at in one step.
const STEP: usize = 256;

/// A session that may be there.
struct At<'t> {
    project: &'t str,
    session: &'t str,
    /// What the index keeps of it.
    before: Option<&'t [u8]>,
}

/// An edge that may be there.
struct Below<'t> {
    home: &'t str,
    edge: &'t str,
    before: Option<&'t [u8]>,
}

/// One walk through a root.
struct Walk<'w> {
    view: &'w View<'w>,
    table: &'w Table,
    clock: u64,
    index: u64,
}

/// Finds what the tree of a root says and its index does not.
pub(crate) fn survey(
    view: &View<'_>,
    table: &Table,
    progress: Progress<'_>,
) -> Result<Vec<Found>, FileError> {
    let walk = Walk { view, table, clock: view.clock(), index: table.number() };
    let mut found = Vec::new();
    let new_sessions = walk.folders(&mut found)?;
    let mut sessions: Vec<At<'_>> = walk.known_sessions().collect();
    sessions.extend(new_sessions.iter().flat_map(|(project, sessions)| {
        sessions.iter().map(|session| At { project, session: session.as_str(), before: None })
    }));
    let (total, done) = (sessions.len(), AtomicUsize::new(0));
    progress(0, total);
    let parts = in_parallel(&sessions, |part| {
        let looked_at = walk.sessions(part);
        let done = done.fetch_add(part.len(), Ordering::Relaxed) + part.len();
        if done < total {
            progress(done, total);
        }
        looked_at
    })?;
    let mut new_edges = Vec::new();
    for (changes, edges) in parts {
        found.extend(changes);
        new_edges.extend(edges);
    }
    let mut edges: Vec<Below<'_>> = walk.known_edges().collect();
    edges.extend(new_edges.iter().map(|(home, edge)| Below { home, edge, before: None }));
    found.extend(in_parallel(&edges, |part| walk.edges(part))?.into_iter().flatten());
    progress(total, total);
    Ok(found)
}

/// Runs `each` over all items, a step at a time, on several threads where that is worth it.
fn in_parallel<I: Sync, T: Send>(
    items: &[I],
    each: impl Fn(&[I]) -> Result<T, FileError> + Sync,
) -> Result<Vec<T>, FileError> {
    let threads = match items.len() {
        ..WORTH_THREADS => 1,
        _ => available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS)),
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(STEP, Ordering::Relaxed);
            let to = items.len().min(from.saturating_add(STEP));
            match items.get(from..to).filter(|part| !part.is_empty()) {
                Some(part) => done.push(each(part)?),
                None => return Ok(done),
            }
        }
    };
    if threads == 1 {
        return work();
    }
    let parts: Vec<Result<Vec<T>, FileError>> = scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = working.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}

impl<'w> Walk<'w> {
    fn note(&self, stat: Option<&Stat>) -> Note {
        Note::of(stat, self.clock, self.index)
    }

    fn known_sessions(&self) -> impl Iterator<Item = At<'w>> + use<'w> {
        let sessions = self.table.of_kind(SESSION);
        sessions.map(|(session, project, data)| At { project, session, before: Some(data) })
    }

    fn known_edges(&self) -> impl Iterator<Item = Below<'w>> + use<'w> {
        let edges = self.table.of_kind(EDGE);
        edges.map(|(edge, home, data)| Below { home, edge, before: Some(data) })
    }

    /// Lists the folders that are not as they were noted: that of the projects, and of each
    /// project's sessions. Answers the sessions that the index does not have.
    fn folders(&self, found: &mut Vec<Found>) -> Result<Vec<(String, Vec<SessionId>)>, FileError> {
        let projects_folder = layout::projects();
        let stat = self.view.stat(&projects_folder)?;
        let noted = self.table.data(FOLDER, "", "").unwrap_or_default();
        let note = self.note(stat.as_ref());
        let known = self.table.of_kind(FOLDER).map(|(project, ..)| project);
        let known = known.filter(|project| !project.is_empty());
        let projects: Vec<String> = if note.is_noted_in(noted) {
            known.map(str::to_owned).collect()
        } else {
            let listed = ids(self.view, &projects_folder, ProjectId::parse)?;
            let there: HashSet<&str> = listed.iter().map(ProjectId::as_str).collect();
            found.extend(known.filter(|known| !there.contains(known)).map(|project| Found {
                before: self.table.data(FOLDER, project, "").map(<[u8]>::to_vec),
                entries: vec![Entry::remove(FOLDER, project, "")],
            }));
            // Where there is nothing, there is nothing to say.
            if note != Note::ABSENT || !noted.is_empty() {
                self.say(found, FOLDER, "", "", note.to_bytes());
            }
            listed.iter().map(ToString::to_string).collect()
        };
        let names: Vec<String> = projects.iter().map(|id| format!("{id}/sessions")).collect();
        let stats = self.view.stats(&projects_folder, &names)?;
        let mut known: Option<HashMap<&str, HashSet<&str>>> = None;
        let mut new = Vec::new();
        for (project, stat) in projects.into_iter().zip(stats) {
            let note = self.note(stat.as_ref());
            if note.is_noted_in(self.table.data(FOLDER, &project, "").unwrap_or_default()) {
                continue;
            }
            let Ok(id) = ProjectId::parse(&project) else { continue };
            let mut sessions = ids(self.view, &layout::sessions(&id), SessionId::parse)?;
            let known = known.get_or_insert_with(|| self.sessions_by_project());
            if let Some(known) = known.get(&*project) {
                sessions.retain(|session| !known.contains(session.as_str()));
            }
            self.say(found, FOLDER, &project, "", note.to_bytes());
            new.push((project, sessions));
        }
        Ok(new)
    }

    fn sessions_by_project(&self) -> HashMap<&'w str, HashSet<&'w str>> {
        let mut projects = HashMap::<_, HashSet<_>>::new();
        for At { project, session, .. } in self.known_sessions() {
            projects.entry(project).or_default().insert(session);
        }
        projects
    }

    /// Has the index keep `data` with a value, if it does not.
    fn say(&self, found: &mut Vec<Found>, kind: u8, key: &str, value: &str, data: Vec<u8>) {
        let before = self.table.data(kind, key, value);
        if before != Some(&data) {
            let entry = Entry { data, ..Entry::add(kind, key, value) };
            found.push(Found { before: before.map(<[u8]>::to_vec), entries: vec![entry] });
        }
    }

    /// Looks at sessions; answers what changed, and the edges below them that the index does
    /// not have.
    #[expect(clippy::type_complexity, reason = "two lists")]
    fn sessions(&self, part: &[At<'_>]) -> Result<(Vec<Found>, Vec<(String, String)>), FileError> {
        let mut names = Vec::with_capacity(2 * part.len());
        for At { project, session, .. } in part {
            names.push(format!("{project}/sessions/{session}/session.json"));
            names.push(format!("{project}/sessions/{session}/subsessions"));
        }
        let stats = self.view.stats(&layout::projects(), &names)?;
        let (mut found, mut edges) = (Vec::new(), Vec::new());
        for (At { project, session, before }, stats) in part.iter().zip(stats.chunks(2)) {
            let [record, folder] = stats else { continue };
            let (record, below) = (self.note(record.as_ref()), self.note(folder.as_ref()));
            let noted = before.unwrap_or_default();
            if record == Note::ABSENT && below == Note::ABSENT {
                if let Some(before) = before {
                    let gone = vec![Entry::remove(SESSION, session, project)];
                    found.push(Found { before: Some(before.to_vec()), entries: gone });
                }
                continue;
            }
            let home = (ProjectId::parse(project), SessionId::parse(session));
            let (Ok(at), Ok(id)) = home else { continue };
            let home = Home { project: at, session: id };
            if !below.is_noted_in(noted.get(Note::LEN..).unwrap_or_default())
                && below != Note::ABSENT
            {
                for edge in ids(self.view, &home.edges(), SubSessionId::parse)? {
                    if !self.table.has(EDGE, edge.as_str(), &home.text()) {
                        edges.push((home.text(), edge.to_string()));
                    }
                }
            }
            let data = linkage::session_data(record, below);
            if *before != Some(&data) {
                let mut entries = vec![Entry { data, ..Entry::add(SESSION, session, project) }];
                if !record.is_noted_in(noted) {
                    entries.extend(self.membership(&home)?);
                }
                found.push(Found { before: before.map(<[u8]>::to_vec), entries });
            }
        }
        Ok((found, edges))
    }

    /// Which project a session is in by its record, where that is another.
    fn membership(&self, home: &Home) -> Result<Option<Entry>, FileError> {
        let Some(bytes) = read_if_readable(self.view, &home.session_file())? else {
            return Ok(None);
        };
        let session = std::str::from_utf8(&bytes).ok();
        let session = session.and_then(|text| Session::from_record(text).ok());
        Ok(session.and_then(|session| linkage::membership(&session.project_id, home)))
    }

    fn edges(&self, part: &[Below<'_>]) -> Result<Vec<Found>, FileError> {
        let name = |Below { home, edge, .. }: &Below<'_>| {
            let (project, session) = home.split_once('/').unwrap_or_default();
            format!("{project}/sessions/{session}/subsessions/{edge}/subsession.json")
        };
        let names: Vec<String> = part.iter().map(name).collect();
        let stats = self.view.stats(&layout::projects(), &names)?;
        let mut found = Vec::new();
        for (below, stat) in part.iter().zip(stats) {
            let note = self.note(stat.as_ref());
            if !note.is_noted_in(below.before.unwrap_or_default()) {
                found.extend(self.edge(below, note)?);
            }
        }
        Ok(found)
    }

    /// Reads an edge that is not as it was noted.
    fn edge(
        &self,
        Below { home, edge, before }: &Below<'_>,
        note: Note,
    ) -> Result<Option<Found>, FileError> {
        let (Some(at), Ok(id)) = (Home::from_text(home), SubSessionId::parse(edge)) else {
            return Ok(None);
        };
        let was = before.and_then(Linkage::read);
        let bytes = if note == Note::ABSENT {
            None
        } else {
            read_if_readable(self.view, &at.edge_file(&id))?
        };
        let is = bytes.as_deref().and_then(linkage::decode).map(|edge| Linkage::of(&edge, &at));
        // A record that does not read any more says so to the callers that ask for it, who are
        // to be those that it was known to concern.
        let is = is.or_else(|| was.clone());
        let entries = match (&bytes, before) {
            (None, None) => return Ok(None),
            (None, Some(kept)) => linkage::forgotten_edge(edge, home, kept),
            (Some(_), _) => {
                let data = linkage::edge_data(note, is.as_ref());
                if *before == Some(&data) {
                    return Ok(None);
                }
                let found = Entry { data, ..Entry::add(EDGE, edge, home) };
                let relinked = linkage::relinked(edge, home, was.as_ref(), is.as_ref());
                std::iter::once(found).chain(relinked).collect()
            }
        };
        Ok(Some(Found { before: before.map(<[u8]>::to_vec), entries }))
    }
}

/// What a record's file holds: nothing, where it is there and cannot be read. That is told to
/// a caller that asks for the record, and keeps no other from being found.
fn read_if_readable(view: &View<'_>, path: &RelPath) -> Result<Option<Vec<u8>>, FileError> {
    match view.read(path) {
        Err(error) if Damaged::is_told_by(&error.clone().into()) => {
            Ok(view.exists(path)?.then(Vec::new))
        }
        read => read,
    }
}
