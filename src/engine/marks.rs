//! How far the root's transactions have come, for every process that has it open.
//!
//! Kept in a file of their own, written under the lock and read without it, never synced. So
//! they hold as long as the system goes on that they were written in, which the boot's
//! number in them tells, and the file system stays mounted: which their mount's number
//! tells processes that have the same, and one that has had the root open since tells others.
//!
//! ```text
//! magic 8 | boot u64 | mount u64 | this file's id u64 u64 | end u64 | seq u64
//!         | applied u64 | applied end u64
//!         | index's generation u64 | index's length u64 | doubts u64 | checksum u32
//! ```

use super::{
    disk::{During as _, FileError, FileId, OpenFile},
    path::PROGRESS,
};

const MAGIC: u64 = u64::from_le_bytes(*b"namzuP01");
const LEN: usize = 100;

/// An index file, by the number in its first line, and how much of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexMark {
    pub(super) generation: u64,
    pub(super) len: u64,
}

impl IndexMark {
    /// No index file.
    pub(super) const NONE: Self = Self { generation: 0, len: 0 };
}

/// How far a root's transactions have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    /// Where the journal's committed frames end.
    pub(super) end: u64,
    /// The last transaction that was committed.
    pub(super) seq: u64,
    /// The last transaction that was applied to the tree: `seq`, unless some are being
    /// applied, or the process that applied them died.
    pub(super) applied: u64,
    /// Where the frames of applied transactions end: `end`, unless some are not.
    pub(super) applied_end: u64,
    /// Which file the index is, and its length with what was applied.
    pub(super) index: IndexMark,
    /// What a failed sync left doubtful.
    pub(super) doubts: Doubts,
}

/// Marks as they are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) marks: Marks,
    /// They were written through the mount that they were read through.
    pub(super) of_this_mount: bool,
}

/// What a sync failed for: the system may have dropped it, and shows it all the same
/// until the machine stops. It has to be written anew before it is synced again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Doubts {
    /// The journal's frames.
    pub(super) journal: bool,
    /// What was applied to the tree.
    pub(super) tree: bool,
}

impl Doubts {
    fn encode(self) -> u64 {
        u64::from(self.journal) | u64::from(self.tree) << 1
    }

    fn decode(number: u64) -> Self {
        Self { journal: number & 1 != 0, tree: number & 2 != 0 }
    }
}

impl Marks {
    /// These, with everything applied.
    pub(super) fn all_applied(self) -> Self {
        Self { applied: self.seq, applied_end: self.end, ..self }
    }

    /// Whether every committed transaction is applied.
    pub(super) fn settled(self) -> bool {
        self.applied == self.seq
    }

    fn encode(self, file: FileId, boot: u64, mount: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LEN);
        let IndexMark { generation, len } = self.index;
        for number in [
            MAGIC,
            boot,
            mount,
            file.0,
            file.1,
            self.end,
            self.seq,
            self.applied,
            self.applied_end,
            generation,
            len,
            self.doubts.encode(),
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes).to_le_bytes();
        bytes.extend_from_slice(&sum);
        bytes
    }

    fn decode(bytes: &[u8], file: FileId, boot: u64) -> Option<(Self, u64)> {
        let number =
            |n: usize| Some(u64::from_le_bytes(bytes.get(n * 8..n * 8 + 8)?.try_into().ok()?));
        let mount = number(2)?;
        let index = IndexMark { generation: number(9)?, len: number(10)? };
        let marks = Self {
            end: number(5)?,
            seq: number(6)?,
            applied: number(7)?,
            applied_end: number(8)?,
            index,
            doubts: Doubts::decode(number(11)?),
        };
        (bytes == marks.encode(file, boot, mount)).then_some((marks, mount))
    }

    /// Reads them; `None` where they were written before the machine started, for
    /// another file, or by halves.
    pub(super) fn read(file: &dyn OpenFile, boot: u64) -> Result<Option<Found>, FileError> {
        let bytes = file.read_at(0, LEN).during("read", PROGRESS)?;
        Ok(Self::found(&bytes, file, boot))
    }

    /// As [`Marks::read`], without waiting; `None` where that cannot be as well.
    pub(super) fn read_now(file: &dyn OpenFile, boot: u64) -> Option<Found> {
        Self::found(&file.read_at_now(0, LEN).ok()?, file, boot)
    }

    fn found(bytes: &[u8], file: &dyn OpenFile, boot: u64) -> Option<Found> {
        let (marks, mount) = Self::decode(bytes, file.id(), boot)?;
        Some(Found { marks, of_this_mount: mount != 0 && mount == file.mount() })
    }

    /// Writes them; the caller has the lock.
    pub(super) fn write(self, file: &dyn OpenFile, boot: u64) -> Result<(), FileError> {
        file.write_at(0, &self.encode(file.id(), boot, file.mount())).during("write", PROGRESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_hold_for_their_own_file_alone() {
        let index = IndexMark { generation: 7, len: 9 };
        let marks = Marks {
            end: 64,
            seq: 3,
            applied: 2,
            applied_end: 60,
            index,
            doubts: Doubts { journal: true, tree: false },
        };
        let bytes = marks.encode(FileId(1, 2), 5, 3);
        assert_eq!(Marks::decode(&bytes, FileId(1, 2), 5), Some((marks, 3)));
        assert_eq!(Marks::decode(&bytes, FileId(1, 2), 6), None);
        assert_eq!(Marks::decode(&bytes, FileId(1, 3), 5), None);
        assert_eq!(Marks::decode(&bytes[..96], FileId(1, 2), 5), None);
        assert_eq!(Marks::decode(&[0; LEN], FileId(0, 0), 0), None);
        assert!(!marks.settled());
    }
}
