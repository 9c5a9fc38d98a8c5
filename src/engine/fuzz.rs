//! The engine's readers over bytes that may be anything.

use super::{
    Op, RelPath, Table,
    disk::Disk as _,
    index::file::{self, Head},
    journal::{HEADER_LEN, Journal, frame},
    marks::{IndexMark, Marks},
    overlay::Overlay,
    simulated::SimulatedDisk,
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
    disk.write("progress", bytes).unwrap();
    let progress = disk.open("progress", false).unwrap();
    let _ = Marks::read(&*progress, disk.boot()).unwrap();
}

fn stays_inside(path: &RelPath) {
    let path = path.as_str();
    assert!(!path.is_empty() && !path.starts_with('/') && !path.contains('\0'), "{path:?}");
    assert!(path.split('/').all(|name| !matches!(name, "" | "." | "..")), "{path:?}");
    assert!(!path.contains('\\'), "{path:?}");
}

/// An index: a file and what was added to one hold or are refused, and read back as they are
/// written.
pub(crate) fn index(bytes: &[u8]) {
    let mut added = Table::default();
    if file::extend(&mut added, bytes).is_some() {
        reads_back(&added);
    }
    let read = file::load_file(bytes.to_vec());
    read.iter().for_each(reads_back);
    let Some(head) = Head::read(bytes) else { return };
    let mark = IndexMark { generation: head.generation, len: bytes.len() as u64 };
    if let Some(whole) = file::load_all(bytes.to_vec(), mark) {
        assert!(read.is_some_and(|read| read.entries().eq(whole.entries())));
    }
}

fn reads_back(table: &Table) {
    let whole = file::load_file(file::encode_all(table, 7)).unwrap();
    assert!(whole.entries().eq(table.entries()));
    let entries: Vec<_> = table.entries().collect();
    let mut again = Table::default();
    assert!(file::extend(&mut again, &file::encode(&entries)).is_some());
    assert!(again.entries().eq(entries));
}
