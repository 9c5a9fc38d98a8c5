//! Changes that were asked for and have not reached the engine.

use std::{
    future::Future,
    sync::{Arc, PoisonError},
};

use crate::{
    engine::{Engine, FileError, Plan, Submission, View, barrier, submission},
    error::Result,
    sync::Mutex,
};

/// Keeps changes in the order in which they were asked for.
///
/// Whoever awaits one first sends all that are there: tasks of a runtime start in any
/// order, and changes that were asked for together share a commit.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<Vec<Submission>>);

impl Outbox {
    /// Adds a change that `admit` lets in; its answer comes after [`Outbox::send`].
    /// Nothing else is added between the two.
    pub(super) fn put<T, P>(
        &self,
        admit: &dyn Fn() -> Result<()>,
        must_last: bool,
        plan: P,
    ) -> Result<impl Future<Output = Result<T>> + Send + 'static + use<T, P>>
    where
        T: Send + 'static,
        P: FnOnce(&View<'_>) -> Result<Plan<T>> + Send + 'static,
    {
        let (submission, answer) = submission(must_last, plan);
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        admit()?;
        waiting.push(submission);
        Ok(answer)
    }

    /// Adds what answers when all that was put here before is answered, after
    /// [`Outbox::send`]; nothing where `close` answers nothing.
    pub(super) fn put_barrier<T>(
        &self,
        close: &dyn Fn() -> Option<T>,
    ) -> Option<(T, impl Future<Output = Result<()>> + Send + 'static + use<T>)> {
        let (submission, answer) = barrier();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = close()?;
        waiting.push(submission);
        Some((closed, answer))
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
