//! A checkpoint after an idle second.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Handle;

use super::Engine;
use crate::sync::atomic::Ordering;

const SECOND: Duration = Duration::from_secs(1);
/// A checkpoint that fails is tried again after longer and longer, but no later than this.
const LONGEST: Duration = Duration::from_secs(60);

impl Engine {
    /// Starts waiting for an idle second, unless that is done already. The wait is a timer of
    /// the runtime, holds neither thread nor process, and ends with the engine, or when a
    /// checkpoint succeeds; without a runtime there is none, and the next open finds a
    /// journal to go on with.
    pub(super) fn checkpoint_when_idle(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.watched.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = Arc::downgrade(self);
        let mut seen = self.activity.load(Ordering::Relaxed);
        let watch = async move {
            let mut wait = SECOND;
            loop {
                tokio::time::sleep(wait).await;
                let Some(engine) = engine.upgrade() else { return };
                let activity = engine.activity.load(Ordering::Relaxed);
                if activity != seen {
                    (seen, wait) = (activity, SECOND);
                    continue;
                }
                let checkpoint = move || engine.checkpoint_watched();
                if tokio::task::spawn_blocking(checkpoint).await.unwrap_or(true) {
                    return;
                }
                wait = (wait * 2).min(LONGEST);
            }
        };
        runtime.spawn(watch);
    }

    /// Answers whether the watch is over.
    fn checkpoint_watched(&self) -> bool {
        // What is committed from now on starts another watch.
        self.watched.store(false, Ordering::Release);
        let over = self.checkpoint().is_ok() || mutant!(IdleCheckpointOnce);
        over || self.watched.swap(true, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use crate::engine::{
        Engine, FileError, Op, Plan, RelPath,
        simulated::{Fault, SimulatedDisk},
        submission,
    };

    #[test]
    fn a_checkpoint_that_fails_is_tried_again_and_the_watch_goes_on() {
        let disk = SimulatedDisk::default();
        let engine = Engine::over(&disk, |_, _, _| Ok(Vec::new()));
        let (transaction, _answer) = submission(false, |_| {
            let put = Op::Put { path: RelPath::of("record"), bytes: b"new".to_vec() };
            Ok::<_, FileError>(Plan { ops: vec![put], answer: () })
        });
        engine.submit(std::iter::once(transaction));
        engine.attend();
        disk.set_fault(Some(Fault { at: 1, for_ever: true, error: ErrorKind::Other, written: 0 }));
        assert!(!engine.checkpoint_watched(), "the watch goes on");
        disk.set_fault(None);
        assert!(engine.checkpoint_watched(), "it is over");
        let files = engine.files(false).unwrap().unwrap();
        let marks = engine.marks(&files).unwrap().unwrap();
        assert_eq!(marks.end, crate::engine::journal::HEADER_LEN);
    }
}
