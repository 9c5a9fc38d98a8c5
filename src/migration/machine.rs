//! The steps of a migration, in their order.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    during::During as _,
    layout::{self, FOLDER, LOCK, MARKER, PART, THREADS, project_file, session_file, thread_runs},
    legacy_thread::LegacyThread,
    lock::Lock,
    marker::{Marker, MigratedThread, Prepared, VERSION},
    real_tree::RealTree,
    records::{self, Records, Taken},
    runs::Mover,
    threads,
    tree::{self, Tree},
};
use crate::{
    error::{Error, MigrationFailure, MigrationOp},
    json::{Json, ObjectWriter},
    process::Process,
    store::DiskStore,
    timestamp::Timestamp,
};

type Result<T> = std::result::Result<T, Box<MigrationFailure>>;

/// How long a migration waits for one that is under way to end.
const WAIT: Duration = Duration::from_millis(100);
/// So many threads' records share a step, and a commit.
const RECORDS: usize = 128;
/// A step that moves runs ends after this time, so that it can be reported.
const RUNS_TIME: Duration = Duration::from_millis(50);
/// A step that moves runs moves those of no more threads, as they share a sync.
const RUNS: usize = 512;

/// How a migration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The root is migrated.
    Migrated,
    /// It was before.
    AlreadyMigrated,
    /// It has nothing of an earlier layout.
    NoopNoLegacy,
}

/// What a migration answers.
#[derive(Debug, Clone)]
pub struct Answer {
    /// How it ended.
    pub kind: Kind,
    /// When, and what was migrated.
    pub marker: Marker,
}

impl Answer {
    /// `{ kind, marker }`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let kind = match self.kind {
            Kind::Migrated => "migrated",
            Kind::AlreadyMigrated => "already_migrated",
            Kind::NoopNoLegacy => "noop_no_legacy",
        };
        let mut json = ObjectWriter::new();
        json.string("kind", kind).raw("marker", &self.marker.to_json());
        json.finish()
    }
}

/// How far a migration has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Threads whose records are written.
    pub prepared: usize,
    /// Threads that are migrated.
    pub done: usize,
    /// Threads in all.
    pub total: usize,
}

/// What a step led to.
#[derive(Debug)]
pub enum Step {
    /// There is more to do.
    Working(Progress),
    /// The migration was told to stop, and did.
    Stopped,
    /// The end.
    Done(Answer),
}

#[derive(Debug)]
enum Stage {
    Start,
    Records,
    Runs(Prepared),
    Over,
}

/// One migration of one root, done step by step. It has the root's lock from its first
/// step on, until it is [released](Migration::release) or dropped.
#[derive(Debug)]
pub struct Migration {
    root: PathBuf,
    tree: Box<dyn Tree>,
    records: Box<dyn Records>,
    now: Timestamp,
    owner: Process,
    lock: Option<Lock>,
    stage: Stage,
    threads: Vec<LegacyThread>,
    progress: Progress,
    stop: Arc<AtomicBool>,
}

impl Migration {
    /// A migration of the directory `root`, by its absolute path; nothing is done before
    /// the first step. It stops, at the end of a step or sooner, once `stop` is set.
    #[must_use]
    pub fn new(root: &Path, now: Timestamp, stop: Arc<AtomicBool>) -> Self {
        let tree = Box::new(RealTree::new(root));
        let records = Box::new(DiskStore::new(root));
        Self::over(root, tree, records, Process::this().clone(), now, stop)
    }

    pub(super) fn over(
        root: &Path,
        tree: Box<dyn Tree>,
        records: Box<dyn Records>,
        owner: Process,
        now: Timestamp,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Self {
            root: root.to_owned(),
            tree,
            records,
            now,
            owner,
            lock: None,
            stage: Stage::Start,
            threads: Vec::new(),
            progress: Progress { prepared: 0, done: 0, total: 0 },
            stop,
        }
    }

    /// Does the next step.
    ///
    /// # Errors
    /// [`MigrationFailure`]: there is no further step.
    pub fn step(&mut self) -> Result<Step> {
        if self.stop.load(Ordering::Relaxed) {
            self.end();
            return Ok(Step::Stopped);
        }
        let stepped = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Start => self.start(),
            Stage::Records => self.write_records(),
            Stage::Runs(marker) => self.move_runs(marker),
            Stage::Over => Ok(Step::Stopped),
        };
        match stepped {
            Err(_) if self.stop.load(Ordering::Relaxed) => Ok(Step::Stopped),
            stepped => stepped,
        }
    }

    /// Gives the root's lock back, if this migration has it.
    ///
    /// # Errors
    /// [`MigrationFailure`] when the lock's file cannot be removed.
    pub fn release(&mut self) -> Result<()> {
        self.end();
        let released = self.lock.take().map_or(Ok(()), Lock::release);
        released.during(MigrationOp::AcquireLock, Path::new(LOCK))
    }

    /// Leaves the lock as a process does that dies.
    #[cfg(test)]
    pub(super) fn die(mut self) {
        if let Stage::Runs(_) = std::mem::replace(&mut self.stage, Stage::Over) {}
        if let Some(lock) = self.lock.take() {
            lock.abandon();
        }
    }

    /// There is no further step.
    fn end(&mut self) {
        if let Stage::Runs(marker) = std::mem::replace(&mut self.stage, Stage::Over) {
            marker.discard(&*self.tree);
        }
    }

    fn start(&mut self) -> Result<Step> {
        if let Some(marker) = self.marker()? {
            self.tidy();
            return Ok(already(marker));
        }
        let threads = Path::new(THREADS);
        match self.tree.kind(threads).during(MigrationOp::EnumerateThreads, threads)? {
            Some(tree::Kind::Folder) => {}
            Some(tree::Kind::Link) => {
                let reason = "it is a link, which is not followed";
                return Err(MigrationFailure::refused(
                    MigrationOp::EnumerateThreads,
                    threads,
                    reason,
                ));
            }
            _ => return self.nothing_to_do(),
        }
        self.refuse_linked_folder(MigrationOp::AcquireLock, Path::new(LOCK))?;
        self.tree
            .create_dirs(Path::new(FOLDER))
            .during(MigrationOp::AcquireLock, Path::new(LOCK))?;
        match Lock::acquire(&self.root.join(LOCK), &self.owner, self.now) {
            Ok(lock) => self.lock = Some(lock),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                sleep(WAIT);
                return match self.marker()? {
                    Some(marker) => Ok(already(marker)),
                    None => {
                        Err(MigrationFailure::io(MigrationOp::AcquireLock, Path::new(LOCK), &error))
                    }
                };
            }
            Err(error) => {
                return Err(MigrationFailure::io(
                    MigrationOp::AcquireLock,
                    Path::new(LOCK),
                    &error,
                ));
            }
        }
        // It may have been migrated between the first look and the lock.
        if let Some(marker) = self.marker()? {
            return Ok(already(marker));
        }
        self.remove_parts();
        self.threads = threads::find(&*self.tree)?;
        self.refuse_taken_projects()?;
        self.progress.total = self.threads.len();
        self.stage = Stage::Records;
        Ok(Step::Working(self.progress))
    }

    /// Refuses threads whose project another tenant has, before anything of any thread moves.
    fn refuse_taken_projects(&self) -> Result<()> {
        for LegacyThread { id, project, .. } in &self.threads {
            let file = project_file(project);
            let taken = self.records.taken(project);
            let (op, file) = match taken
                .map_err(|e| MigrationFailure::store(MigrationOp::WriteProjectJson, &file, &e))?
            {
                None => continue,
                Some(Taken::Project) => (MigrationOp::WriteProjectJson, file),
                Some(Taken::Session) => (MigrationOp::WriteSessionJson, session_file(project)),
            };
            let reason = format!(
                "it belongs to another tenant; rename the folder of {id} to another `thd_` name, \
                 or move that project away, and migrate again"
            );
            return Err(MigrationFailure::refused(op, &file, &reason));
        }
        Ok(())
    }

    /// Writes the records of the next threads. All records come before all runs: where a
    /// disk is full, the earlier layout is still whole.
    fn write_records(&mut self) -> Result<Step> {
        let from = self.progress.prepared;
        let next: Vec<_> = self.threads.iter().skip(from).take(RECORDS).cloned().collect();
        let mut pairs = Vec::with_capacity(next.len());
        for thread in &next {
            let session = layout::session(&thread.project);
            self.tree.create_dirs(&session).during(MigrationOp::MkdirSession, &session)?;
            pairs.extend(records::pair(&thread.id, &thread.project, self.now));
        }
        for (thread, adopted) in next.iter().zip(self.records.adopt(pairs)) {
            adopted.map_err(|error| not_adopted(thread, &error))?;
        }
        self.progress.prepared += next.len();
        self.stage = Stage::Records;
        if self.progress.prepared == self.threads.len() {
            let marker = Path::new(MARKER);
            // What the marker says must last before it is there: the records in the tree
            // itself, where others look, not in the journal alone.
            self.records.sync().map_err(|error| {
                MigrationFailure::store(MigrationOp::WriteMarker, marker, &error)
            })?;
            let prepared = self.marker_to_be().prepare(&*self.tree, marker);
            self.stage = Stage::Runs(prepared.during(MigrationOp::WriteMarker, marker)?);
        }
        Ok(Step::Working(self.progress))
    }

    fn move_runs(&mut self, marker: Prepared) -> Result<Step> {
        match self.move_next_runs() {
            Ok(()) => {}
            Err(failure) => {
                marker.discard(&*self.tree);
                return Err(failure);
            }
        }
        if self.progress.done < self.threads.len() {
            self.stage = Stage::Runs(marker);
            return Ok(Step::Working(self.progress));
        }
        // Records that were there before, of the original as well, must last too.
        if let Err(error) = self.tree.sync_all() {
            marker.discard(&*self.tree);
            return Err(MigrationFailure::io(MigrationOp::WriteMarker, Path::new(MARKER), &error));
        }
        marker.publish(&*self.tree).during(MigrationOp::WriteMarker, Path::new(MARKER))?;
        Ok(Step::Done(Answer { kind: Kind::Migrated, marker: self.marker_to_be() }))
    }

    fn move_next_runs(&mut self) -> Result<()> {
        let mut mover = Mover {
            tree: &*self.tree,
            stop: &self.stop,
            unsynced: std::collections::BTreeSet::new(),
        };
        let started = Instant::now();
        let mut moved = 0;
        for thread in self.threads.iter().skip(self.progress.done).take(RUNS) {
            let from = thread_runs(&thread.id);
            mover.move_runs(thread).during(MigrationOp::RenameRuns, &from)?;
            moved += 1;
            if started.elapsed() > RUNS_TIME {
                break;
            }
        }
        let threads = Path::new(THREADS);
        self.tree.sync(&mover.unsynced).during(MigrationOp::RenameRuns, threads)?;
        self.progress.done += moved;
        Ok(())
    }

    /// The marker, where there is one that says what it should.
    fn marker(&self) -> Result<Option<Marker>> {
        let marker = Path::new(MARKER);
        self.refuse_linked_folder(MigrationOp::WriteMarker, marker)?;
        Marker::read(&*self.tree, marker).during(MigrationOp::WriteMarker, marker)
    }

    fn refuse_linked_folder(&self, op: MigrationOp, told: &Path) -> Result<()> {
        match self.tree.kind(Path::new(FOLDER)).during(op, told)? {
            Some(tree::Kind::Link) => Err(MigrationFailure::refused(
                op,
                told,
                "its folder is a link, which is not followed",
            )),
            _ => Ok(()),
        }
    }

    fn nothing_to_do(&self) -> Result<Step> {
        let marker = self.marker_to_be();
        let file = Path::new(MARKER);
        let written = marker.prepare(&*self.tree, file).and_then(|m| m.publish(&*self.tree));
        written.during(MigrationOp::WriteMarker, file)?;
        Ok(Step::Done(Answer { kind: Kind::NoopNoLegacy, marker }))
    }

    fn marker_to_be(&self) -> Marker {
        let literal = |text: &str| {
            let text = serde_json::Value::from(text).to_string();
            Json::parse(&text).unwrap_or_else(|_| unreachable!("a string's literal is JSON"))
        };
        let migrated = |thread: &LegacyThread| MigratedThread {
            thread: literal(&thread.id),
            project: literal(thread.project.as_str()),
        };
        let threads = self.threads.iter().map(migrated).collect();
        Marker { version: literal(VERSION), at: self.now, threads }
    }

    /// Removes what a migration left that died after it had written the marker.
    fn tidy(&self) {
        let lock = Path::new(LOCK);
        let has_parts = || self.parts().next().is_some();
        if !matches!(self.tree.kind(lock), Ok(None)) || has_parts() {
            // A lock that is held, or that cannot be removed, does no harm here.
            if let Ok(lock) = Lock::acquire(&self.root.join(LOCK), &self.owner, self.now) {
                self.remove_parts();
                drop(lock);
            }
        }
    }

    /// What was being written when a migration died.
    fn parts(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.tree.list(Path::new(FOLDER)).unwrap_or_default().into_iter();
        names.map(|name| Path::new(FOLDER).join(name)).filter(|path| {
            path.extension() == Some(OsStr::new(PART)) && path.to_string_lossy().starts_with(MARKER)
        })
    }

    fn remove_parts(&self) {
        for part in self.parts() {
            let _ = self.tree.remove_file(&part); // the next one tries again
        }
    }
}

impl Drop for Migration {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether a root has an earlier layout, and is not migrated.
pub(crate) fn is_due(root: &Path) -> bool {
    let is_legacy = root.join(THREADS).symlink_metadata().is_ok_and(|found| found.is_dir());
    is_legacy && matches!(Marker::read(&RealTree::new(root), Path::new(MARKER)), Ok(None))
}

fn already(marker: Marker) -> Step {
    let marker = Marker { threads: Vec::new(), ..marker };
    Step::Done(Answer { kind: Kind::AlreadyMigrated, marker })
}

/// Which of a thread's records could not be written.
fn not_adopted(thread: &LegacyThread, error: &Error) -> Box<MigrationFailure> {
    let at = match error {
        Error::StoreIo { path, .. } | Error::CorruptRecord { path, .. } => path.as_str(),
        _ => "",
    };
    let session = session_file(&thread.project);
    if Path::new(at) == session {
        return MigrationFailure::store(MigrationOp::WriteSessionJson, &session, error);
    }
    MigrationFailure::store(MigrationOp::WriteProjectJson, &project_file(&thread.project), error)
}
