//! The index file: a sorted part, then what was added to it, a chunk at a time.
//!
//! ```text
//! namzuI03 | generation u64 | sorted length u64 | sorted part's checksum u32 | checksum u32
//! entry | entry | …                                             the sorted part
//! length u32 | checksum u32 | entry | entry | …                 a chunk
//!
//! an entry: name length u16 | data length u16, FFFF for one that is gone | name | data
//! a name: kind u8 | key | NUL | value
//! ```
//!
//! Little-endian; checksums are CRC-32. The generation changes when the file is written anew;
//! then all entries are in the sorted part, in the order of their names. The file can be lost:
//! one that is missing, shorter than it should be, or does not hold counts for nothing, and
//! everything is looked for in the tree.

use super::{Entry, Table};
use crate::engine::marks::IndexMark;

const MAGIC: &[u8; 8] = b"namzuI03";
/// Length of what precedes the sorted part.
pub(in crate::engine) const HEAD_LEN: usize = 32;
/// Length of what precedes a chunk's entries.
const CHUNK_HEAD: usize = 8;
/// In place of a data length: the entry is gone.
const GONE: u16 = u16::MAX;

/// What a file starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct Head {
    pub(in crate::engine) generation: u64,
    /// Length of the sorted part, and its checksum.
    pub(in crate::engine) sorted: u64,
    sum: u32,
}

impl Head {
    fn encode(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.generation.to_le_bytes());
        bytes.extend_from_slice(&self.sorted.to_le_bytes());
        bytes.extend_from_slice(&self.sum.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// What a file says that starts with `bytes`; `None` when its head does not hold.
    pub(in crate::engine) fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let (generation, sorted) = (number(8)?, number(16)?);
        let sum = u32::from_le_bytes(bytes.get(24..28)?.try_into().ok()?);
        let head = Self { generation, sorted, sum };
        (head.encode() == *bytes.get(..HEAD_LEN)?).then_some(head)
    }

    /// Where the sorted part ends in the file.
    pub(in crate::engine) fn sorted_end(self) -> u64 {
        self.sorted.saturating_add(HEAD_LEN as u64)
    }
}

/// Writes one entry, or that it is gone.
pub(super) fn write_entry(bytes: &mut Vec<u8>, name: &[u8], data: Option<&[u8]>) {
    let len = |part: &[u8]| u16::try_from(part.len()).unwrap_or(GONE).to_le_bytes();
    bytes.extend_from_slice(&len(name));
    bytes.extend_from_slice(&data.map_or(GONE.to_le_bytes(), len));
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(data.unwrap_or_default());
}

/// An entry's name, what is kept with it unless it is gone, and where it ends.
pub(super) type Read<'b> = (&'b [u8], Option<&'b [u8]>, usize);

/// The entry that starts at `at`.
pub(super) fn read_entry(bytes: &[u8], at: usize) -> Option<Read<'_>> {
    let (head, rest) = bytes.get(at..)?.split_first_chunk::<4>()?;
    let [a, b, c, d] = *head;
    let (name_len, data_len) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
    let (name, rest) = rest.split_at_checked(usize::from(name_len))?;
    let end = at + head.len() + name.len();
    if data_len == GONE {
        return Some((name, None, end));
    }
    let data = rest.get(..usize::from(data_len))?;
    Some((name, Some(data), end + data.len()))
}

/// Writes changes as a chunk; no changes as nothing.
pub(in crate::engine) fn encode<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<u8> {
    let mut chunk = vec![0; CHUNK_HEAD];
    for entry in entries {
        write_entry(&mut chunk, &entry.name(), entry.present.then_some(&entry.data));
    }
    if chunk.len() == CHUNK_HEAD {
        return Vec::new(); // nothing to say: a root in good order gets no bytes that can be torn
    }
    let len = u32::try_from(chunk.len() - CHUNK_HEAD).unwrap_or(u32::MAX).to_le_bytes();
    let sum = checksum(len, chunk.get(CHUNK_HEAD..).unwrap_or_default()).to_le_bytes();
    if let Some(head) = chunk.first_chunk_mut::<CHUNK_HEAD>() {
        *head = std::array::from_fn(|n| len.iter().chain(&sum).nth(n).copied().unwrap_or(0));
    }
    chunk
}

fn checksum(len: [u8; 4], entries: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&len);
    hasher.update(entries);
    hasher.finalize()
}

/// Writes a table as a whole file.
pub(in crate::engine) fn encode_all(table: &Table, generation: u64) -> Vec<u8> {
    let entries = table.to_bytes();
    let (sorted, sum) = (entries.len() as u64, crc32fast::hash(&entries));
    let mut file = Head { generation, sorted, sum }.encode();
    file.extend_from_slice(&entries);
    file
}

/// What a file says, up to where it counts; `None` where that is not there, of another
/// generation, or does not hold.
pub(in crate::engine) fn load_all(mut bytes: Vec<u8>, mark: IndexMark) -> Option<Table> {
    let head = Head::read(&bytes).filter(|head| head.generation == mark.generation)?;
    let len = usize::try_from(mark.len).ok().filter(|len| *len <= bytes.len())?;
    bytes.truncate(len);
    load(bytes, head)
}

/// What a file says, however much of it counts; a chunk whose end is missing does not.
pub(in crate::engine) fn load_file(mut bytes: Vec<u8>) -> Option<Table> {
    let head = Head::read(&bytes)?;
    let mut end = usize::try_from(head.sorted_end()).ok()?;
    while let Some((_, next)) = chunk(&bytes, end) {
        end = next;
    }
    bytes.truncate(end);
    load(bytes, head)
}

fn load(bytes: Vec<u8>, head: Head) -> Option<Table> {
    let sorted_end = usize::try_from(head.sorted_end()).ok()?;
    let chunks = bytes.get(sorted_end..)?.to_vec();
    if crc32fast::hash(bytes.get(HEAD_LEN..sorted_end)?) != head.sum {
        return None;
    }
    let mut table = Table::load(bytes, HEAD_LEN..sorted_end)?;
    extend(&mut table, &chunks)?;
    Some(table)
}

/// Applies whole chunks; `None` when one of them does not hold: the table is of no use then.
pub(in crate::engine) fn extend(table: &mut Table, chunks: &[u8]) -> Option<()> {
    let mut at = 0;
    while at < chunks.len() {
        let (entries, end) = chunk(chunks, at)?;
        let head = chunks.get(at..at + CHUNK_HEAD)?;
        let (len, sum) = head.split_first_chunk::<4>()?;
        if checksum(*len, entries).to_le_bytes() != sum {
            return None;
        }
        let mut entry = 0;
        while entry < entries.len() {
            let (name, data, next) = read_entry(entries, entry)?;
            table.change(name, data);
            entry = next;
        }
        at = end;
    }
    Some(())
}

/// The entries of the chunk that starts at `at`, and where it ends; `None` where it does not
/// end in `bytes`.
fn chunk(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (len, rest) = bytes.get(at..)?.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
    let entries = rest.get(CHUNK_HEAD - 4..)?.get(..len)?;
    Some((entries, at + CHUNK_HEAD + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::add(b's', "ses_a", "prj_a"),
            Entry { data: vec![1, 2], ..Entry::add(b'e', "sub_a", "prj_a/ses_a") },
            Entry::remove(b's', "ses_a", "prj_a"),
        ]
    }

    /// A file of these changes, `sorted` of them in its sorted part, and how much of it
    /// counts: all.
    fn file(sorted: &[Entry], tail: &[Entry]) -> (Vec<u8>, IndexMark) {
        let mut table = Table::default();
        sorted.iter().for_each(|entry| table.apply(entry));
        let mut bytes = encode_all(&table, 7);
        if !tail.is_empty() {
            bytes.extend(encode(tail));
        }
        let mark = IndexMark { generation: 7, len: bytes.len() as u64 };
        (bytes, mark)
    }

    #[test]
    fn a_file_is_read_as_far_as_it_counts() {
        for sorted in 0..=2 {
            let (mut bytes, mark) = file(&entries()[..sorted], &entries()[sorted..2]);
            let counted = bytes.len();
            bytes.extend(encode(&entries()[2..]));
            let whole = bytes.len();
            bytes.extend_from_slice(&[9, 0, 0, 0, 1]);
            let of = |table: Option<Table>| table.map(|t| t.get(b's', "ses_a").len());
            assert_eq!(of(load_all(bytes.clone(), mark)), Some(1));
            let data = load_all(bytes.clone(), mark);
            let data = data.and_then(|t| t.data(b'e', "sub_a", "prj_a/ses_a").map(<[u8]>::to_vec));
            assert_eq!(data, Some(vec![1, 2]));
            assert_eq!(of(load_file(bytes.clone())), Some(0));
            assert_eq!(of(load_all(bytes.clone(), IndexMark { generation: 8, ..mark })), None);
            for len in [mark.len - 1, whole as u64 + 1] {
                assert_eq!(of(load_all(bytes.clone(), IndexMark { len, ..mark })), None);
            }
            assert_eq!(of(load_all(bytes[..counted - 1].to_vec(), mark)), None);
        }
    }

    #[test]
    fn a_sorted_part_that_is_in_no_order_is_none() {
        let names = [&b"sa\0"[..], b"sb\0", b"sc\0"];
        let of = |order: [(usize, bool); 3]| {
            let mut entries = Vec::new();
            for (n, there) in order {
                write_entry(&mut entries, names[n], there.then_some(&[]));
            }
            let (sorted, sum) = (entries.len() as u64, crc32fast::hash(&entries));
            let mut bytes = Head { generation: 7, sorted, sum }.encode();
            bytes.extend(entries);
            load_file(bytes).is_some()
        };
        assert!(of([(0, true), (1, true), (2, true)]));
        assert!(!of([(0, true), (2, true), (1, true)]));
        assert!(!of([(0, true), (0, true), (1, true)]));
        assert!(!of([(0, true), (1, false), (2, true)]));
    }

    #[test]
    fn any_bit_that_is_wrong_is_noticed() {
        let (bytes, mark) = file(&entries()[..2], &entries()[2..]);
        assert!(load_all(bytes.clone(), mark).is_some());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(load_all(flipped, mark).is_none(), "bit {bit}");
        }
    }
}
