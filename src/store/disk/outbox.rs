//! Changes that were asked for and have not reached the engine.

use std::{
    future::Future,
    sync::{Arc, PoisonError},
};

use crate::{
    engine::{Engine, FileError, Plan, Submission, View, barrier, submission},
    error::Result,
    sync::{Mutex, MutexGuard},
};

/// Keeps changes in the order in which they were asked for.
///
/// The first to be awaited sends all that are there: tasks of a runtime start in any
/// order, and changes that were asked for together share a commit.
#[derive(Debug, Default)]
pub(super) struct Outbox(Mutex<Vec<(Waits, Submission)>>);

/// Whether a change rests on what other programs changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    No,
    /// It is looked for before, and what was asked for later waits as well.
    ForLook,
}

impl Outbox {
    /// Adds a change that `admit` lets in; its answer comes after [`Outbox::send`].
    /// Nothing else is added between the two.
    pub(super) fn put<T, P>(
        &self,
        admit: &dyn Fn() -> Result<()>,
        must_last: bool,
        waits: Waits,
        plan: P,
    ) -> Result<impl Future<Output = Result<T>> + Send + 'static + use<T, P>>
    where
        T: Send + 'static,
        P: FnOnce(&View<'_>) -> Result<Plan<T>> + Send + 'static,
    {
        let (submission, answer) = submission(must_last, plan);
        let mut waiting = self.lock();
        admit()?;
        waiting.push((waits, submission));
        Ok(answer)
    }

    /// Adds what answers when all that was put here before is answered, after
    /// [`Outbox::send`]; nothing where `close` answers nothing.
    pub(super) fn put_barrier<T>(
        &self,
        close: &dyn Fn() -> Option<T>,
    ) -> Option<(T, impl Future<Output = Result<()>> + Send + 'static + use<T>)> {
        let (submission, answer) = barrier();
        let mut waiting = self.lock();
        let closed = close()?;
        waiting.push((Waits::No, submission));
        Some((closed, answer))
    }

    /// Whether another one sent everything already.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Hands everything to the engine, or says to every caller why there is none. Before the
    /// first change that waits for it, `look` is called.
    pub(super) fn send(&self, engine: Result<Arc<Engine>, FileError>, look: impl Fn(&Arc<Engine>)) {
        let engine = match engine {
            Ok(engine) => engine,
            Err(error) => {
                let waiting = std::mem::take(&mut *self.lock());
                waiting.into_iter().for_each(|(_, change)| change.refuse(error.clone()));
                return;
            }
        };
        // The engine's queue is filled under the lock, so that order is kept.
        let submit = |which: fn(&[(Waits, Submission)]) -> usize| {
            let mut outbox = self.lock();
            let count = which(&outbox);
            engine.submit(outbox.drain(..count).map(|(_, change)| change));
            !outbox.is_empty()
        };
        let waits = submit(|waiting| {
            let first = waiting.iter().position(|(waits, _)| *waits == Waits::ForLook);
            first.unwrap_or(waiting.len())
        });
        engine.attend();
        if waits {
            look(&engine);
            submit(<[_]>::len);
            engine.attend();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Waits, Submission)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
