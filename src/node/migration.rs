//! Migration as JavaScript sees it: each call answers a promise, and does its file work
//! on a thread of its own.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Promise, Text, run},
    calls::clock,
};
use crate::{
    error::{Error, Result},
    json::ObjectWriter,
    migration::{self, Marker, Migration, Step},
};

/// One migration of one root, which the facade does step by step.
#[napi]
pub struct NativeMigration {
    migration: Arc<Mutex<Migration>>,
    stop: Arc<AtomicBool>,
}

#[napi]
impl NativeMigration {
    /// A migration of the directory at an absolute path.
    #[napi(constructor, catch_unwind)]
    pub fn new(root_dir: String, now: f64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let migration = Migration::new(Path::new(&root_dir), clock(now), Arc::clone(&stop));
        Self { migration: Arc::new(Mutex::new(migration)), stop }
    }

    /// Does the next step: answers `{ progress }`, `{ answer }`, or `{}` when it was told
    /// to stop.
    #[napi(catch_unwind)]
    pub fn step<'env>(&self, env: &'env Env) -> Promise<'env, Text> {
        let migration = Arc::clone(&self.migration);
        run(env, blocking(move || Ok(Text(described(&lock(&migration).step()?)))))
    }

    /// Tells the step that is under way to stop.
    #[napi(catch_unwind)]
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Gives the root's lock back.
    #[napi(catch_unwind)]
    pub fn release<'env>(&self, env: &'env Env) -> Promise<'env, ()> {
        let migration = Arc::clone(&self.migration);
        run(env, blocking(move || Ok(lock(&migration).release()?)))
    }
}

fn lock(migration: &Mutex<Migration>) -> std::sync::MutexGuard<'_, Migration> {
    migration.lock().unwrap_or_else(PoisonError::into_inner)
}

fn described(step: &Step) -> String {
    let mut json = ObjectWriter::new();
    match step {
        Step::Stopped => {}
        Step::Done(answer) => {
            json.raw("answer", &answer.to_json());
        }
        Step::Working(progress) => {
            let mut counts = ObjectWriter::new();
            counts.number("prepared", progress.prepared as u64);
            counts.number("done", progress.done as u64).number("total", progress.total as u64);
            json.raw("progress", &counts.finish());
        }
    }
    json.finish()
}

/// Reads a marker by the absolute path of its file.
#[napi(catch_unwind)]
pub fn read_migration_marker(env: &Env, path: String) -> Promise<'_, Option<Text>> {
    let read = move |path: &Path| {
        let marker = migration::read_marker(path)?;
        Ok(marker.map(|marker| Text(marker.to_json())))
    };
    run(env, at("open", path, read))
}

/// Writes a marker by the absolute path of its file.
#[napi(catch_unwind)]
pub fn write_migration_marker(env: &Env, path: String, marker: String) -> Promise<'_, ()> {
    run(env, async move {
        let marker =
            Marker::parse(&marker).map_err(|invalid| Error::argument("marker", invalid))?;
        at("write", path, move |path| migration::write_marker(path, &marker)).await
    })
}

/// Takes a migration lock by the absolute path of its file.
#[napi(catch_unwind)]
pub fn acquire_migration_lock(env: &Env, path: String, now: f64) -> Promise<'_, ()> {
    run(env, at("open", path, move |path| migration::acquire_lock(path, clock(now))))
}

/// Removes a migration lock by the absolute path of its file.
#[napi(catch_unwind)]
pub fn release_migration_lock(env: &Env, path: String) -> Promise<'_, ()> {
    run(env, at("unlink", path, migration::release_lock))
}

/// Whether a root, by its absolute path, has an earlier layout and is not migrated.
#[napi(catch_unwind)]
pub fn is_migration_due(env: &Env, root_dir: String) -> Promise<'_, bool> {
    run(env, blocking(move || Ok(migration::is_due(Path::new(&root_dir)))))
}

/// Whether an id with a former prefix is seen for the first time in this process.
#[napi(catch_unwind)]
pub fn first_sight_of_legacy_id(id: String) -> bool {
    migration::first_sight_of(&id)
}

/// Forgets which ids with a former prefix were seen.
#[napi(catch_unwind)]
pub fn forget_legacy_ids() {
    migration::forget_seen();
}

async fn at<T: Send + 'static>(
    op: &'static str,
    path: String,
    work: impl FnOnce(&Path) -> std::io::Result<T> + Send + 'static,
) -> Result<T> {
    blocking(move || work(&PathBuf::from(&path)).map_err(|error| Error::io(op, &path, &error)))
        .await
}

/// Does file work on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(stopped) => match stopped.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => std::future::pending().await, // the runtime has ended
        },
    }
}
