//! One transaction as bytes.
//!
//! ```text
//! length u32 | checksum u32 | sequence number u64 | operations
//! ```
//!
//! Little-endian. `length` counts the operations' bytes; the checksum (CRC-32) covers
//! length, sequence number and operations, so that neither a torn frame, nor a stale
//! one, nor one moved elsewhere passes for a good one.

use crate::engine::{Entry, Op, RelPath, transaction::Found};

/// Length of what precedes the operations.
pub const HEAD_LEN: usize = 16;

/// A transaction as it was read back.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its number; each is one more than the last.
    pub seq: u64,
    /// What it does.
    pub ops: Vec<Op>,
}

mod tag {
    pub const PUT: u8 = 1;
    pub const APPEND: u8 = 2;
    pub const REMOVE: u8 = 3;
    pub const LOCATE: u8 = 4;
    pub const UNLOCATE: u8 = 5;
    pub const FOUND: u8 = 8;
    pub const FOUND_NOTHING: u8 = 9;
    pub const LOCATE_WITH: u8 = 6;
}

/// Writes a transaction at the end of `bytes`.
pub fn encode(bytes: &mut Vec<u8>, seq: u64, ops: &[Op]) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&seq.to_le_bytes());
    for op in ops {
        match op {
            Op::Put { path, bytes: content } => {
                bytes.push(tag::PUT);
                push(bytes, path.as_str().as_bytes());
                push(bytes, content);
            }
            Op::Append { path, offset, bytes: content } => {
                bytes.push(tag::APPEND);
                push(bytes, path.as_str().as_bytes());
                bytes.extend_from_slice(&offset.to_le_bytes());
                push(bytes, content);
            }
            Op::Found { path, found } => {
                bytes.push(found.map_or(tag::FOUND_NOTHING, |_| tag::FOUND));
                push(bytes, path.as_str().as_bytes());
                if let Some(Found { len, sum }) = found {
                    bytes.extend_from_slice(&len.to_le_bytes());
                    bytes.extend_from_slice(&sum.to_le_bytes());
                }
            }
            Op::Remove { path } => {
                bytes.push(tag::REMOVE);
                push(bytes, path.as_str().as_bytes());
            }
            Op::Locate(entry) => {
                bytes.push(match (entry.present, entry.data.is_empty()) {
                    (true, true) => tag::LOCATE,
                    (true, false) => tag::LOCATE_WITH,
                    (false, _) => tag::UNLOCATE,
                });
                bytes.push(entry.kind);
                push(bytes, entry.key.as_bytes());
                push(bytes, entry.value.as_bytes());
                if entry.present && !entry.data.is_empty() {
                    push(bytes, &entry.data);
                }
            }
        }
    }
    let (_, frame) = bytes.split_at_mut(start);
    let len = u32::try_from(frame.len() - HEAD_LEN).unwrap_or(u32::MAX).to_le_bytes();
    if let Some(place) = frame.get_mut(..4) {
        place.copy_from_slice(&len);
    }
    let sum = checksum(len, frame.get(8..).unwrap_or_default()).to_le_bytes();
    if let Some(place) = frame.get_mut(4..8) {
        place.copy_from_slice(&sum);
    }
}

fn push(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(part);
}

fn checksum(len: [u8; 4], numbered: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&len);
    hasher.update(if mutant!(ChecksumWithoutSeq) {
        numbered.get(8..).unwrap_or_default()
    } else {
        numbered
    });
    hasher.finalize()
}

/// Length of the whole frame that `head` starts, if it can be one at all.
#[must_use]
pub fn length(head: &[u8]) -> Option<usize> {
    let (len, _) = head.get(..HEAD_LEN)?.split_first_chunk::<4>()?;
    let len = u32::from_le_bytes(*len) as usize;
    (len > 0).then(|| HEAD_LEN.checked_add(len)).flatten()
}

/// Whether `head` starts a frame of the number after `seq`.
#[must_use]
pub fn follows(head: &[u8], seq: u64) -> bool {
    length(head).is_some() && head.get(8..HEAD_LEN) == Some((seq + 1).to_le_bytes().as_slice())
}

/// Reads the frame that `bytes` starts with, if it is whole and good, and its length.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<(Frame, usize)> {
    let end = length(bytes)?;
    let frame = bytes.get(..end)?;
    let mut head = Reader(frame);
    let len = head.array::<4>()?;
    let sum = u32::from_le_bytes(head.array()?);
    if checksum(len, head.0) != sum {
        return None;
    }
    let seq = u64::from_le_bytes(head.array()?);
    let mut ops = Vec::new();
    while !head.0.is_empty() {
        ops.push(head.op()?);
    }
    Some((Frame { seq, ops }, end))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*array)
    }

    fn part(&mut self) -> Option<&'a [u8]> {
        let len = u32::from_le_bytes(self.array()?) as usize;
        let (part, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(part)
    }

    fn text(&mut self) -> Option<String> {
        Some(std::str::from_utf8(self.part()?).ok()?.to_owned())
    }

    fn path(&mut self) -> Option<RelPath> {
        RelPath::from_journal(std::str::from_utf8(self.part()?).ok()?)
    }

    fn op(&mut self) -> Option<Op> {
        Some(match u8::from_le_bytes(self.array()?) {
            tag::PUT => Op::Put { path: self.path()?, bytes: self.part()?.to_vec() },
            tag::APPEND => Op::Append {
                path: self.path()?,
                offset: u64::from_le_bytes(self.array()?),
                bytes: self.part()?.to_vec(),
            },
            tag::FOUND_NOTHING => Op::Found { path: self.path()?, found: None },
            tag::FOUND => Op::Found {
                path: self.path()?,
                found: Some(Found {
                    len: u64::from_le_bytes(self.array()?),
                    sum: u32::from_le_bytes(self.array()?),
                }),
            },
            tag::REMOVE => Op::Remove { path: self.path()? },
            tag @ (tag::LOCATE | tag::UNLOCATE | tag::LOCATE_WITH) => Op::Locate(Entry {
                kind: u8::from_le_bytes(self.array()?),
                key: self.text()?,
                value: self.text()?,
                data: match tag {
                    tag::LOCATE_WITH => self.part()?.to_vec(),
                    _ => Vec::new(),
                },
                present: tag != tag::UNLOCATE,
            }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Op> {
        let path = RelPath::of("projects").at("project.json");
        vec![
            Op::Put { path: path.clone(), bytes: b"{}".to_vec() },
            Op::Append { path: path.clone(), offset: 7, bytes: vec![0, 255] },
            Op::Remove { path: path.clone() },
            Op::Found { path: path.clone(), found: None },
            Op::Found { path, found: Some(Found { len: 7, sum: 9 }) },
            Op::Locate(Entry::add(b's', "key", "value")),
            Op::Locate(Entry::remove(b'e', "key", "")),
            Op::Locate(Entry { data: vec![0, 7], ..Entry::add(b'e', "key", "value") }),
        ]
    }

    #[test]
    fn a_frame_reads_back() {
        let mut bytes = b"before".to_vec();
        encode(&mut bytes, 42, &sample());
        encode(&mut bytes, 43, &[]);
        let (frame, end) = decode(&bytes[6..]).unwrap();
        assert_eq!(frame.seq, 42);
        assert_eq!(format!("{:?}", frame.ops), format!("{:?}", sample()));
        assert!(decode(&bytes[6 + end..]).is_none(), "a frame without operations is none");
    }

    #[test]
    fn a_frame_with_any_bit_wrong_or_any_byte_missing_is_none() {
        let mut bytes = Vec::new();
        encode(&mut bytes, 42, &sample());
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len]).is_none(), "cut at {len}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_none(), "bit {bit}");
        }
        assert!(decode(&[0; 64]).is_none());
    }

    #[test]
    fn a_path_that_leaves_the_root_is_none() {
        for path in ["../x", "/x", "a//b", "a/../b", "", "a/.", "a\\b", "a/\0"] {
            assert!(RelPath::from_journal(path).is_none(), "{path:?}");
        }
        assert!(RelPath::from_journal("projects/prj_a/project.json").is_some());
    }
}
