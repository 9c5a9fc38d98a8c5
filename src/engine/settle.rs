//! Brings the tree to where a row of transactions leads, whatever part of them it shows
//! already, without passing through what lay between; and never over what another program
//! wrote since.
//!
//! A file that is as the first of them found it, as they leave it, or in between is brought to
//! where they lead; so is one that is empty or has NULs there, as a power cut leaves it.
//! Anything else another program wrote, after ours: of a log its lines stay and ours follow
//! them; a record stays, and ours goes to `.store/salvage/`. What is gone although the first of
//! them found it stays gone, with all that lay below it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    Op, RelPath,
    disk::{Disk, During as _, FileError, optional, remove_tree},
    journal::frame::Frame,
    overlay::{Overlay, Pending},
    path::SALVAGE,
    transaction::Found,
    write::{SETTLING, append, beside, put},
};

/// What of a tree is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settle {
    /// What is not there yet.
    WhatDiffers,
    /// Everything of ours: what is there may only seem to be.
    Anew,
}

/// What frames say of the files that they write.
#[derive(Default)]
struct History<'f> {
    /// What each that writes to a file found there; not there for frames that do not say.
    found: HashMap<&'f str, Vec<Option<Found>>>,
    /// What records held in between.
    held: HashMap<&'f str, Vec<&'f [u8]>>,
    /// What was added to logs, and where.
    added: HashMap<&'f str, Vec<(u64, &'f [u8])>>,
    removed: HashSet<&'f str>,
}

impl<'f> History<'f> {
    fn of(frames: &'f [Frame]) -> Self {
        let mut history = Self::default();
        for op in frames.iter().flat_map(|frame| &frame.ops) {
            match op {
                Op::Found { path, found } => {
                    history.found.entry(path.as_str()).or_default().push(*found);
                }
                Op::Put { path, bytes } => {
                    history.held.entry(path.as_str()).or_default().push(bytes);
                }
                Op::Remove { path } => {
                    history.removed.insert(path.as_str());
                }
                Op::Append { path, offset, bytes } => {
                    history.added.entry(path.as_str()).or_default().push((*offset, bytes));
                }
                Op::Locate(_) => {}
            }
        }
        history
    }

    /// Whether one of them removed a file, or a folder above it.
    fn removes(&self, path: &RelPath) -> bool {
        self.removed.contains(path.as_str())
            || path.folders().any(|folder| self.removed.contains(folder))
    }

    /// What the first that writes to a file found there.
    fn first_found(&self, path: &str) -> Option<Option<Found>> {
        self.found.get(path).and_then(|found| found.first().copied())
    }

    /// Whether a record is as one of them found it or left it, or as a power cut leaves one.
    /// A removal does not say what it found: what is there may be that.
    fn knows(&self, path: &RelPath, there: &[u8], bytes: &[u8]) -> bool {
        let name = path.as_str();
        let Some(found) = self.found.get(name) else { return true };
        let is = |known: &Found| *known == Found::record(there) || *known == Found::log(there);
        there.is_empty()
            || there.contains(&0)
            || bytes.starts_with(there)
            || found.iter().flatten().any(is)
            || self.held.get(name).is_some_and(|held| held.iter().any(|h| h.starts_with(there)))
            || self.is_within_added(name, there)
            || self.removes(path)
    }

    /// Whether a log ends within what one of them added to it.
    fn is_within_added(&self, name: &str, there: &[u8]) -> bool {
        let ends_within = |(offset, bytes): &(u64, &[u8])| {
            let tail = usize::try_from(*offset).ok().and_then(|offset| there.get(offset..));
            tail.is_some_and(|tail| !tail.is_empty() && bytes.starts_with(tail))
        };
        self.added.get(name).is_some_and(|added| added.iter().any(ends_within))
    }
}

/// Brings the tree to where frames lead.
pub(super) fn settle(disk: &dyn Disk, frames: &[Frame], how: Settle) -> Result<(), FileError> {
    let (overlay, history) = (Overlay::of(frames), History::of(frames));
    let gone = gone(disk, &overlay, &history)?;
    for (path, pending) in overlay.files() {
        if matches!(pending, Pending::Gone) {
            remove_tree(disk, path).during("remove", path)?;
        }
    }
    for (path, pending) in overlay.files() {
        let Some(rel) = RelPath::from_journal(path) else { continue };
        // Of an earlier attempt that was interrupted.
        remove_tree(disk, &beside(path, SETTLING)).during("remove", path)?;
        if gone.contains(path) || rel.folders().any(|folder| gone.contains(folder)) {
            continue;
        }
        match pending {
            Pending::Gone => {}
            Pending::Holds(bytes) => settle_record(disk, &rel, bytes, &history, how)?,
            Pending::Tail(_, bytes) if mutant!(RecoveryNotIdempotent) => {
                let end = disk.stat(path).map_or(0, |stat| stat.len);
                append(disk, &rel, end, bytes)?;
            }
            Pending::Tail(start, bytes) => settle_log(disk, &rel, *start, bytes, &history, how)?,
        }
    }
    Ok(())
}

/// What another program removed: files that the frames found and did not remove themselves,
/// with the folders that went with them.
fn gone(
    disk: &dyn Disk,
    overlay: &Overlay,
    history: &History<'_>,
) -> Result<BTreeSet<String>, FileError> {
    let mut gone = BTreeSet::new();
    let is_there =
        |path: &str| Ok::<_, FileError>(optional(disk.stat(path)).during("stat", path)?.is_some());
    for (path, pending) in overlay.files() {
        let Some(rel) = RelPath::from_journal(path) else { continue };
        let was_there = matches!(history.first_found(path), Some(Some(_)));
        if matches!(pending, Pending::Gone)
            || !was_there
            || history.removes(&rel)
            || mutant!(RecoveryWins)
            || is_there(path)?
        {
            continue;
        }
        let mut outermost = path;
        for folder in rel.folders().filter(|folder| !folder.is_empty()) {
            if is_there(folder)? {
                break;
            }
            outermost = folder;
        }
        gone.insert(outermost.to_owned());
    }
    Ok(gone)
}

fn settle_record(
    disk: &dyn Disk,
    path: &RelPath,
    bytes: &[u8],
    history: &History<'_>,
    how: Settle,
) -> Result<(), FileError> {
    let name = path.as_str();
    let there = optional(disk.read(name)).during("read", name)?;
    match there {
        Some(there) if there == bytes && how == Settle::WhatDiffers => Ok(()),
        Some(there) if !history.knows(path, &there, bytes) && !mutant!(RecoveryWins) => {
            salvage(disk, path, bytes)
        }
        _ => put(disk, path, SETTLING, bytes),
    }
}

/// Keeps what the tree cannot show for a person to look at: the same once, however often. It is
/// named `<folder>.<name>.<checksum>`.
pub(super) fn salvage(disk: &dyn Disk, path: &RelPath, bytes: &[u8]) -> Result<(), FileError> {
    let mut names = path.as_str().rsplit('/');
    let (name, folder) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let sum = crc32fast::hash(bytes);
    let kept = format!("{SALVAGE}/{folder}.{name}.{sum:08x}");
    let Some(kept) = RelPath::from_journal(&kept) else { return Ok(()) };
    let there = optional(disk.read(kept.as_str())).during("read", kept.as_str())?;
    if there.as_deref() == Some(bytes) {
        return Ok(());
    }
    put(disk, &kept, SETTLING, bytes)?;
    let synced = disk.sync(
        &BTreeSet::from([kept.as_str().to_owned()]),
        &BTreeSet::from([SALVAGE.to_owned(), super::path::STORE.to_owned()]),
    );
    synced.during("sync", SALVAGE)
}

fn settle_log(
    disk: &dyn Disk,
    path: &RelPath,
    start: u64,
    bytes: &[u8],
    history: &History<'_>,
    how: Settle,
) -> Result<(), FileError> {
    let name = path.as_str();
    let len = optional(disk.stat(name)).during("stat", name)?.map_or(0, |stat| stat.len);
    let behind = usize::try_from(len.saturating_sub(start)).unwrap_or(usize::MAX);
    let read = optional(disk.read_at(name, start, behind)).during("read", name)?;
    let there = read.unwrap_or_default();
    if there == bytes && how == Settle::WhatDiffers {
        return Ok(()); // so that no reader finds it cut for a moment
    }
    let Some(found) = history.first_found(name) else { return append(disk, path, start, bytes) };
    let ours = there.iter().zip(bytes).all(|(there, ours)| there == ours || *there == 0);
    let torn_end = found.is_some_and(|found| found.len == len && found == Found::at(len, &there));
    if mutant!(RecoveryWins) || len >= start && there.len() <= bytes.len() && ours {
        return append(disk, path, start, bytes);
    }
    if len >= start && torn_end && !there.contains(&b'\n') {
        return append(disk, path, start, bytes); // the unfinished line that the frames take off
    }
    if len >= start && ours && there.len() > bytes.len() {
        // Others went on behind ours: nothing is cut off.
        return write_within(disk, path, start, bytes);
    }
    follow(disk, path, bytes)
}

/// Adds to a log what a transaction that found it as `found` decided: behind what another
/// program added meanwhile, of which nothing is cut off.
pub(super) fn append_behind(
    disk: &dyn Disk,
    path: &RelPath,
    offset: u64,
    bytes: &[u8],
    found: Option<Found>,
) -> Result<(), FileError> {
    let name = path.as_str();
    let len = optional(disk.stat(name)).during("stat", name)?.map_or(0, |stat| stat.len);
    if len <= offset.max(found.map_or(0, |found| found.len)) {
        return append(disk, path, offset, bytes);
    }
    follow(disk, path, bytes)
}

/// Adds the lines of ours that are not among those of another program behind them.
fn follow(disk: &dyn Disk, path: &RelPath, bytes: &[u8]) -> Result<(), FileError> {
    let name = path.as_str();
    let there = disk.read(name).during("read", name)?;
    let lines = |bytes| <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n');
    let known: HashSet<&[u8]> = lines(&there).collect();
    let missing = lines(bytes).filter(|line| !known.contains(line));
    let mut added: Vec<u8> = missing.flatten().copied().collect();
    if added.is_empty() {
        return Ok(());
    }
    let last = lines(&there).next_back().filter(|last| !last.ends_with(b"\n"));
    let last = last.unwrap_or_default();
    let (whole, begun) = (there.len() as u64, there.len() as u64 - last.len() as u64);
    if last.is_empty() || added.starts_with(last) {
        return write_within(disk, path, begun, &added); // begun by a recovery, perhaps
    }
    if serde_json::from_slice::<serde::de::IgnoredAny>(last).is_ok() {
        added.insert(0, b'\n'); // a whole record, which its writer did not end
        return write_within(disk, path, whole, &added);
    }
    salvage(disk, path, last)?;
    append(disk, path, begun, &added)
}

/// Writes to a file without cutting anything off.
fn write_within(
    disk: &dyn Disk,
    path: &RelPath,
    offset: u64,
    bytes: &[u8],
) -> Result<(), FileError> {
    let name = path.as_str();
    disk.open(name, false).and_then(|file| file.write_at(offset, bytes)).during("append", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::simulated::SimulatedDisk;

    const OLD: &[u8] = b"{old}";
    const NEW: &[u8] = b"{new}";

    fn path() -> RelPath {
        RelPath::of("ses").at("record")
    }

    fn log() -> RelPath {
        RelPath::of("ses").at("log")
    }

    /// A record and a log that two transactions changed.
    fn frames() -> Vec<Frame> {
        let found = |path, found| Op::Found { path, found: Some(found) };
        let put = |bytes: &[u8]| Op::Put { path: path(), bytes: bytes.to_vec() };
        let add = |offset, bytes: &[u8]| Op::Append { path: log(), offset, bytes: bytes.to_vec() };
        let below = RelPath::of("ses").at("edges").at("edge");
        let first = vec![
            found(path(), Found::record(OLD)),
            put(b"{between}"),
            found(log(), Found::log(b"1\n")),
            add(2, b"2\n"),
            Op::Found { path: below.clone(), found: None },
            Op::Put { path: below, bytes: b"{edge}".to_vec() },
        ];
        let second = vec![
            found(path(), Found::record(b"{between}")),
            put(NEW),
            found(log(), Found::at(4, b"2\n")),
            add(4, b"3\n"),
        ];
        vec![Frame { seq: 1, ops: first }, Frame { seq: 2, ops: second }]
    }

    fn with(record: Option<&[u8]>, lines: Option<&[u8]>) -> SimulatedDisk {
        let disk = SimulatedDisk::default();
        disk.create_dir("ses").unwrap();
        for (path, bytes) in [(path(), record), (log(), lines)] {
            if let Some(bytes) = bytes {
                disk.write(path.as_str(), bytes).unwrap();
            }
        }
        disk
    }

    fn settled(disk: &SimulatedDisk) -> (Option<Vec<u8>>, Option<Vec<u8>>, Vec<String>) {
        disk.create_dir(super::super::path::STORE).unwrap();
        let mut seen = None;
        // Doing it again changes nothing.
        for how in [Settle::WhatDiffers, Settle::WhatDiffers, Settle::Anew] {
            settle(disk, &frames(), how).unwrap();
            let read = |path: RelPath| disk.read(path.as_str()).ok();
            let now = (read(path()), read(log()), disk.list(SALVAGE).unwrap_or_default());
            assert!(seen.is_none_or(|seen| seen == now), "{now:?}");
            seen = Some(now);
        }
        seen.unwrap()
    }

    #[test]
    fn what_frames_know_is_brought_to_where_they_lead() {
        let records = [OLD, NEW, b"{between}", b"", b"{ne", b"\0\0\0\0\0"];
        let logs: [&[u8]; 6] =
            [b"1\n", b"1\n2\n", b"1\n2\n3\n", b"1\n2", b"1\n\0\0", b"1\n2\n\0\0"];
        for (record, lines) in records.into_iter().zip(logs) {
            let (record, lines, salvaged) = settled(&with(Some(record), Some(lines)));
            assert_eq!((record.as_deref(), lines.as_deref()), (Some(NEW), Some(&b"1\n2\n3\n"[..])));
            assert!(salvaged.is_empty());
        }
    }

    #[test]
    fn recovery_never_wins_over_what_another_program_wrote() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"1\nx\n", b"1\nx\n2\n3\n"),
            (b"1\n2\nx\n", b"1\n2\nx\n3\n"),
            (b"1\n2\n3\nx\n", b"1\n2\n3\nx\n"),
            (b"", b"2\n3\n"),
            (b"1\n7", b"1\n7\n2\n3\n"),
        ];
        for (lines, expected) in cases {
            let (record, lines, salvaged) = settled(&with(Some(b"{other}"), Some(lines)));
            assert_eq!(record.as_deref(), Some(&b"{other}"[..]), "its record stays");
            assert_eq!(salvaged.len(), 1, "ours is kept");
            assert!(salvaged[0].starts_with("ses.record."), "by whose it is: {salvaged:?}");
            let lines = String::from_utf8(lines.unwrap()).unwrap();
            assert_eq!(lines.as_bytes(), expected, "{lines:?}");
        }
    }

    #[test]
    fn what_another_program_removed_stays_removed() {
        let (record, lines, _) = settled(&with(None, Some(b"1\n")));
        assert_eq!((record, lines.as_deref()), (None, Some(&b"1\n2\n3\n"[..])));
        let disk = SimulatedDisk::default();
        assert_eq!(settled(&disk), (None, None, Vec::new()));
        assert!(disk.stat("ses").is_err(), "with all that lay below it");
    }

    #[test]
    fn a_log_that_was_added_to_and_then_replaced_is_ours() {
        let mut lost = Vec::new();
        for tree in [&b"1\n"[..], b"1\n2\n", b"1\n2", b"new\n", b"new\n3\n"] {
            let frames = vec![
                Frame {
                    seq: 1,
                    ops: vec![
                        Op::Found { path: log(), found: Some(Found::log(b"1\n")) },
                        Op::Append { path: log(), offset: 2, bytes: b"2\n".to_vec() },
                    ],
                },
                Frame {
                    seq: 2,
                    ops: vec![
                        Op::Found { path: log(), found: Some(Found::log(b"1\n2\n")) },
                        Op::Put { path: log(), bytes: b"new\n".to_vec() },
                    ],
                },
                Frame {
                    seq: 3,
                    ops: vec![
                        Op::Found { path: log(), found: Some(Found::log(b"new\n")) },
                        Op::Append { path: log(), offset: 4, bytes: b"3\n".to_vec() },
                    ],
                },
            ];
            let disk = with(None, Some(tree));
            disk.create_dir(super::super::path::STORE).unwrap();
            settle(&disk, &frames, Settle::WhatDiffers).unwrap();
            let now = disk.read(log().as_str()).unwrap();
            if now != b"new\n3\n" {
                lost.push((
                    String::from_utf8_lossy(tree).into_owned(),
                    String::from_utf8_lossy(&now).into_owned(),
                    disk.list(SALVAGE).unwrap_or_default(),
                ));
            }
        }
        assert!(lost.is_empty(), "ours taken for another program's: {lost:?}");
    }

    #[test]
    fn a_log_that_was_removed_and_made_again_is_ours() {
        let mut lost = Vec::new();
        for tree in [Some(&b"1\n"[..]), Some(b"1\n2\n"), None, Some(b"1\n2\n3\n")] {
            let frames = vec![
                Frame {
                    seq: 1,
                    ops: vec![
                        Op::Found { path: log(), found: Some(Found::log(b"1\n")) },
                        Op::Append { path: log(), offset: 2, bytes: b"x\n".to_vec() },
                    ],
                },
                Frame { seq: 2, ops: vec![Op::Remove { path: log() }] },
                Frame {
                    seq: 3,
                    ops: vec![
                        Op::Found { path: log(), found: None },
                        Op::Append { path: log(), offset: 0, bytes: b"new\n".to_vec() },
                    ],
                },
            ];
            let tree = tree.map(|t| if t == b"1\n2\n" { &b"1\nx\n"[..] } else { t });
            if tree == Some(b"1\n2\n3\n") {
                continue;
            }
            let disk = with(None, tree);
            disk.create_dir(super::super::path::STORE).unwrap();
            settle(&disk, &frames, Settle::WhatDiffers).unwrap();
            let now = disk.read(log().as_str()).unwrap();
            if now != b"new\n" {
                lost.push((
                    tree.map(|t| String::from_utf8_lossy(t).into_owned()),
                    String::from_utf8_lossy(&now).into_owned(),
                ));
            }
        }
        assert!(lost.is_empty(), "{lost:?}");
    }
}
