//! What is committed and not in the tree yet, laid over it for readers: one overlay a
//! process, which goes on from where it ended instead of being made anew for each read.

use std::sync::{Arc, PoisonError};

use super::{
    Engine, FileError, Op,
    files::Files,
    journal::{HEADER_LEN, frame::Frame},
    marks::Marks,
    overlay::Overlay,
    recovery::damaged,
};
use crate::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The effects of a row of transactions, to which those that follow are added.
#[derive(Debug, Default)]
pub(super) struct Laid(RwLock<Row>);

#[derive(Debug, Default)]
struct Row {
    overlay: Overlay,
    /// The transaction before the first.
    base: u64,
    /// The last one, and where its frame ends.
    seq: u64,
    end: u64,
}

impl Laid {
    /// Of nothing, behind the transaction `seq` whose frame ends at `end`.
    pub(super) fn after(seq: u64, end: u64) -> Self {
        Self(RwLock::new(Row { overlay: Overlay::default(), base: seq, seq, end }))
    }

    /// For transactions that no one else sees yet.
    pub(super) fn of(overlay: Overlay) -> Self {
        Self(RwLock::new(Row { overlay, ..Row::default() }))
    }

    fn read(&self) -> RwLockReadGuard<'_, Row> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Row> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at it as it is now; `look` asks for nothing else of a view.
    pub(super) fn with<T>(&self, look: impl FnOnce(&Overlay) -> T) -> T {
        look(&self.read().overlay)
    }

    /// Adds operations that are no transaction yet.
    pub(super) fn apply(&self, ops: &[Op]) {
        let mut row = self.write();
        ops.iter().for_each(|op| row.overlay.apply(op));
    }

    /// Adds the transaction that follows, whose frame ends at `end`, while `commit` makes it
    /// one: a reader that sees it here may see it anywhere.
    pub(super) fn add<T>(&self, ops: &[Op], end: u64, commit: impl FnOnce() -> T) -> T {
        let mut row = self.write();
        let committed = commit();
        ops.iter().for_each(|op| row.overlay.apply(op));
        row.seq += 1;
        row.end = end;
        committed
    }

    fn add_frames(row: &mut Row, frames: &[Frame], end: u64) {
        for frame in frames {
            frame.ops.iter().for_each(|op| row.overlay.apply(op));
            row.seq = frame.seq;
        }
        row.end = end;
    }

    /// Whether all that is committed and not applied is in it, without waiting.
    pub(super) fn covers_now(&self, marks: Marks) -> bool {
        self.0.try_read().is_ok_and(|row| row.base <= marks.applied && row.seq >= marks.seq)
    }
}

impl Engine {
    /// What is laid over the tree at this moment, if it can be told without waiting.
    pub(super) fn laid_now(&self) -> Option<Arc<Laid>> {
        self.laid.try_read().ok()?.clone()
    }

    fn kept_laid(&self) -> Option<Arc<Laid>> {
        self.laid.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has readers see these effects.
    pub(super) fn lay(&self, laid: Option<Arc<Laid>>) {
        *self.laid.write().unwrap_or_else(PoisonError::into_inner) = laid;
    }

    /// What marks that hold say is committed and not applied.
    pub(super) fn laid_up_to(&self, files: &Files, marks: Marks) -> Result<Arc<Laid>, FileError> {
        if let Some(laid) = self.kept_laid() {
            let mut row = laid.write();
            // The journal was not emptied since, as something of it was not applied.
            let goes_on = row.base <= marks.applied && row.seq > marks.applied;
            if goes_on && row.seq < marks.seq {
                let (frames, end) = files.journal.scan_to(row.end, row.seq, marks.end)?;
                Laid::add_frames(&mut row, &frames, end);
            }
            if goes_on && row.seq >= marks.seq {
                drop(row);
                return Ok(laid);
            }
        }
        let laid = Laid::after(marks.applied, marks.applied_end);
        let frames = self.unapplied(files, marks)?;
        Laid::add_frames(&mut laid.write(), &frames, marks.end);
        let laid = Arc::new(laid);
        self.lay(Some(Arc::clone(&laid)));
        Ok(laid)
    }

    /// What the journal holds of a root that this process cannot bring up to date: it may
    /// only be read, or someone is at it this moment.
    pub(super) fn unrecovered(&self, in_turn: bool) -> Result<Option<Arc<Laid>>, FileError> {
        let Some(files) = self.files(in_turn)? else { return Ok(None) };
        let Some(base) = files.journal.base()? else { return Ok(None) };
        let kept = self.kept_laid().filter(|laid| laid.read().base == base);
        let laid = kept.unwrap_or_else(|| Arc::new(Laid::after(base, HEADER_LEN)));
        let mut row = laid.write();
        if files.journal.goes_on(row.end, row.seq)? {
            let (frames, end) = files.journal.scan(row.end, row.seq)?;
            Laid::add_frames(&mut row, &frames, end);
        }
        let is_empty = row.seq == base;
        drop(row);
        if is_empty {
            return Ok(None);
        }
        self.lay(Some(Arc::clone(&laid)));
        Ok(Some(laid))
    }

    /// What is committed and not in the tree yet, by marks that hold: of what the journal
    /// has behind it nothing is known, it may be written this very moment.
    pub(super) fn unapplied(&self, files: &Files, marks: Marks) -> Result<Vec<Frame>, FileError> {
        let (frames, _) = files.journal.scan_to(marks.applied_end, marks.applied, marks.end)?;
        match frames.last().map_or(marks.applied, |frame| frame.seq) {
            last if last < marks.seq => Err(damaged(last + 1)),
            _ => Ok(frames),
        }
    }
}
