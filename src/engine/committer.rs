//! Batches whatever transactions are waiting, so that they share one commit.
//!
//! There is no thread for it: a caller that finds no leader carries out the batch that
//! waits, its own transaction in it; what came meanwhile goes on in a task of the
//! runtime, or right away where there is none. Relaxed transactions are answered before
//! they are synced, which goes on elsewhere (`pipeline`).

use std::{
    future::Future,
    mem::{replace, take},
    sync::{Arc, PoisonError},
};

use tokio::{runtime::Handle, sync::oneshot};

use super::{Engine, FileError, Op, Plan, View, disk::During as _};
use crate::{
    error::Outcome,
    sync::{Mutex, MutexGuard},
};

/// A batch is no larger than this, so that other processes get their turn.
const BATCH: usize = 512;

/// A transaction that waits for its turn.
pub(super) trait Job: Send {
    /// Runs the closure; answers operations, none where there is nothing to write.
    fn plan(&mut self, view: &View<'_>) -> Vec<Op>;

    /// Whether its commit must survive a power cut before it is answered.
    fn must_last(&self) -> bool;

    /// Whether it may have something to write, so that the root's files are made for it.
    fn may_write(&self) -> bool;

    /// Tells the caller: the closure's own answer when its operations, if any, were
    /// carried out.
    fn answer(self: Box<Self>, carried_out: Result<(), FileError>);
}

/// The transactions that wait, and whether a leader is at work.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Box<dyn Job>>,
    attended: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("waiting", &self.lock().jobs.len()).finish()
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes the leader, if something waits and there is none.
    fn claim(&self) -> bool {
        let mut waiting = self.lock();
        !waiting.jobs.is_empty() && !replace(&mut waiting.attended, true)
    }

    /// The next batch for the leader; without one, the leader steps down.
    fn next(&self) -> Option<Vec<Box<dyn Job>>> {
        let mut waiting = self.lock();
        if waiting.jobs.is_empty() {
            waiting.attended = false;
            return None;
        }
        if waiting.jobs.len() <= BATCH {
            return Some(take(&mut waiting.jobs));
        }
        let later = waiting.jobs.split_off(BATCH);
        Some(replace(&mut waiting.jobs, later))
    }

    /// Gives up the charge, unless something waits.
    fn leave(&self) -> bool {
        let mut waiting = self.lock();
        waiting.attended = !waiting.jobs.is_empty();
        !waiting.attended
    }
}

/// A transaction that is ready to be handed to an engine.
pub struct Submission(Box<dyn Job>);

impl Submission {
    /// Answers the caller that there is no engine.
    pub fn refuse(self, error: FileError) {
        self.0.answer(Err(error));
    }
}

impl std::fmt::Debug for Submission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Submission").finish_non_exhaustive()
    }
}

/// Makes a transaction: all operations that `plan` answers, or none. With `must_last`,
/// what was answered survives a power cut.
///
/// The future answers once [`Engine::submit`] and [`Engine::attend`] were called: what
/// `plan` answers, or [`FileError`] with the outcome when an operation failed. It
/// panics when `plan` does.
pub fn submission<T, E>(
    must_last: bool,
    plan: impl FnOnce(&View<'_>) -> Result<Plan<T>, E> + Send + 'static,
) -> (Submission, impl Future<Output = Result<T, E>> + Send + 'static)
where
    T: Send + 'static,
    E: From<FileError> + Send + 'static,
{
    submitted(must_last, true, plan)
}

/// Waits until every transaction that was submitted before is answered; makes nothing.
pub fn barrier<E: From<FileError> + Send + 'static>()
-> (Submission, impl Future<Output = Result<(), E>> + Send + 'static) {
    submitted(false, false, |_| Ok(Plan { ops: Vec::new(), answer: () }))
}

fn submitted<T, E, P>(
    must_last: bool,
    may_write: bool,
    plan: P,
) -> (Submission, impl Future<Output = Result<T, E>> + Send + 'static + use<T, E, P>)
where
    T: Send + 'static,
    E: From<FileError> + Send + 'static,
    P: FnOnce(&View<'_>) -> Result<Plan<T>, E> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let job = Transaction { plan: Some(plan), must_last, may_write, planned: None, caller };
    let answer = async move {
        match answer.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Err(interrupted().into()),
        }
    };
    (Submission(Box::new(job)), answer)
}

impl Engine {
    /// Adds transactions to those that wait, in their order; the caller then calls
    /// [`Engine::attend`] next.
    pub fn submit(&self, transactions: impl Iterator<Item = Submission>) {
        self.queue.lock().jobs.extend(transactions.map(|transaction| transaction.0));
    }

    /// Carries out what waits, unless a leader is at work already: one batch here, and
    /// the rest elsewhere, so that the caller gets its answer.
    pub fn attend(self: &Arc<Self>) {
        if !self.queue.claim() {
            return;
        }
        self.next_batch();
        if !self.queue.leave() {
            let engine = Arc::clone(self);
            let rest = move || while engine.next_batch() {};
            match Handle::try_current() {
                Ok(runtime) => drop(runtime.spawn(async move { rest() })),
                Err(_) => rest(),
            }
        }
        self.checkpoint_when_idle();
    }

    /// A batch that panics, by a fault of ours, answers its callers by being dropped.
    fn next_batch(self: &Arc<Self>) -> bool {
        let Some(jobs) = self.queue.next() else { return false };
        let batch = std::panic::AssertUnwindSafe(|| self.batch(jobs));
        let _ = std::panic::catch_unwind(batch);
        true
    }
}

/// A caller whose transaction was dropped half-way, which only a fault of ours does.
fn interrupted() -> FileError {
    let error = Err::<(), _>(std::io::Error::other("the transaction was interrupted"));
    match error.during("commit", "") {
        Err(error) => error.with_outcome(Outcome::Unknown),
        Ok(()) => unreachable!("an error is an error"),
    }
}

type Panic = Box<dyn std::any::Any + Send>;

struct Transaction<T, E, F> {
    plan: Option<F>,
    must_last: bool,
    may_write: bool,
    planned: Option<Result<Result<T, E>, Panic>>,
    caller: oneshot::Sender<Result<Result<T, E>, Panic>>,
}

impl<T, E, F> Job for Transaction<T, E, F>
where
    T: Send,
    E: From<FileError> + Send,
    F: FnOnce(&View<'_>) -> Result<Plan<T>, E> + Send,
{
    fn plan(&mut self, view: &View<'_>) -> Vec<Op> {
        let Some(plan) = self.plan.take() else { return Vec::new() };
        let plan = std::panic::AssertUnwindSafe(|| plan(view));
        let (planned, ops) = match std::panic::catch_unwind(plan) {
            Ok(Ok(Plan { ops, answer })) => (Ok(Ok(answer)), ops),
            Ok(Err(error)) => (Ok(Err(error)), Vec::new()),
            Err(panic) => (Err(panic), Vec::new()),
        };
        self.planned = Some(planned);
        ops
    }

    fn must_last(&self) -> bool {
        self.must_last
    }

    fn may_write(&self) -> bool {
        self.may_write
    }

    fn answer(self: Box<Self>, carried_out: Result<(), FileError>) {
        let answer = match (carried_out, self.planned) {
            (Ok(()), Some(planned)) => planned,
            (Ok(()), None) => return, // dropping the sender tells the caller
            (Err(error), _) => Ok(Err(error.into())),
        };
        let _ = self.caller.send(answer); // a caller that went away needs no answer
    }
}
