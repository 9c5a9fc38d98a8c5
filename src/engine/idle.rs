//! A checkpoint after an idle second, and a sync each second where commits do not
//! wait for one.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Handle;

use super::{
    Engine,
    marks::{Doubts, Marks},
};
use crate::sync::atomic::Ordering;

const SECOND: Duration = Duration::from_secs(1);

impl Engine {
    /// Starts waiting for an idle second, if nobody is. The wait is a timer of the
    /// runtime, holds neither thread nor process, and ends with the engine; without a
    /// runtime there is none, and the next open finds a journal to go on with.
    pub(super) fn checkpoint_when_idle(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.watched.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = Arc::downgrade(self);
        let mut seen = self.activity.load(Ordering::Relaxed);
        let watch = async move {
            loop {
                tokio::time::sleep(SECOND).await;
                let Some(engine) = engine.upgrade() else { return };
                let activity = engine.activity.load(Ordering::Relaxed);
                let idle = activity == seen;
                seen = activity;
                if idle {
                    engine.watched.store(false, Ordering::Release);
                }
                let work =
                    move || if idle { drop(engine.checkpoint()) } else { engine.sync_late() };
                let _ = tokio::task::spawn_blocking(work).await;
                if idle {
                    return;
                }
            }
        };
        runtime.spawn(watch);
    }

    /// Syncs what was committed without waiting for it.
    fn sync_late(&self) {
        if !self.unsynced.swap(false, Ordering::Relaxed) {
            return;
        }
        let _turn = self.turn();
        let Ok(Some(files)) = self.lock_root(false) else { return };
        let marks = self.catch_up(&files).ok().flatten();
        if files.journal.sync().is_err()
            && let Some(marks) = marks
        {
            let doubts = Doubts { journal: true, ..marks.doubts };
            let _ = self.set_marks(&files, Marks { doubts, ..marks });
            self.unsynced.store(true, Ordering::Relaxed);
            self.forget_files();
        }
    }
}
