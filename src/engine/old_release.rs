//! Releases before 0.2: they call the redo log `journal`, and keep it locked while they have
//! the root open. They take the same lock for a batch, and know nothing of `frames`: so each
//! batch looks, under that lock, whether one of them is there.

use std::{collections::BTreeSet, io, sync::Arc};

use super::{
    Engine, FileError, RelPath,
    disk::{During as _, optional, optional_regular},
    files::Files,
    journal::{HEADER_LEN, Journal},
    marks::{IndexMark, Marks},
    path::{FRAMES, OLD_JOURNAL, STORE},
    settle::Settle,
};
use crate::error::Outcome;

impl Engine {
    /// The redo log that such a release left beside ours, to be taken in; one that it left
    /// alone becomes ours, as it is. The caller has the root's lock.
    ///
    /// # Errors
    /// [`FileError`] of a busy file while such a release has the root open.
    pub(super) fn old_journal(&self, files: &Files) -> Result<Option<Journal>, FileError> {
        // Usually there is none, which costs one call.
        let there = optional_regular(self.disk().open_to_read(OLD_JOURNAL));
        if there.during("open", OLD_JOURNAL)?.is_none() {
            return Ok(None);
        }
        let opened = optional(self.disk().open(OLD_JOURNAL, false));
        let Some(file) = opened.during("open", OLD_JOURNAL)? else { return Ok(None) };
        if !file.try_lock().during("lock", OLD_JOURNAL)? {
            return Err(busy());
        }
        if file.id() != files.journal.id() {
            return Ok(Some(Journal::new(file)));
        }
        self.disk().rename(OLD_JOURNAL, FRAMES).during("rename", OLD_JOURNAL)?;
        Ok(None)
    }

    /// Brings the tree to where the frames lead that such a release left although ours were
    /// there, and removes them. What it wrote to the index does not count: that is made anew.
    pub(super) fn take_in_old(
        &self,
        files: &Files,
        marks: Marks,
        old: &Journal,
    ) -> Result<Marks, FileError> {
        let marks = self.checkpoint_at(files, marks)?;
        self.salvage_foreign(old, &RelPath::of(OLD_JOURNAL))?;
        let frames = match old.base()? {
            Some(base) => old.scan(HEADER_LEN, base)?.0,
            None => Vec::new(),
        };
        self.settle_tree(&frames, Settle::WhatDiffers)?;
        let marks = Marks { index: IndexMark::NONE, ..marks };
        let marks = self.finish_checkpoint(files, marks, &frames)?;
        self.disk().remove_file(OLD_JOURNAL).during("remove", OLD_JOURNAL)?;
        // It does not say what it found: come back, it would win over what follows.
        let folder = BTreeSet::from([STORE.to_owned()]);
        self.disk().sync(&BTreeSet::new(), &folder).during("sync", STORE)?;
        Ok(marks)
    }
}

fn busy() -> FileError {
    FileError {
        op: "lock",
        path: OLD_JOURNAL.to_owned(),
        source: Arc::new(io::ErrorKind::ResourceBusy.into()),
        outcome: Outcome::NotDone,
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::engine::{
        Op, Plan, View,
        disk::Disk as _,
        path::{LOCK, PROGRESS},
        simulated::{Fault, SimulatedDisk},
        tests::{engine, put, record, transact},
    };

    /// A frame as release 0.1 writes it: of one record that is put.
    fn frame(seq: u64, path: &str, text: &str) -> Vec<u8> {
        let mut ops = vec![1];
        for part in [path, text] {
            ops.extend_from_slice(&u32::try_from(part.len()).unwrap().to_le_bytes());
            ops.extend_from_slice(part.as_bytes());
        }
        let len = u32::try_from(ops.len()).unwrap().to_le_bytes();
        let sum = crc32fast::hash(&[&len[..], &seq.to_le_bytes(), &ops].concat());
        [&len[..], &sum.to_le_bytes(), &seq.to_le_bytes(), &ops].concat()
    }

    /// The redo log that it left: a checkpoint at transaction 7, and what came after.
    fn journal() -> Vec<u8> {
        let mut bytes = b"namzuJ01\0\0\0\0".to_vec();
        for number in [7_u64, 0, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes.resize(64, 0);
        bytes.extend(frame(8, "other", "of the old release"));
        bytes.extend(frame(9, "record", "of the old release"));
        bytes.extend([0; 64]);
        bytes
    }

    /// A root that such a release left, with `journal` as its redo log.
    fn old_root(journal: &[u8]) -> SimulatedDisk {
        let disk = SimulatedDisk::default();
        disk.create_dir(STORE).unwrap();
        disk.write(LOCK, b"marks of another form").unwrap();
        disk.write(OLD_JOURNAL, journal).unwrap();
        disk.write("record", b"old").unwrap();
        disk
    }

    fn other(disk: &SimulatedDisk) -> Option<Vec<u8>> {
        let read = |view: &View<'_>| view.read(&RelPath::of("other"));
        engine(disk).read(read).unwrap()
    }

    fn has(disk: &SimulatedDisk, path: &str) -> bool {
        disk.stat(path).is_ok()
    }

    fn write(disk: &SimulatedDisk, text: &'static str) -> Result<(), FileError> {
        let ops = || vec![Op::Put { path: RelPath::of("new"), bytes: text.as_bytes().to_vec() }];
        transact(&engine(disk), move |_| Ok(Plan { ops: ops(), answer: () }))
    }

    #[test]
    fn what_it_left_unapplied_is_read_and_its_redo_log_goes_on_as_ours() {
        for reads_first in [true, false] {
            let disk = old_root(&journal());
            if reads_first {
                let read = engine(&disk).read(record).unwrap();
                assert_eq!(read.as_deref(), Some("of the old release"));
            }
            write(&disk, "new").unwrap();
            assert_eq!(disk.read("record").unwrap(), b"of the old release");
            assert_eq!(disk.read("other").unwrap(), b"of the old release");
            assert!(!has(&disk, OLD_JOURNAL) && has(&disk, FRAMES) && has(&disk, PROGRESS));
            let later = disk.after_power_cut(|_, _| None);
            assert_eq!(other(&later).as_deref(), Some(&b"of the old release"[..]));
            assert_eq!(later.read("new").unwrap(), b"new");
        }
    }

    #[test]
    fn it_is_read_where_nothing_can_be_written() {
        let disk = old_root(&journal());
        disk.set_read_only(true);
        let read = engine(&disk).read(record).unwrap();
        assert_eq!(read.as_deref(), Some("of the old release"));
        assert!(has(&disk, OLD_JOURNAL) && !has(&disk, FRAMES) && !has(&disk, PROGRESS));
    }

    #[test]
    fn one_that_holds_nothing_is_taken_away_as_well() {
        for empty in [Vec::new(), vec![0; 4096]] {
            let disk = old_root(&empty);
            write(&disk, "new").unwrap();
            assert!(!has(&disk, OLD_JOURNAL) && has(&disk, FRAMES));
            assert_eq!(engine(&disk).read(record).unwrap().as_deref(), Some("old"));
        }
    }

    /// A root of ours that such a release was started on again, with `journal` as what it left.
    fn shared_root(journal: &[u8]) -> SimulatedDisk {
        let disk = SimulatedDisk::default();
        transact(&engine(&disk), |_| Ok::<_, FileError>(Plan { ops: put("ours"), answer: () }))
            .unwrap();
        disk.write(OLD_JOURNAL, journal).unwrap();
        disk
    }

    #[test]
    fn the_first_read_sees_what_it_left_beside_ours() {
        let disk = shared_root(&journal());
        assert_eq!(other(&disk).as_deref(), Some(&b"of the old release"[..]));
        assert!(!has(&disk, OLD_JOURNAL));
        let disk = shared_root(&journal());
        let read = |view: &View<'_>| view.read(&RelPath::of("other"));
        assert_eq!(engine(&disk).read_now(read), None, "not without waiting");
        let read = engine(&disk).read_consistently(read).unwrap();
        assert_eq!(read.as_deref(), Some(&b"of the old release"[..]));
    }

    #[test]
    fn what_is_no_redo_log_is_kept() {
        let kept = |disk: &SimulatedDisk| {
            let files = disk.files().into_iter();
            let kept = files.filter(|(path, _)| path.starts_with(".store/salvage/"));
            kept.map(|(_, bytes)| bytes).collect::<Vec<_>>()
        };
        let text = b"a diary".to_vec();
        let ours = SimulatedDisk::default();
        ours.create_dir(STORE).unwrap();
        ours.write(FRAMES, &text).unwrap();
        for disk in [old_root(&text), shared_root(&text), ours] {
            write(&disk, "new").unwrap();
            assert_eq!(kept(&disk), vec![text.clone()]);
            assert_eq!(kept(&disk.after_power_cut(|_, _| None)), vec![text.clone()]);
            assert_eq!(disk.read("new").unwrap(), b"new");
        }
    }

    #[test]
    fn nothing_is_written_while_it_has_the_root_open() {
        let (unknown, ours) = (old_root(&journal()), SimulatedDisk::default());
        transact(&engine(&ours), |_| Ok(Plan { ops: put("ours"), answer: () })).unwrap();
        ours.write(OLD_JOURNAL, &journal()).unwrap();
        for disk in [unknown, ours] {
            let old = disk.open(OLD_JOURNAL, false).unwrap();
            assert!(old.try_lock_shared().unwrap());
            let before = disk.files();
            let refused = write(&disk, "new").unwrap_err();
            assert_eq!(refused.source.kind(), ErrorKind::ResourceBusy);
            let refused = crate::Error::from(refused);
            assert!(matches!(
                &refused,
                crate::Error::StoreIo { code, outcome: Outcome::NotDone, .. } if code == "EBUSY"
            ));
            let message = refused.to_string();
            assert!(message.contains("release before 0.2") && message.contains("upgrade"));
            engine(&disk).settle().unwrap();
            assert_eq!(disk.files(), before);
            assert!(engine(&disk).read(record).unwrap().is_some(), "reading goes on");
            old.unlock().unwrap();
            write(&disk, "new").unwrap();
            assert_eq!(disk.read("record").unwrap(), b"of the old release");
            assert!(!has(&disk, OLD_JOURNAL));
        }
    }

    /// Such a release was started again on a root that we had written to.
    #[test]
    fn what_it_left_beside_ours_is_taken_in_once_wherever_that_stops() {
        let commit = |disk: &SimulatedDisk, path, text: &str| {
            let ops = vec![Op::Put { path: RelPath::of(path), bytes: text.as_bytes().to_vec() }];
            transact(&engine(disk), |_| Ok(Plan { ops, answer: () }))
        };
        let all = BTreeSet::from([OLD_JOURNAL.to_owned()]);
        let folders = BTreeSet::from([STORE.to_owned(), String::new()]);
        let mut at = 0;
        loop {
            at += 1;
            let disk = SimulatedDisk::default();
            commit(&disk, "ours", "ours").unwrap();
            disk.write(OLD_JOURNAL, &journal()).unwrap();
            disk.sync(&all, &folders).unwrap();
            disk.set_fault(Some(Fault::stop(at)));
            let done = commit(&disk, "record", "new").is_ok();
            for after in [disk.after_kill(), disk.after_power_cut(|_, _| None)] {
                commit(&after, "ours", "later").unwrap();
                assert_eq!(other(&after).as_deref(), Some(&b"of the old release"[..]), "{at}");
                let now = after.read("record").unwrap();
                assert!(now == b"new" || !done && now == b"of the old release", "{at}");
                assert_eq!(after.read("ours").unwrap(), b"later", "{at}");
                assert!(!has(&after, OLD_JOURNAL), "{at}");
            }
            if done {
                break;
            }
        }
        assert!(at > 10);
    }
}
