//! Every name of the record tree and of what the store keeps beside it, in one place.
//!
//! ```text
//! projects/<projectId>/
//!   project.json
//!   sessions/<sessionId>/
//!     session.json  messages.jsonl  summary.json
//!     evicted.json                                   ours, instead of the two before it
//!     subsessions/<subSessionId>/subsession.json     under the PARENT session
//!     runs/                                          the application's
//! ```

use crate::{
    engine::{Kind, RelPath},
    id::{ArchiveRef, ProjectId, SessionId, SubSessionId},
};

/// Locates the projects that a session is in.
pub(crate) const SESSION: Kind = b's';
/// Locates the session folder that an edge hangs under, as [`Home::text`].
pub(crate) const EDGE: Kind = b'e';
/// Locates the edges that name a session as their child, each with the folder it hangs under.
pub(crate) const CHILD: Kind = b'c';
/// Locates the edges that name a session as their parent and hang under another, likewise.
pub(crate) const MOVED: Kind = b'm';
/// Notes how a project's folder of sessions was when it was listed last, and without a key the
/// folder of the projects.
pub(crate) const FOLDER: Kind = b'f';

/// Locates the sessions, each as its [`Home::text`], that are in a project by their records
/// and whose folders are in another.
pub(crate) const MEMBER: Kind = b'p';
/// Says where a record comes among those of its millisecond, and who owns it.
pub(crate) const CREATED: Kind = b'o';

pub(crate) fn projects() -> RelPath {
    RelPath::of("projects")
}

pub(crate) fn project_file(id: &ProjectId) -> RelPath {
    projects().id(id).at("project.json")
}

pub(crate) fn sessions(project: &ProjectId) -> RelPath {
    projects().id(project).at("sessions")
}

/// The bundles of a disk archive that shares the root.
pub(crate) fn archive() -> RelPath {
    RelPath::of("archive")
}

pub(crate) fn bundle_marker(archive_ref: &ArchiveRef) -> RelPath {
    archive().id(archive_ref).at("archive.json")
}

/// What the writer of a bundle holds locked until it is sealed.
pub(crate) fn bundle_lock(archive_ref: &ArchiveRef) -> RelPath {
    archive().id(archive_ref).at("writing")
}

pub(crate) fn bundle_identity(archive_ref: &ArchiveRef) -> RelPath {
    archive().id(archive_ref).at("subsession.json")
}

pub(crate) fn salvage() -> RelPath {
    RelPath::of(".store").at("salvage")
}

pub(crate) fn salvaged(session: &SessionId, offset: u64) -> RelPath {
    salvage().unique(session, offset, "jsonl")
}

/// Whether a file of this name was salvaged of a record with this id, of its log, or of the intent
/// of its handoff: `<id>.<...>`, or `intents.<id>.json.<...>`.
pub(crate) fn is_salvaged_of(id: &str, name: &str) -> bool {
    let name = name.strip_prefix("intents.").unwrap_or(name);
    name.strip_prefix(id).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether what was salvaged under this name is of a message log; else it is a version of a record.
pub(crate) fn is_salvaged_log(name: &str) -> bool {
    name.ends_with(".jsonl") || name.contains(".messages.jsonl.")
}

/// Whether what was salvaged under this name stood in the engine's own folder.
pub(crate) fn is_salvaged_stray(name: &str) -> bool {
    name.starts_with(".store.")
}

/// Says that a root was migrated.
pub(crate) fn migration_marker() -> RelPath {
    RelPath::of(".migration").at("v0.2.0")
}

/// The folder of the unfinished handoffs.
pub(crate) fn intents() -> RelPath {
    RelPath::of(".store").at("intents")
}

pub(crate) fn intent_file(source: &SessionId) -> RelPath {
    intents().named(source, INTENT_ENDING)
}

/// The sessions that files of these names are the intents of, in order.
pub(crate) fn intended(names: &[String]) -> Vec<SessionId> {
    let session =
        |name: &String| SessionId::parse(name.strip_suffix(INTENT_ENDING)?.strip_suffix('.')?).ok();
    let mut sessions: Vec<_> = names.iter().filter_map(session).collect();
    sessions.sort_unstable();
    sessions
}

const INTENT_ENDING: &str = "json";

/// A session's folder: where its files are, whatever its record says meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) project: ProjectId,
    pub(crate) session: SessionId,
}

impl Home {
    pub(crate) fn folder(&self) -> RelPath {
        sessions(&self.project).id(&self.session)
    }

    pub(crate) fn session_file(&self) -> RelPath {
        self.folder().at("session.json")
    }

    pub(crate) fn messages_file(&self) -> RelPath {
        self.folder().at("messages.jsonl")
    }

    pub(crate) fn summary_file(&self) -> RelPath {
        self.folder().at("summary.json")
    }

    /// Ours; says that the messages and the summary are in an archive only.
    pub(crate) fn eviction_file(&self) -> RelPath {
        self.folder().at("evicted.json")
    }

    pub(crate) fn runs(&self) -> RelPath {
        self.folder().at("runs")
    }

    pub(crate) fn edges(&self) -> RelPath {
        self.folder().at("subsessions")
    }

    pub(crate) fn edge(&self, id: &SubSessionId) -> RelPath {
        self.edges().id(id)
    }

    pub(crate) fn edge_file(&self, id: &SubSessionId) -> RelPath {
        self.edge(id).at("subsession.json")
    }

    /// The home as a locator's value.
    pub(crate) fn text(&self) -> String {
        format!("{}/{}", self.project, self.session)
    }

    /// Reads [`Home::text`].
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let (project, session) = text.split_once('/')?;
        Some(Self {
            project: ProjectId::parse(project).ok()?,
            session: SessionId::parse(session).ok()?,
        })
    }
}
