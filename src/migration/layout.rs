//! The names that a migration knows, relative to the root.
//!
//! ```text
//! .migration/v0.2.0                  the marker: this root is migrated
//! .migration/v0.2.0.tmp              the lock, while a migration runs
//! .migration/….part                  a marker or lock that is being written
//! threads/thd_X/runs/                where a thread's runs are before
//! projects/prj_legacy_X/
//!   project.json
//!   sessions/ses_legacy_default/
//!     session.json
//!     runs/                          where they are after
//!     runs.incomplete                a copy of them that is being made
//! ```

use std::path::{Path, PathBuf};

use crate::id::ProjectId;

/// What is kept of migrations.
pub(super) const FOLDER: &str = ".migration";
/// Says that a root is migrated.
pub(super) const MARKER: &str = ".migration/v0.2.0";
/// Is there while a migration runs.
pub(super) const LOCK: &str = ".migration/v0.2.0.tmp";
/// What a file's name ends in while it is written; neither a marker nor a lock is ever
/// called so.
pub(super) const PART: &str = "part";
/// The earlier layout.
pub(super) const THREADS: &str = "threads";
/// What a thread's folder starts with.
pub(super) const THREAD_PREFIX: &str = "thd_";
/// What a thread's project starts with.
pub(super) const PROJECT_PREFIX: &str = "prj_legacy_";
/// A thread's only session.
pub(super) const SESSION: &str = "ses_legacy_default";
/// The projects of the present layout.
pub(super) const PROJECTS: &str = "projects";

const RUNS: &str = "runs";
const INCOMPLETE: &str = "runs.incomplete";

/// The folder of a thread.
pub(super) fn thread(name: impl AsRef<Path>) -> PathBuf {
    Path::new(THREADS).join(name)
}

/// The runs of a thread.
pub(super) fn thread_runs(name: &str) -> PathBuf {
    thread(name).join(RUNS)
}

/// The folders from the projects down to the session that a thread becomes.
pub(super) fn target_folders(project: &ProjectId) -> [PathBuf; 4] {
    let folder = Path::new(PROJECTS).join(project.as_str());
    let sessions = folder.join("sessions");
    let session = sessions.join(SESSION);
    [PROJECTS.into(), folder, sessions, session]
}

/// The folder of the session that a thread becomes.
pub(super) fn session(project: &ProjectId) -> PathBuf {
    let [_, _, _, session] = target_folders(project);
    session
}

/// The record of the project that a thread becomes.
pub(super) fn project_file(project: &ProjectId) -> PathBuf {
    Path::new(PROJECTS).join(project.as_str()).join("project.json")
}

/// The record of the session that a thread becomes.
pub(super) fn session_file(project: &ProjectId) -> PathBuf {
    session(project).join("session.json")
}

/// The runs of the session that a thread becomes.
pub(super) fn session_runs(project: &ProjectId) -> PathBuf {
    session(project).join(RUNS)
}

/// Where a copy of a thread's runs is made, before it gets its name in one step.
pub(super) fn incomplete_runs(project: &ProjectId) -> PathBuf {
    session(project).join(INCOMPLETE)
}
