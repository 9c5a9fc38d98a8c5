//! Walks a root once, to learn what its locator must know.

use super::{
    layout::{self, CHILD, EDGE, Home, MOVED, SESSION},
    records::ids,
};
use crate::{
    engine::{Entry, FileError, View},
    id::{ProjectId, SessionId, SubSessionId},
    model::{Record as _, SubSession},
};

/// Finds every session and every edge of a root.
pub(super) fn survey(view: &View<'_>) -> Result<Vec<Entry>, FileError> {
    let mut entries = Vec::new();
    for project in ids(view, &layout::projects(), ProjectId::parse)? {
        for session in ids(view, &layout::sessions(&project), SessionId::parse)? {
            let home = Home { project: project.clone(), session };
            if view.exists(&home.session_file())? {
                entries.push(located_session(&home));
            }
            for id in ids(view, &home.edges(), SubSessionId::parse)? {
                if let Some(bytes) = view.read(&home.edge_file(&id))? {
                    entries.push(Entry::add(EDGE, id.as_str(), &home.text()));
                    // A record that does not read says so to whoever asks for it.
                    if let Some(edge) = decode(&bytes) {
                        entries.extend(linkage(&edge, &home));
                    }
                }
            }
        }
    }
    Ok(entries)
}

fn decode(bytes: &[u8]) -> Option<SubSession> {
    SubSession::from_record(std::str::from_utf8(bytes).ok()?).ok()
}

/// Says which project a session is in.
pub(super) fn located_session(home: &Home) -> Entry {
    Entry::add(SESSION, home.session.as_str(), home.project.as_str())
}

/// Says which sessions an edge connects, apart from the one it hangs under.
pub(super) fn linkage(edge: &SubSession, home: &Home) -> Vec<Entry> {
    let mut entries = vec![Entry::add(CHILD, edge.child_session_id.as_str(), edge.id.as_str())];
    if edge.parent_session_id != home.session {
        entries.push(Entry::add(MOVED, edge.parent_session_id.as_str(), edge.id.as_str()));
    }
    entries
}
