//! Walks a root once, to learn what its locator must know.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread::{available_parallelism, scope},
};

use super::{
    layout::{self, CHILD, EDGE, Home, MEMBER, MOVED, SESSION},
    records::ids,
};
use crate::{
    engine::{Entry, FileError, Progress, RelPath, View},
    id::{ProjectId, SessionId, SubSessionId},
    model::{Record as _, Session, SubSession},
    store::Damaged,
};

/// A root with fewer session folders is walked by one thread.
const WORTH_THREADS: usize = 256;
/// How many session folders lie between two reports of progress.
const REPORT_EVERY: usize = 256;
/// More threads than this only wait for each other's disk.
const MOST_THREADS: usize = 8;

/// Finds every session and every edge of a root.
pub(super) fn survey(view: &View<'_>, progress: Progress<'_>) -> Result<Vec<Entry>, FileError> {
    let mut homes = Vec::new();
    for project in ids(view, &layout::projects(), ProjectId::parse)? {
        for session in ids(view, &layout::sessions(&project), SessionId::parse)? {
            homes.push(Home { project: project.clone(), session });
        }
    }
    let total = homes.len();
    let threads = match total {
        ..WORTH_THREADS => 1,
        _ => available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS)),
    };
    progress(0, total);
    let done = AtomicUsize::new(0);
    let walk = |homes: &[Home]| {
        let mut entries = Vec::new();
        for home in homes {
            entries.extend(of_session(view, home)?);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(REPORT_EVERY) && done < total {
                progress(done, total);
            }
        }
        Ok(entries)
    };
    let parts: Vec<Result<Vec<Entry>, FileError>> = if threads == 1 {
        vec![walk(&homes)]
    } else {
        scope(|scope| {
            let parts = homes.chunks(total.div_ceil(threads));
            let walking: Vec<_> = parts.map(|part| scope.spawn(|| walk(part))).collect();
            let joined = |part: std::thread::ScopedJoinHandle<'_, _>| part.join();
            walking
                .into_iter()
                .map(|part| joined(part).unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    let mut entries = Vec::new();
    for part in parts {
        entries.extend(part?);
    }
    progress(total, total);
    Ok(entries)
}

/// Finds one session, and the edges that hang under its folder.
fn of_session(view: &View<'_>, home: &Home) -> Result<Vec<Entry>, FileError> {
    let mut entries = Vec::new();
    if let Some(bytes) = read_if_readable(view, &home.session_file())? {
        entries.push(located_session(home));
        let record = std::str::from_utf8(&bytes).ok();
        if let Some(session) = record.and_then(|text| Session::from_record(text).ok()) {
            entries.extend(membership(&session.project_id, home));
        }
    }
    for id in ids(view, &home.edges(), SubSessionId::parse)? {
        if let Some(bytes) = read_if_readable(view, &home.edge_file(&id))? {
            entries.push(Entry::add(EDGE, id.as_str(), &home.text()));
            // A record that does not read says so to whoever asks for it.
            if let Some(edge) = decode(&bytes) {
                entries.extend(linkage(&edge, home));
            }
        }
    }
    Ok(entries)
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

fn decode(bytes: &[u8]) -> Option<SubSession> {
    SubSession::from_record(std::str::from_utf8(bytes).ok()?).ok()
}

/// Says which project a session is in.
pub(super) fn located_session(home: &Home) -> Entry {
    Entry::add(SESSION, home.session.as_str(), home.project.as_str())
}

/// Says which project a session is in by its record, where that is not the one of its folder.
pub(super) fn membership(said: &ProjectId, home: &Home) -> Option<Entry> {
    (*said != home.project).then(|| Entry::add(MEMBER, said.as_str(), &home.text()))
}

/// Says which sessions an edge connects, apart from the one it hangs under.
pub(super) fn linkage(edge: &SubSession, home: &Home) -> Vec<Entry> {
    let mut entries = vec![Entry::add(CHILD, edge.child_session_id.as_str(), edge.id.as_str())];
    if edge.parent_session_id != home.session {
        entries.push(Entry::add(MOVED, edge.parent_session_id.as_str(), edge.id.as_str()));
    }
    entries
}
