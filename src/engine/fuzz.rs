//! The engine's readers over bytes that may be anything.

use std::collections::BTreeSet;

use super::{
    Entry, Locator, Op, RelPath,
    disk::Disk as _,
    entry::prefix,
    index,
    journal::{HEADER_LEN, Journal, frame},
    marks::{IndexMark, Marks},
    overlay::Overlay,
    simulated::SimulatedDisk,
    sorted::OpenIndex,
};

/// A journal: what is read of it is what would be written, and nothing behind it is.
pub(crate) fn journal(bytes: &[u8]) {
    let disk = SimulatedDisk::default();
    disk.write("journal", bytes).unwrap();
    let journal = Journal::new(disk.open("journal", false).unwrap());
    let base = journal.base().unwrap();
    let Some(base) = base.filter(|base| *base < u64::MAX >> 1) else { return };
    let (frames, end) = journal.scan(HEADER_LEN, base).unwrap();
    let mut written = Vec::new();
    for (n, read) in (1..).zip(&frames) {
        assert_eq!(read.seq, base + n);
        frame::encode(&mut written, read.seq, &read.ops);
    }
    let start = usize::try_from(HEADER_LEN).unwrap();
    assert_eq!(bytes.get(start..).unwrap_or_default().get(..written.len()), Some(&written[..]));
    assert_eq!(end, HEADER_LEN + written.len() as u64);
    let mut overlay = Overlay::default();
    for op in frames.iter().flat_map(|frame| &frame.ops) {
        overlay.apply(op);
        if let Op::Put { path, .. } | Op::Append { path, .. } | Op::Remove { path } = op {
            stays_inside(path);
        }
    }
    // Marks are in another file, which may be anything as well.
    disk.write("lock", bytes).unwrap();
    let lock = disk.open("lock", false).unwrap();
    let _ = Marks::read(&*lock, disk.boot()).unwrap();
}

fn stays_inside(path: &RelPath) {
    let path = path.as_str();
    assert!(!path.is_empty() && !path.starts_with('/') && !path.contains('\0'), "{path:?}");
    assert!(path.split('/').all(|name| !matches!(name, "" | "." | "..")), "{path:?}");
    assert!(!path.contains('\\'), "{path:?}");
}

/// An index: whole lines hold or are refused, and read back as they are written.
pub(crate) fn index(bytes: &[u8]) {
    let mut read = Locator::default();
    let Some(end) = index::load(bytes, &mut read) else { return };
    assert!(end == 0 || bytes[end - 1] == b'\n');
    assert!(!bytes[end..].contains(&b'\n'));
    let entries: Vec<_> = read.entries().collect();
    let written = index::encode(entries.iter());
    let mut again = Locator::default();
    assert_eq!(index::load(&written, &mut again), Some(written.len()));
    let sorted = |locator: &Locator| {
        let mut entries: Vec<_> =
            locator.entries().map(|entry| (entry.kind, entry.key, entry.value)).collect();
        entries.sort_unstable();
        entries
    };
    assert_eq!(sorted(&again), sorted(&read));
    searches(bytes);
    searches(&[&index::encode_all(&read, 7), &bytes[..end]].concat());
}

/// A whole file: a search finds of each key what reading all of it does, if it finds anything.
fn searches(bytes: &[u8]) {
    let disk = SimulatedDisk::default();
    disk.write("index", bytes).unwrap();
    let file = disk.open_to_read("index").unwrap();
    let Some(index) = OpenIndex::new(file).unwrap() else { return };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mark = IndexMark { generation: index.head.generation, len: whole as u64 };
    let read = index::load_all(bytes.to_vec(), mark);
    assert_eq!(index::load_file(bytes.to_vec()).is_some(), read.is_some());
    let Some(read) = read else { return };
    let tail = index.tail(mark.len).unwrap().unwrap();
    for Entry { kind, key, .. } in read.entries().chain([Entry::add(b's', "ses_none", "")]) {
        let Some(found) = index.search(&prefix(kind, &key)).unwrap() else {
            continue;
        };
        let mut found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        for (value, present) in tail.says(kind, &key) {
            if present {
                found.insert(value)
            } else {
                found.remove(value)
            };
        }
        assert!(found.into_iter().eq(read.get(kind, &key)), "{kind} {key:?}");
    }
}
