//! What the state machine needs of a store, and the values that pass between them.

use std::future::Future;

use crate::{
    error::{Error, Result},
    json::{Fields, Invalid, Json, NON_EMPTY, ObjectWriter, non_empty_string},
};

/// The session that is handed over, as it was before.
#[derive(Debug, Clone)]
pub struct Source {
    /// The project that it is in.
    pub project_id: String,
    /// Who owns it.
    pub tenant_id: String,
    /// What it is doing.
    pub status: String,
    /// How often it was handed over.
    pub owner_version: u64,
}

/// A project's limits, each the text of its JSON.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a chain of delegations may be.
    pub depth: String,
    /// How many children one session may have.
    pub width: String,
}

impl Limits {
    /// Reads a project's configuration.
    ///
    /// # Errors
    /// [`Invalid`] when it is no object.
    pub fn of(config: &str) -> Result<Self, Invalid> {
        let config = Fields::of_payload(config)?;
        let limit = |key| config.get(key).map_or("null", |raw| raw.get()).to_owned();
        Ok(Self { depth: limit("maxDelegationDepth"), width: limit("maxDelegationWidth") })
    }
}

/// A workspace that a driver made.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// Its reference, as the driver answered it.
    pub json: Json,
}

impl Workspace {
    /// Reads a driver's answer.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when it is no reference with an id.
    pub fn parse(text: &str) -> Result<Self> {
        let decode = || {
            let id = Fields::of_payload(text)?.decoded("id", NON_EMPTY, non_empty_string)?;
            let json =
                Json::parse(text).map_err(|error| Invalid::field("", "an object", &error))?;
            Ok(Self { id: id.into(), json })
        };
        decode().map_err(|invalid| Error::argument("workspace", invalid))
    }
}

/// What one assignment led to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The assignment.
    pub assignment_id: String,
    /// The recipient's session.
    pub session_id: String,
    /// The recipient's workspace.
    pub workspace_id: String,
    /// The source's version from now on.
    pub version: u64,
}

impl Outcome {
    /// The API's value.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("assignmentId", &self.assignment_id);
        json.string("newSessionId", &self.session_id);
        json.string("workspaceId", &self.workspace_id);
        json.number("committedOwnerVersion", self.version);
        json.finish()
    }
}

/// What became of a commit that answered an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It did not happen.
    Failed,
    /// It happened all the same.
    Committed,
    /// The store does not tell.
    Unknown,
}

/// How undoing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undone {
    /// Nothing is left to undo.
    pub whole: bool,
    /// The source is there, and this handoff no longer locks it.
    pub unlocked: bool,
}

/// What one handoff does to a store, step by step.
///
/// Every method can also answer whatever error the store has.
pub trait HandoffStore: Send {
    /// The session that is handed over.
    fn source(&mut self) -> impl Step<Option<Source>>;

    /// The limits of its project.
    fn limits(&mut self) -> impl Step<Option<Limits>>;

    /// Locks the source. An error's outcome is the handoff's: what may have been locked
    /// all the same was given back, or it could not be told.
    fn lock(&mut self, source: &Source) -> impl Step<()>;

    /// Whether all workspaces may be made before the first record of a recipient: asked
    /// once the source is locked.
    fn takes_all(&self) -> bool;

    /// Takes note of a workspace that was made.
    fn provisioned(&mut self, workspace: &Workspace) -> impl Step<()>;

    /// Makes the session of a row's recipient; answers its id.
    fn add_session(&mut self, row: usize, workspace: &Workspace) -> impl Step<String>;

    /// Makes the edge from the source to the session that was made last.
    fn add_edge(&mut self, row: usize) -> impl Step<()>;

    /// Hands the source over.
    fn commit(&mut self, source: &Source) -> impl Step<()>;

    /// What became of a commit that answered an error.
    fn fate(&mut self, error: &Error) -> impl Future<Output = Fate> + Send;

    /// The part of undoing that comes before workspaces are disposed of.
    fn undo_first(&mut self, source: &Source) -> impl Future<Output = ()> + Send;

    /// The part of undoing that comes after; returns how both parts ended.
    fn undo_last(&mut self, source: &Source) -> impl Future<Output = Undone> + Send;
}

/// A step's answer.
pub trait Step<T>: Future<Output = Result<T>> + Send {}
impl<T, F: Future<Output = Result<T>> + Send> Step<T> for F {}
