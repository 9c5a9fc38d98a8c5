//! What transactions decided that the tree does not show yet, for those that come after
//! them and for readers.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{Entry, Kind, Op, journal::frame::Frame};

/// The effects of transactions, one after the other.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    /// By path; a removed tree hides what is below it on disk, not what came later.
    files: BTreeMap<String, Pending>,
    /// Whether any of them is gone, so that what is below it may be.
    removes: bool,
    entries: HashMap<(Kind, String), Values>,
}

/// Values under a key, and what is kept with each; `None` for one that is gone.
type Values = BTreeMap<String, Option<Vec<u8>>>;

/// What became of a path.
#[derive(Debug, Clone)]
pub(super) enum Pending {
    /// The file holds exactly this.
    Holds(Arc<Vec<u8>>),
    /// The file holds what it held up to an offset, then this.
    Tail(u64, Arc<Vec<u8>>),
    /// The file, or the folder with all it held, is gone.
    Gone,
}

impl Overlay {
    pub(super) fn apply(&mut self, op: &Op) {
        match op {
            Op::Put { path, bytes } => {
                self.files
                    .insert(path.as_str().to_owned(), Pending::Holds(Arc::new(bytes.clone())));
            }
            Op::Append { path, offset, bytes } => {
                let anew = !self.files.contains_key(path.as_str())
                    && matches!(self.get(path.as_str()), Some(Pending::Gone));
                let begun = match anew {
                    true => Pending::Holds(Arc::default()),
                    false => Pending::Tail(*offset, Arc::default()),
                };
                self.files.entry(path.as_str().to_owned()).or_insert(begun).append(*offset, bytes);
            }
            Op::Remove { path } => {
                self.removes = true;
                let below = format!("{path}/");
                self.files.retain(|file, _| !file.starts_with(&below));
                self.files.insert(path.as_str().to_owned(), Pending::Gone);
            }
            Op::Locate(entry) => self.locate(entry),
            Op::Found { .. } => {}
        }
    }

    fn locate(&mut self, entry: &Entry) {
        let values = self.entries.entry((entry.kind, entry.key.clone())).or_default();
        values.insert(entry.value.clone(), entry.present.then(|| entry.data.clone()));
    }

    /// What became of a path, through a folder above it as well.
    pub(super) fn get(&self, path: &str) -> Option<&Pending> {
        if let Some(pending) = self.files.get(path) {
            return Some(pending);
        }
        let mut above = if self.removes { path } else { "" };
        while let Some((parent, _)) = above.rsplit_once('/') {
            if let Some(gone @ Pending::Gone) = self.files.get(parent) {
                return Some(gone);
            }
            above = parent;
        }
        None
    }

    /// Every path that something became of, a folder before what is in it.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Pending)> {
        self.files.iter().map(|(path, pending)| (path.as_str(), pending))
    }

    /// Corrects a folder's names.
    pub(super) fn list(&self, folder: &str, names: &mut Vec<String>) {
        if matches!(self.get(folder), Some(Pending::Gone)) {
            names.clear();
        }
        let below = format!("{folder}/");
        for (path, pending) in self.files.range(below.clone()..) {
            let Some(rest) = path.strip_prefix(&below) else { break };
            let (name, is_name) =
                rest.split_once('/').map_or((rest, true), |(name, _)| (name, false));
            match pending {
                Pending::Gone if is_name => names.retain(|known| known != name),
                Pending::Gone => {}
                _ if names.iter().any(|known| known == name) => {}
                _ => names.push(name.to_owned()),
            }
        }
    }

    /// Whether it corrects the values under a key.
    pub(super) fn locates(&self, kind: Kind, key: &str) -> bool {
        !self.entries.is_empty() && self.entries.contains_key(&(kind, key.to_owned()))
    }

    /// What is kept with a value under a key, where that was decided; `None` in it where the
    /// value is gone.
    pub(super) fn kept(&self, kind: Kind, key: &str, value: &str) -> Option<Option<&Vec<u8>>> {
        let values = self.entries.get(&(kind, key.to_owned()))?;
        values.get(value).map(Option::as_ref)
    }

    /// Corrects the values under a key, which are kept in order.
    pub(super) fn located(&self, kind: Kind, key: &str, values: &mut Vec<String>) {
        let Some(changed) = self.entries.get(&(kind, key.to_owned())) else { return };
        values.retain(|value| !changed.contains_key(value));
        values.extend(changed.iter().filter(|(_, data)| data.is_some()).map(|(v, _)| v.clone()));
        values.sort_unstable();
    }
}

impl Overlay {
    /// The effects of frames.
    pub(super) fn of(frames: &[Frame]) -> Self {
        let mut overlay = Self::default();
        frames.iter().flat_map(|frame| &frame.ops).for_each(|op| overlay.apply(op));
        overlay
    }
}

impl Pending {
    /// Where the file ends then.
    pub(super) fn end(&self) -> u64 {
        match self {
            Self::Holds(held) => held.len() as u64,
            Self::Tail(start, tail) => start + tail.len() as u64,
            Self::Gone => 0,
        }
    }

    /// Adds to what is held, in place unless a reader keeps it as it was: a log is added to
    /// many times.
    fn append(&mut self, offset: u64, bytes: &[u8]) {
        let (start, held) = match self {
            Self::Holds(held) => (0, held),
            Self::Tail(start, held) if offset >= *start => (*start, held),
            Self::Tail(..) => {
                *self = Self::Tail(offset, Arc::new(bytes.to_vec()));
                return;
            }
            Self::Gone => {
                *self = Self::Holds(Arc::new(bytes.to_vec()));
                return;
            }
        };
        let held = Arc::make_mut(held);
        held.truncate(usize::try_from(offset - start).unwrap_or(usize::MAX));
        held.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::RelPath;

    #[test]
    fn later_transactions_see_earlier_ones() {
        let mut overlay = Overlay::default();
        let folder = RelPath::of("a");
        let file = folder.at("f");
        overlay.apply(&Op::Put { path: file.clone(), bytes: b"1".to_vec() });
        assert!(matches!(overlay.get("a/f"), Some(Pending::Holds(held)) if ***held == *b"1"));
        let mut names = vec!["g".to_owned()];
        overlay.list("a", &mut names);
        assert_eq!(names, ["g", "f"]);
        overlay.apply(&Op::Remove { path: folder });
        assert!(matches!(overlay.get("a/f"), Some(Pending::Gone)));
        overlay.list("a", &mut names);
        assert!(names.is_empty());
        overlay.apply(&Op::Put { path: file, bytes: b"2".to_vec() });
        overlay.list("a", &mut names);
        assert_eq!(names, ["f"]);
        assert!(matches!(overlay.get("a/g"), Some(Pending::Gone)));
    }

    #[test]
    fn appends_join_and_a_lower_offset_cuts() {
        let mut overlay = Overlay::default();
        let path = RelPath::of("log");
        let mut append = |offset, bytes: &[u8]| {
            overlay.apply(&Op::Append { path: path.clone(), offset, bytes: bytes.to_vec() });
            match overlay.get("log") {
                Some(Pending::Tail(start, held)) => (*start, held.to_vec()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(append(10, b"ab"), (10, b"ab".to_vec()));
        assert_eq!(append(12, b"cd"), (10, b"abcd".to_vec()));
        assert_eq!(append(11, b"x"), (10, b"ax".to_vec()));
        assert_eq!(append(4, b"y"), (4, b"y".to_vec()));
    }

    #[test]
    fn a_log_that_was_removed_begins_anew() {
        let mut overlay = Overlay::default();
        let (folder, log) = (RelPath::of("a"), RelPath::of("a").at("log"));
        let append = |offset| Op::Append { path: log.clone(), offset, bytes: b"x".to_vec() };
        for remove in [folder, log.clone()] {
            overlay.apply(&append(7));
            overlay.apply(&Op::Remove { path: remove });
            overlay.apply(&append(0));
            overlay.apply(&append(1));
            assert!(
                matches!(overlay.get("a/log"), Some(Pending::Holds(held)) if ***held == *b"xx")
            );
        }
    }

    #[test]
    fn located_values_follow_the_batch() {
        let mut overlay = Overlay::default();
        overlay.apply(&Op::Locate(Entry::add(b's', "k", "b")));
        overlay.apply(&Op::Locate(Entry::remove(b's', "k", "c")));
        let mut values = vec!["a".to_owned(), "c".to_owned()];
        overlay.located(b's', "k", &mut values);
        assert_eq!(values, ["a", "b"]);
    }
}
