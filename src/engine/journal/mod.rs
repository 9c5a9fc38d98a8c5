//! The redo journal: one frame a transaction, made durable before it is applied.
//!
//! ```text
//! magic 8 | NULs 4 | last checkpoint's sequence number u64
//!         | the index's generation and length then u64 u64 | checksum u32 | NULs up to 64 bytes
//! frame | frame | … | NULs (room that is allocated ahead)
//! ```
//!
//! The header changes at a checkpoint only. A journal whose header does not hold was
//! never finished being made, and holds nothing.

pub mod frame;

use super::{
    disk::{During as _, FileError, FileId, OpenFile, is_for_room},
    marks::IndexMark,
    path::FRAMES,
};
use crate::error::Outcome;
use frame::Frame;

const MAGIC: &[u8; 8] = b"namzuJ01";
/// Length of the header.
pub const HEADER_LEN: u64 = 64;
/// Room is allocated this much at a time, in bytes.
const ALLOCATE_STEP: u64 = if cfg!(test) { 1 << 12 } else { 1 << 18 };

/// This much room is left to transactions that make room.
const SPARE: u64 = 2048;

/// What room transactions may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// All but what is spared.
    WithoutSpare,
    /// What is spared as well.
    WithSpare,
}

/// What the last checkpoint left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The last transaction that was synced into the tree.
    pub(super) seq: u64,
    /// The index as it was then.
    pub(super) index: IndexMark,
}

impl Header {
    fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.seq.to_le_bytes());
        bytes.extend_from_slice(&self.index.generation.to_le_bytes());
        bytes.extend_from_slice(&self.index.len.to_le_bytes());
        let sum = crc32fast::hash(&bytes).to_le_bytes();
        bytes.extend_from_slice(&sum);
        bytes.resize(64, 0);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let index = IndexMark { generation: number(20)?, len: number(28)? };
        let header = Self { seq: number(12)?, index };
        (bytes == header.encode()).then_some(header)
    }
}

/// The journal file of a root, kept open.
#[derive(Debug)]
pub struct Journal {
    file: Box<dyn OpenFile>,
}

impl Journal {
    /// A journal over an open file.
    #[must_use]
    pub fn new(file: Box<dyn OpenFile>) -> Self {
        Self { file }
    }

    /// Which file it is.
    pub(super) fn id(&self) -> FileId {
        self.file.id()
    }

    /// Whether it was opened for reading alone.
    pub(super) fn is_read_only(&self) -> bool {
        self.file.is_read_only()
    }

    /// Whether the file holds nothing but a header.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub(super) fn is_bare(&self) -> Result<bool, FileError> {
        Ok(self.file.len().during("stat", FRAMES)? == HEADER_LEN)
    }

    /// The header, if it holds.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn header(&self) -> Result<Option<Header>, FileError> {
        let bytes = self.file.read_at(0, 64).during("read", FRAMES)?;
        Ok(Header::decode(&bytes))
    }

    /// Empties the journal: all its transactions are synced into the tree. Their bytes
    /// stay, to be written over: a frame is only good with the number that follows the
    /// header's, or the frame's before it.
    ///
    /// # Errors
    /// When it cannot be written or synced.
    pub(super) fn reset(&self, header: Header) -> Result<(), FileError> {
        self.file.write_at(0, &header.encode()).during("write", FRAMES)?;
        self.sync()
    }

    /// Writes frames at `end`, with room made first so that a full disk shows before
    /// anything is written; takes back what it wrote when it fails.
    ///
    /// # Errors
    /// When there is no room or the file cannot be written; nothing is committed then.
    pub(super) fn write(&self, end: u64, frames: &[u8], room: Room) -> Result<(), FileError> {
        // One head's length of NULs follows the last frame, so that it is seen to be the last.
        let spare = if room == Room::WithSpare { 0 } else { SPARE };
        let needed = end + frames.len() as u64 + frame::HEAD_LEN as u64 + spare;
        let written = self
            .file
            .allocate(needed.next_multiple_of(ALLOCATE_STEP))
            .or_else(|error| match is_for_room(&error) {
                true => self.file.allocate(needed),
                false => Err(error),
            })
            .and_then(|()| self.file.write_at(end, frames));
        let Err(error) = written.during("write", FRAMES) else { return Ok(()) };
        if mutant!(IgnoreShortWrite) {
            return Ok(());
        }
        // Frames that could not be taken back may be found and believed, if their head is there.
        let unwritten = |head: Vec<u8>| head.is_empty() || frames.get(..head.len()) != Some(&head);
        let taken_back = self.file.set_len(end.max(HEADER_LEN)).is_ok()
            || self.file.read_at(end, frame::HEAD_LEN).is_ok_and(unwritten);
        Err(error.with_outcome(if taken_back { Outcome::NotDone } else { Outcome::Unknown }))
    }

    /// Makes what was written survive a power cut: the commit point.
    ///
    /// # Errors
    /// When the system cannot say that it does; what was written may be there or not.
    pub fn sync(&self) -> Result<(), FileError> {
        if mutant!(JournalNotSynced) {
            return Ok(());
        }
        let synced = self.file.sync_data();
        let synced = if mutant!(RetryFailedSync) {
            synced.or_else(|_| self.file.sync_data())
        } else {
            synced
        };
        synced.during("sync", FRAMES)
    }

    /// Gives back the room of an empty journal, and with it what its frames said. A root
    /// that cannot be written keeps it.
    pub fn trim(&self) {
        if self.file.len().is_ok_and(|len| len > HEADER_LEN) {
            let _ = self.cut(HEADER_LEN);
        }
    }

    /// Forgets everything from `end` on.
    ///
    /// # Errors
    /// When the file cannot be cut and that synced.
    pub fn cut(&self, end: u64) -> Result<(), FileError> {
        self.file.set_len(end).during("write", FRAMES)?;
        self.sync()
    }

    /// Whether the head of the frame that follows number `seq` seems to start at `end`:
    /// cheap, to be followed by [`Journal::scan`].
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn goes_on(&self, end: u64, seq: u64) -> Result<bool, FileError> {
        let head = self.file.read_at(end, frame::HEAD_LEN).during("read", FRAMES)?;
        Ok(frame::follows(&head, seq))
    }

    /// As [`Journal::goes_on`], without waiting; `None` where that cannot be.
    pub(super) fn goes_on_now(&self, end: u64, seq: u64) -> Option<bool> {
        let head = self.file.read_at_now(end, frame::HEAD_LEN).ok()?;
        Some(frame::follows(&head, seq))
    }

    /// Number of the first frame, whatever the header says, if there is a good one.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn first_seq(&self) -> Result<Option<u64>, FileError> {
        let head = self.file.read_at(HEADER_LEN, frame::HEAD_LEN).during("read", FRAMES)?;
        let Some(len) = frame::length(&head) else { return Ok(None) };
        let len = len.min(usize::try_from(self.file.len().during("read", FRAMES)?).unwrap_or(0));
        let bytes = self.file.read_at(HEADER_LEN, len).during("read", FRAMES)?;
        Ok(frame::decode(&bytes).map(|(frame, _)| frame.seq).filter(|seq| *seq > 0))
    }

    /// The number before that of the first frame; `None` for a journal that was never
    /// used.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn base(&self) -> Result<Option<u64>, FileError> {
        Ok(match self.header()? {
            Some(header) => Some(header.seq),
            None => self.first_seq()?.map(|first| first - 1),
        })
    }

    /// All that the file holds, where that is no redo log: neither header nor first frame
    /// holds, and it is not blank.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn foreign(&self) -> Result<Option<Vec<u8>>, FileError> {
        if self.base()?.is_some() {
            return Ok(None);
        }
        let len = usize::try_from(self.file.len().during("read", FRAMES)?).unwrap_or(usize::MAX);
        let bytes = self.file.read_at(0, len).during("read", FRAMES)?;
        Ok(Some(bytes).filter(|bytes| bytes.iter().any(|byte| *byte != 0)))
    }

    /// Reads the frames from `start` on, the first of number `seq` + 1, up to the first
    /// that does not hold; none is looked for behind it. Answers them and where they end.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn scan(&self, start: u64, seq: u64) -> Result<(Vec<Frame>, u64), FileError> {
        self.scan_to(start, seq, self.file.len().during("read", FRAMES)?)
    }

    /// As [`Journal::scan`], of what is there before `stop`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn scan_to(
        &self,
        start: u64,
        mut seq: u64,
        stop: u64,
    ) -> Result<(Vec<Frame>, u64), FileError> {
        let rest = usize::try_from(stop.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = self.file.read_at(start, rest).during("read", FRAMES)?;
        #[cfg(test)]
        if mutant!(ResyncAfterBadFrame) {
            return Ok(super::mutants::every_good_frame(&bytes, start, seq));
        }
        let mut frames = Vec::new();
        let mut at = 0;
        while let Some((frame, len)) = bytes.get(at..).and_then(frame::decode) {
            if frame.seq != seq + 1 {
                break;
            }
            seq = frame.seq;
            at += len;
            frames.push(frame);
        }
        Ok((frames, start + at as u64))
    }

    /// Writes the frames from `start` to `end` again and syncs them: a sync that failed
    /// for another writer may have left them in the system's memory alone, and only
    /// bytes written anew are sure to be synced.
    ///
    /// # Errors
    /// When they cannot be read, written or synced.
    pub fn rewrite(&self, start: u64, end: u64) -> Result<(), FileError> {
        let len = usize::try_from(end - start).unwrap_or(usize::MAX);
        let bytes = self.file.read_at(start, len).during("read", FRAMES)?;
        self.file.write_at(start, &bytes).during("write", FRAMES)?;
        self.sync()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::engine::{
        Op, RelPath,
        disk::{Disk as _, RealDisk},
    };

    fn journal() -> (tempfile::TempDir, Journal) {
        let root = tempfile::tempdir().unwrap();
        let file = RealDisk::new(root.path()).open("journal", true).unwrap();
        let journal = Journal::new(file);
        journal.reset(Header { seq: 7, index: IndexMark::NONE }).unwrap();
        (root, journal)
    }

    fn put(seq: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let content = seq.to_string().into_bytes();
        frame::encode(&mut bytes, seq, &[Op::Put { path: RelPath::of("f"), bytes: content }]);
        bytes
    }

    #[test]
    fn frames_read_back_in_order_and_stop_at_a_gap() {
        let (_root, journal) = journal();
        let mut end = HEADER_LEN;
        for seq in [8, 9, 11] {
            journal.write(end, &put(seq), Room::WithoutSpare).unwrap();
            end += put(seq).len() as u64;
        }
        let (frames, scanned) = journal.scan(HEADER_LEN, 7).unwrap();
        assert_eq!(frames.iter().map(|f| f.seq).collect::<Vec<_>>(), [8, 9]);
        assert_eq!(scanned, end - put(11).len() as u64);
        assert!(!journal.goes_on(scanned, 9).unwrap() && journal.goes_on(scanned, 10).unwrap());
        assert!(!journal.goes_on(end, 11).unwrap());
    }

    #[test]
    fn on_a_full_disk_or_quota_no_more_room_is_taken_than_needed() {
        use crate::engine::simulated::{Fault, SimulatedDisk};
        for error in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            let disk = SimulatedDisk::default();
            let journal = Journal::new(disk.open("journal", true).unwrap());
            journal.reset(Header { seq: 7, index: IndexMark::NONE }).unwrap();
            disk.set_fault(Some(Fault { at: 1, for_ever: false, error, written: 0 }));
            journal.write(HEADER_LEN, &put(8), Room::WithSpare).unwrap();
            let needed = HEADER_LEN + (put(8).len() + frame::HEAD_LEN) as u64;
            assert_eq!(disk.open("journal", false).unwrap().len().unwrap(), needed);
            assert_eq!(journal.scan(HEADER_LEN, 7).unwrap().0.len(), 1);
        }
    }

    #[test]
    fn a_reset_journal_is_empty_and_remembers_the_checkpoint() {
        let (_root, journal) = journal();
        journal.write(HEADER_LEN, &put(8), Room::WithoutSpare).unwrap();
        let header = Header { seq: 8, index: IndexMark { generation: 1, len: 99 } };
        journal.reset(header).unwrap();
        assert_eq!(journal.header().unwrap(), Some(header));
        assert!(journal.scan(HEADER_LEN, 8).unwrap().0.is_empty());
        assert!(!journal.goes_on(HEADER_LEN, 8).unwrap());
    }

    #[test]
    fn a_header_with_any_bit_wrong_holds_nothing() {
        let bytes = Header { seq: 7, index: IndexMark { generation: 1, len: 3 } }.encode();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&flipped), None, "bit {bit}");
        }
    }
}
