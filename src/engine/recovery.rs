//! Brings a root to where its journal says it is: after this process, another one or
//! the machine stopped at any instant, and at checkpoints.
//!
//! All of it happens under the root's lock. What start-up and every batch can find:
//!
//! | marks | journal | what is done |
//! |---|---|---|
//! | settled | nothing behind their end | nothing |
//! | settled | good frames behind their end: a writer died before it said so | written again, synced, applied |
//! | unsettled | good | what is not applied is written again, synced, applied |
//! | any | header has their number, frames are there: a checkpoint was cut short | the checkpoint is finished |
//! | none that hold: the machine stopped, or the root is a copy | good | all frames are brought into the tree, then a checkpoint |
//! | none that hold | no header, frames | as above, and the root is surveyed again |
//! | none that hold | empty | a new root: nothing |

use std::sync::atomic::Ordering;

use super::{
    Engine, Entry, Op, RelPath,
    apply::{Touched, empty_trash, remove_beside},
    disk::{During as _, FileError, optional, remove_tree},
    files::Files,
    index::file,
    journal::{HEADER_LEN, Header, Journal, frame::Frame},
    marks::{Doubts, IndexMark, Marks},
    path::{FRAMES, INDEX, INDEX_BESIDE, STORE},
    settle::{Settle, salvage, settle},
};

impl Engine {
    /// Finishes what other transactions left; `None` for a journal that was never used.
    pub(super) fn catch_up(&self, files: &Files) -> Result<Option<Marks>, FileError> {
        let old = self.old_journal(files)?;
        let marks = self.marks(files)?;
        let header = files.journal.header()?;
        let marks = match (marks, header) {
            // Marks behind the header could not be written when it was.
            (Some(marks), Some(header)) if header.seq <= marks.seq => {
                self.catch_up_from(files, marks, header)?
            }
            (_, header) => {
                // Of what could not be synced in this run of the machine, the tree may show
                // what the disk does not have.
                let known = files.read_marks()?;
                let doubted = known.is_some_and(|known| known.marks.doubts.tree);
                let how = if doubted { Settle::Anew } else { Settle::WhatDiffers };
                match self.recover(files, header, how)? {
                    Some(marks) => marks,
                    None if old.is_some() => self.initialise(files)?,
                    None => return Ok(None),
                }
            }
        };
        let marks = match old {
            Some(old) => self.take_in_old(files, marks, &old)?,
            None => marks,
        };
        files.has_old_log.store(false, Ordering::Relaxed);
        self.trust_marks(files);
        if marks.settled() {
            self.behind.store(false, Ordering::Relaxed);
        }
        Ok(Some(marks))
    }

    /// Another process, or this one, goes on where marks that hold say.
    fn catch_up_from(
        &self,
        files: &Files,
        mut marks: Marks,
        header: Header,
    ) -> Result<Marks, FileError> {
        if header.seq == marks.seq && marks.end != HEADER_LEN && marks.settled() {
            files.journal.reset(header)?;
            marks = emptied(Marks { index: header.index, ..marks });
            self.set_marks(files, marks)?;
        }
        if marks.doubts.journal {
            files.journal.rewrite(HEADER_LEN, marks.end)?;
            marks.doubts.journal = false;
            self.set_marks(files, marks)?;
        }
        if files.journal.goes_on(marks.end, marks.seq)? {
            let (frames, end) = files.journal.scan(marks.end, marks.seq)?;
            if let Some(last) = frames.last() {
                files.journal.rewrite(marks.end, end)?;
                marks.seq = last.seq;
                marks.end = end;
                self.set_marks(files, marks)?;
            }
            if files.journal.goes_on(end, marks.seq)? {
                files.journal.cut(end)?;
            }
        }
        if !marks.settled() {
            let frames = self.unapplied(files, marks)?;
            if !mutant!(CatchUpUnsynced) {
                // The process that answered for them may have died before they were synced.
                files.journal.rewrite(marks.applied_end, marks.end)?;
            }
            marks.index = self.settle_index(marks.index, &frames)?;
            self.settle_tree(&frames, Settle::WhatDiffers)?;
            if marks.index == IndexMark::NONE {
                marks.index = self.rewrite_index(IndexMark::NONE)?;
            }
            marks = marks.all_applied();
            self.set_marks(files, marks)?;
            empty_trash(&*self.disk());
        }
        Ok(marks)
    }

    /// The machine stopped, or the root is a copy: only the journal is believed.
    fn recover(
        &self,
        files: &Files,
        header: Option<Header>,
        how: Settle,
    ) -> Result<Option<Marks>, FileError> {
        if let Some(marks) = self.closed(files, header)? {
            self.set_marks(files, marks)?;
            return Ok(Some(marks));
        }
        let Some(base) = files.journal.base()? else { return Ok(None) };
        let (frames, end) = files.journal.scan(HEADER_LEN, base)?;
        if !frames.is_empty() {
            files.journal.rewrite(HEADER_LEN, end)?;
        }
        files.journal.cut(end.max(HEADER_LEN))?;
        let seq = frames.last().map_or(base, |frame| frame.seq);
        let index = self.index_of(header)?;
        let index = self.settle_index(index, &frames)?;
        self.settle_tree(&frames, how)?;
        let doubts = Doubts::default();
        let marks = Marks { end, seq, applied: seq, applied_end: end, index, doubts };
        self.finish_checkpoint(files, marks, &frames).map(Some)
    }

    /// The marks of a root that was closed in good order: nothing is to be done.
    fn closed(&self, files: &Files, header: Option<Header>) -> Result<Option<Marks>, FileError> {
        let Some(header) = header else { return Ok(None) };
        if !files.journal.is_bare()? || self.index_of(Some(header))? == IndexMark::NONE {
            return Ok(None);
        }
        Ok(Some(empty(header)))
    }

    /// The index as the last checkpoint left it, if it is still there at that length.
    fn index_of(&self, header: Option<Header>) -> Result<IndexMark, FileError> {
        let Some(Header { index, .. }) = header else { return Ok(IndexMark::NONE) };
        let found = self.index_head()?.map(|head| head.generation);
        let same = found == Some(index.generation);
        Ok(if same && self.has_index(index)? { index } else { IndexMark::NONE })
    }

    /// Whether there is a file that is long enough.
    pub(super) fn has_index(&self, index: IndexMark) -> Result<bool, FileError> {
        let stat = optional(self.disk().stat(INDEX)).during("stat", INDEX)?;
        Ok(stat.is_some_and(|stat| stat.is_file && stat.len >= index.len))
    }

    /// Brings the index from what counts of it to where frames lead; where none counts,
    /// the next use makes it anew from the tree.
    fn settle_index(&self, index: IndexMark, frames: &[Frame]) -> Result<IndexMark, FileError> {
        if index == IndexMark::NONE || !self.has_index(index)? {
            return Ok(IndexMark::NONE);
        }
        let entries = frames.iter().flat_map(|frame| &frame.ops).filter_map(|op| match op {
            Op::Locate(entry) => Some(entry),
            _ => None,
        });
        let added = file::encode(entries);
        self.disk().write_tail(INDEX, index.len, &added).during("append", INDEX)?;
        Ok(IndexMark { len: index.len + added.len() as u64, ..index })
    }

    /// Brings the tree to where frames lead.
    pub(super) fn settle_tree(&self, frames: &[Frame], how: Settle) -> Result<(), FileError> {
        for frame in frames {
            remove_beside(&*self.disk(), frame.seq, &frame.ops)?;
        }
        settle(&*self.disk(), frames, how)
    }

    /// Syncs into the tree whatever the journal holds, and empties it. The journal is synced
    /// first: what the tree shows and the disk does not have yet can then be found in it.
    pub(super) fn checkpoint_at(&self, files: &Files, marks: Marks) -> Result<Marks, FileError> {
        if marks.end == HEADER_LEN || !marks.settled() {
            return Ok(marks);
        }
        let Some(header) = files.journal.header()? else { return Ok(marks) };
        if !mutant!(CheckpointUnsynced)
            && let Err(error) = files.journal.sync()
        {
            return Err(self.journal_not_synced(files, marks, error));
        }
        let (frames, _) = files.journal.scan(HEADER_LEN, header.seq)?;
        let last = frames.last().map_or(header.seq, |frame| frame.seq);
        let damaged_at = (last < marks.seq).then_some(last + 1);
        if marks.doubts.tree {
            if let Some(seq) = damaged_at {
                return Err(damaged(seq));
            }
            settle(&*self.disk(), &frames, Settle::Anew)?;
        }
        if damaged_at.is_some() {
            // What the frames touched is not known any more, and all of it is in the tree.
            self.disk().sync_all().during("sync", "")?;
        }
        self.finish_checkpoint(files, marks, &frames)
    }

    pub(super) fn finish_checkpoint(
        &self,
        files: &Files,
        mut marks: Marks,
        frames: &[Frame],
    ) -> Result<Marks, FileError> {
        let mut touched = Touched::default();
        for op in frames.iter().flat_map(|frame| &frame.ops) {
            touched.add(op);
        }
        let grew = frames.iter().flat_map(|frame| &frame.ops).any(|op| matches!(op, Op::Locate(_)));
        if self.index_broken.swap(false, Ordering::Relaxed) {
            marks.index = IndexMark::NONE;
        }
        // What a failed sync left of the index's tail is not known: a new file is, and has a
        // generation by which every process tells it from the one before.
        let renew = marks.index == IndexMark::NONE || marks.doubts.tree;
        if renew || grew && self.has_outgrown(marks.index)? {
            marks.index = self.rewrite_index(marks.index)?;
            // A read while it is synced finds it, and not the one that is gone.
            self.set_marks(files, marks)?;
        }
        touched.files.insert(INDEX.to_owned());
        touched.folders.insert(STORE.to_owned());
        touched.folders.insert(String::new());
        if let Err(error) = self.disk().sync(&touched.files, &touched.folders) {
            let doubts = Doubts { tree: true, ..marks.doubts };
            self.set_marks(files, Marks { doubts, ..marks })?;
            return Err(error).during("sync", "");
        }
        files.journal.reset(Header { seq: marks.seq, index: marks.index })?;
        marks = emptied(marks);
        self.set_marks(files, marks)?;
        empty_trash(&*self.disk());
        Ok(marks)
    }

    /// Writes the index anew: it is missing or has grown out of proportion.
    pub(super) fn rewrite_index(&self, index: IndexMark) -> Result<IndexMark, FileError> {
        self.rewrite_index_with(index, &[])
    }

    /// As [`Engine::rewrite_index`], with what was not added to it yet.
    pub(super) fn rewrite_index_with(
        &self,
        index: IndexMark,
        entries: &[Entry],
    ) -> Result<IndexMark, FileError> {
        let generation = getrandom::u64().unwrap_or(index.generation.wrapping_add(1));
        let bytes = self.new_index(index, entries, generation)?;
        for path in [INDEX, INDEX_BESIDE] {
            // Whatever else has the name of a file that can be made anew.
            let stat = optional(self.disk().stat(path)).during("stat", path)?;
            if stat.is_some_and(|stat| !stat.is_file) {
                remove_tree(&*self.disk(), path).during("remove", path)?;
            }
        }
        let disk = self.disk();
        disk.write(INDEX_BESIDE, &bytes)
            .and_then(|()| disk.rename(INDEX_BESIDE, INDEX))
            .during("write", INDEX)?;
        let mark = IndexMark { generation, len: bytes.len() as u64 };
        self.index_rewritten(mark);
        Ok(mark)
    }

    /// Makes the journal of a root that has none yet, and its index.
    pub(super) fn initialise(&self, files: &Files) -> Result<Marks, FileError> {
        self.salvage_foreign(&files.journal, &RelPath::of(FRAMES))?;
        let index = self.rewrite_index(IndexMark::NONE)?;
        let mut made = Touched::default();
        made.files.insert(INDEX.to_owned());
        made.folders.extend([STORE.to_owned(), String::new()]);
        self.disk().sync(&made.files, &made.folders).during("sync", STORE)?;
        files.journal.cut(0)?;
        files.journal.reset(Header { seq: 0, index })?;
        let marks = empty(Header { seq: 0, index });
        self.set_marks(files, marks)?;
        self.trust_marks(files);
        Ok(marks)
    }
}

impl Engine {
    /// Keeps what a file at `path` holds that should be a redo log and is none, before it is
    /// written over or removed.
    pub(super) fn salvage_foreign(
        &self,
        journal: &Journal,
        path: &RelPath,
    ) -> Result<(), FileError> {
        match journal.foreign()? {
            Some(bytes) => salvage(&*self.disk(), path, &bytes),
            None => Ok(()),
        }
    }
}

/// Marks that hold tell of a transaction that the journal does not have.
pub(super) fn damaged(seq: u64) -> FileError {
    FileError::damaged(FRAMES, format!("transaction {seq} was committed and does not hold"))
}

/// The marks of an empty journal with this header.
fn empty(Header { seq, index }: Header) -> Marks {
    let (end, doubts) = (HEADER_LEN, Doubts::default());
    Marks { end, seq, applied: seq, applied_end: end, index, doubts }
}

/// The marks of an empty journal whose transactions are all in the tree.
fn emptied(marks: Marks) -> Marks {
    Marks { end: HEADER_LEN, doubts: Doubts::default(), ..marks }.all_applied()
}
