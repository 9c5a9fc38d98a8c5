//! A file that is read in several steps, as it was when it was opened.

use std::sync::Arc;

use super::{
    FileError, RelPath, View,
    disk::{During as _, FileId, OpenFile},
    overlay::Pending,
};

/// What a file held at one instant: it stays readable as it was, whatever gets its name or is
/// added to it meanwhile. A file that was not there holds nothing.
#[derive(Debug, Default)]
pub struct Opened {
    file: Option<Box<dyn OpenFile>>,
    len: u64,
    /// What the file is to hold from an offset on that the disk does not show yet.
    pending: Option<(u64, Arc<Vec<u8>>)>,
}

impl Opened {
    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds nothing, or was not there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Which file it is, where the disk has it.
    #[must_use]
    pub fn id(&self) -> Option<FileId> {
        self.file.as_ref().map(|file| file.id())
    }
}

impl View<'_> {
    /// Opens a file for several reads of it by [`View::read_from`].
    ///
    /// [`Engine::read`](super::Engine::read) runs a read again that opened a file when another
    /// transaction was committed since it began: what it opened, and what it read before, are
    /// of one instant.
    ///
    /// # Errors
    /// [`FileError`] when it is there and cannot be opened.
    pub fn open(&self, path: &RelPath) -> Result<Opened, FileError> {
        let pending = self.pending(path);
        if pending.is_some() {
            self.note_movement()?; // what is pending is added to meanwhile
        }
        let pending = match pending {
            Some(Pending::Gone) => return Ok(Opened::default()),
            Some(Pending::Holds(bytes)) => (0, bytes),
            Some(Pending::Tail(start, bytes)) => (start, bytes),
            None => return self.open_on_disk(path),
        };
        let file = if pending.0 == 0 { None } else { self.open_on_disk(path)?.file };
        let len = pending.0 + pending.1.len() as u64;
        Ok(Opened { file, len, pending: Some(pending) })
    }

    fn open_on_disk(&self, path: &RelPath) -> Result<Opened, FileError> {
        let opened = self.disk_open(path.as_str()).and_then(|file| Ok((file.len()?, file)));
        let opened = self.optional(path, opened).during("open", path.as_str())?;
        self.note_movement()?;
        Ok(opened.map_or_else(Opened::default, |(len, file)| Opened {
            file: Some(file),
            len,
            pending: None,
        }))
    }

    /// Up to `len` bytes of an open file from `offset` on: fewer where it ends before. `path`
    /// is the name that an error gives it.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be read.
    pub fn read_from(
        &self,
        opened: &Opened,
        path: &RelPath,
        offset: u64,
        len: usize,
    ) -> Result<Vec<u8>, FileError> {
        if mutant!(WindowsByName) {
            return self.read_at(path, offset, len);
        }
        let end = match &opened.file {
            Some(file) if mutant!(LengthAskedAgain) => file.len().during("read", path.as_str())?,
            _ => opened.len,
        };
        let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = len.min(left);
        let (start, tail) = match &opened.pending {
            Some((start, tail)) => (*start, tail.as_slice()),
            None => (u64::MAX, [].as_slice()),
        };
        let mut bytes = Vec::new();
        if let Some(file) = opened.file.as_ref().filter(|_| offset < start) {
            let before = usize::try_from(start - offset).unwrap_or(usize::MAX).min(len);
            let read = self.disk_read_from(&**file, offset, before);
            bytes = read.during("read", path.as_str())?;
        }
        let rest = len - bytes.len();
        if rest > 0 && !tail.is_empty() {
            let from = (offset + bytes.len() as u64).saturating_sub(start);
            bytes.extend(super::view::part(tail, from, rest));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::engine::{Engine, Op, simulated::SimulatedDisk, tests::commit};

    fn engine(disk: &SimulatedDisk) -> Arc<Engine> {
        Engine::over(disk, |_, _, _| Ok(Vec::new()))
    }

    fn append(offset: u64, bytes: &[u8]) -> Vec<Op> {
        vec![Op::Append { path: RelPath::of("log"), offset, bytes: bytes.to_vec() }]
    }

    #[test]
    fn a_file_that_is_removed_or_replaced_between_two_reads_is_read_whole() {
        let log = RelPath::of("log");
        for change in [
            vec![Op::Remove { path: log.clone() }],
            vec![Op::Put { path: log.clone(), bytes: b"other".to_vec() }],
            append(8, b"more"),
        ] {
            let disk = SimulatedDisk::default();
            let (reader, writer) = (engine(&disk), engine(&disk));
            commit(&writer, append(0, b"one\ntwo\n"));
            let view = reader.view();
            let opened = view.open(&log).unwrap();
            assert_eq!(view.read_from(&opened, &log, 0, 4).unwrap(), b"one\n");
            commit(&writer, change);
            assert_eq!(view.read_from(&opened, &log, 4, 99).unwrap(), b"two\n");
        }
    }

    #[test]
    fn a_read_that_opens_a_file_after_another_transaction_is_made_again() {
        let disk = SimulatedDisk::default();
        let (reader, writer) = (engine(&disk), engine(&disk));
        commit(&writer, append(0, b"one\n"));
        let times = AtomicUsize::new(0);
        let len = reader
            .read(|view| {
                let before = view.len(&RelPath::of("log"))?;
                if times.fetch_add(1, Ordering::Relaxed) == 0 {
                    commit(&writer, append(4, b"two\n"));
                }
                Ok::<_, FileError>((before, view.open(&RelPath::of("log"))?.len()))
            })
            .unwrap();
        assert_eq!((len, times.into_inner()), ((8, 8), 2));
    }

    #[test]
    fn what_is_pending_is_part_of_an_open_file() {
        let disk = SimulatedDisk::default();
        let engine = engine(&disk);
        commit(&engine, append(0, b"one\ntorn"));
        let laid = crate::engine::laid::Laid::after(0, 0);
        laid.apply(&append(4, b"two\n"));
        let (view, log) = (View::new(&engine, Some(&laid)), RelPath::of("log"));
        let opened = view.open(&log).unwrap();
        assert_eq!(opened.len(), 8);
        assert_eq!(view.read_from(&opened, &log, 0, 99).unwrap(), b"one\ntwo\n");
        assert_eq!(view.read_from(&opened, &log, 5, 2).unwrap(), b"wo");
        assert!(view.open(&RelPath::of("none")).unwrap().is_empty());
    }
}
