//! What transactions find where they write, which their frames say: recovery then tells what
//! it may write over.

use std::{
    collections::{HashMap, HashSet},
    sync::PoisonError,
};

use super::{
    Engine, FileError, Op, RelPath, View,
    committer::Job,
    disk::{During as _, optional},
    laid::Laid,
    obstacles::Obstacles,
    overlay::Pending,
    transaction::Found,
};
use crate::sync::Mutex;

/// With more logs than this, all are forgotten.
const MOST: usize = 4096;
/// How much of a log is read at first to find its last line, in bytes.
const STEP: u64 = 4096;

/// What a transaction read while it was planned.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<HashMap<RelPath, Option<Found>>>);

impl Notes {
    pub(super) fn note(&self, path: &RelPath, bytes: Option<&[u8]>) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.insert(path.clone(), bytes.map(Found::record));
    }

    fn get(&self, path: &RelPath) -> Option<Option<Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }
}

/// How logs end that were written to.
#[derive(Debug, Default)]
pub(super) struct Ends(Mutex<HashMap<RelPath, Found>>);

impl Ends {
    fn get(&self, path: &RelPath) -> Option<Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }

    fn set(&self, path: &RelPath, end: Found) {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() >= MOST && !ends.contains_key(path) {
            ends.clear();
        }
        ends.insert(path.clone(), end);
    }
}

impl Engine {
    /// What a transaction wants over what those before it decided, with what it finds; and
    /// whether that can be carried out.
    pub(super) fn decide(
        &self,
        job: &mut dyn Job,
        number: u64,
        laid: &Laid,
        obstacles: &mut Obstacles<'_>,
    ) -> (Vec<Op>, Result<(), FileError>) {
        let notes = Notes::default();
        let ops = job.plan(&View::planning(self, laid, &notes, number));
        let checked = laid.with(|earlier| obstacles.check(&ops, earlier));
        self.with_found(ops, checked, laid, &notes)
    }

    /// Adds to operations that can be carried out what they find.
    fn with_found(
        &self,
        ops: Vec<Op>,
        checked: Result<(), FileError>,
        laid: &Laid,
        notes: &Notes,
    ) -> (Vec<Op>, Result<(), FileError>) {
        if checked.is_err() {
            return (ops, checked);
        }
        let mut all = Vec::with_capacity(ops.len() * 2);
        let mut written = HashSet::new();
        for op in &ops {
            let (Op::Put { path, .. } | Op::Append { path, .. }) = op else { continue };
            if !written.insert(path) {
                continue;
            }
            match self.found(op, path, laid, notes) {
                Ok(found) => all.push(Op::Found { path: path.clone(), found }),
                Err(error) => return (ops, Err(error)),
            }
        }
        for op in &ops {
            if let Op::Append { path, offset, bytes } = op {
                self.ends.set(path, Found::at(offset + bytes.len() as u64, bytes));
            }
        }
        all.extend(ops);
        (all, Ok(()))
    }

    fn found(
        &self,
        op: &Op,
        path: &RelPath,
        laid: &Laid,
        notes: &Notes,
    ) -> Result<Option<Found>, FileError> {
        let is_log = matches!(op, Op::Append { .. });
        match laid.with(|overlay| overlay.get(path.as_str()).cloned()) {
            Some(Pending::Gone) => return Ok(None),
            Some(Pending::Holds(bytes)) if is_log => return Ok(Some(Found::log(&bytes))),
            Some(Pending::Holds(bytes)) => return Ok(Some(Found::record(&bytes))),
            Some(Pending::Tail(start, bytes)) => {
                return Ok(Some(Found::at(start + bytes.len() as u64, &bytes)));
            }
            None => {}
        }
        match op {
            Op::Append { offset, .. } => match self.ends.get(path) {
                Some(end) if end.len == *offset => Ok(Some(end)),
                _ => self.found_log(path),
            },
            _ => match notes.get(path) {
                Some(found) => Ok(found),
                None => {
                    let name = path.as_str();
                    let bytes = optional(self.disk().read(name)).during("read", name)?;
                    Ok(bytes.as_deref().map(Found::record))
                }
            },
        }
    }

    /// How a log ends that was not written to here.
    fn found_log(&self, path: &RelPath) -> Result<Option<Found>, FileError> {
        let name = path.as_str();
        let Some(stat) = optional(self.disk().stat(name)).during("stat", name)? else {
            return Ok(None);
        };
        let mut step = STEP;
        loop {
            let start = stat.len.saturating_sub(step);
            let len = usize::try_from(stat.len - start).unwrap_or(usize::MAX);
            let end = self.disk().read_at(name, start, len).during("read", name)?;
            let line = end.strip_suffix(b"\n").unwrap_or(&end);
            if start == 0 || line.contains(&b'\n') {
                return Ok(Some(Found::at(stat.len, &end)));
            }
            step *= 2;
        }
    }
}
