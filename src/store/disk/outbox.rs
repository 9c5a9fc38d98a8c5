//! Changes that were asked for and have not reached the engine.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    engine::{Engine, FileError, Plan, Submission, View, barrier, submission},
    error::Result,
};

/// Keeps changes in the order in which they were asked for.
///
/// Whoever awaits one first sends all that are there: tasks of a runtime start in any
/// order, and changes that were asked for together share a commit.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<Vec<Submission>>);

impl Outbox {
    /// Adds a change; its answer comes after [`Outbox::send`].
    pub(super) fn put<T, P>(
        &self,
        must_last: bool,
        plan: P,
    ) -> impl Future<Output = Result<T>> + Send + 'static + use<T, P>
    where
        T: Send + 'static,
        P: FnOnce(&View<'_>) -> Result<Plan<T>> + Send + 'static,
    {
        let (submission, answer) = submission(must_last, plan);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(submission);
        answer
    }

    /// Answers when all that was put here before is answered; after [`Outbox::send`].
    pub(super) fn put_barrier(&self) -> impl Future<Output = Result<()>> + Send + 'static + use<> {
        let (submission, answer) = barrier();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(submission);
        answer
    }

    /// Whether somebody else sent everything already.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Hands everything to the engine, or says to everybody why there is none.
    pub(super) fn send(&self, engine: Result<Arc<Engine>, FileError>) {
        let waiting = {
            // The engine's queue is filled under the lock, so that order is kept.
            let mut outbox = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match &engine {
                Ok(engine) => {
                    engine.submit(outbox.drain(..));
                    Vec::new()
                }
                Err(_) => std::mem::take(&mut *outbox),
            }
        };
        match engine {
            Ok(engine) => engine.attend(),
            Err(error) => waiting.into_iter().for_each(|change| change.refuse(error.clone())),
        }
    }
}
