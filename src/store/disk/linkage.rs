//! What the index says of sessions and edges, and what it keeps with that: notes of how a file
//! or folder was when it was looked at last.

use crate::{
    engine::{Entry, Stat},
    id::{ProjectId, SessionId},
    layout::{CHILD, EDGE, Home, MEMBER, MOVED, SESSION},
    model::{Record as _, SubSession},
};

/// What told a file or folder from any other state of it: its number, length and the time of
/// its last change, as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Note(u64);

/// A file system that tells whole seconds tells even ones at the least.
const COARSE: u64 = 2_000_000_000;
const FINE: u64 = 20_000_000;

impl Note {
    pub(crate) const LEN: usize = 8;
    /// It was not looked at, or could have changed without a trace.
    pub(crate) const NONE: Self = Self(0);
    /// It was not there.
    pub(crate) const ABSENT: Self = Self(1);

    /// The note, of an index that was first filled by `walk`, of what was seen when the file
    /// system's clock said `clock`, or later.
    pub(crate) fn of(stat: Option<&Stat>, clock: u64, walk: u64) -> Self {
        let Some(stat) = stat else { return Self::ABSENT };
        let tick = if stat.touched.is_multiple_of(1_000_000_000) { COARSE } else { FINE };
        if stat.touched == 0 || stat.touched.saturating_add(tick) > clock {
            return Self::NONE;
        }
        let kind = u64::from(stat.is_dir) << 1 | u64::from(stat.is_file);
        let mixed = [kind, stat.id.1, stat.len, stat.touched].into_iter().fold(walk, mix);
        Self(mixed.max(Self::ABSENT.0 + 1))
    }

    /// Whether this is what `data` starts with: it is as it was, and was noted.
    pub(crate) fn is_noted_in(self, data: &[u8]) -> bool {
        self != Self::NONE && data.first_chunk() == Some(&self.0.to_le_bytes())
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }
}

/// Folds a number into others so that each bit of any changes about half of the result.
fn mix(all: u64, number: u64) -> u64 {
    let mut mixed = (all ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Says which project a session is in.
pub(crate) fn located_session(home: &Home) -> Entry {
    Entry::add(SESSION, home.session.as_str(), home.project.as_str())
}

/// Says which project a session is in by its record, where that is not the one of its folder.
pub(crate) fn membership(said: &ProjectId, home: &Home) -> Option<Entry> {
    (*said != home.project).then(|| Entry::add(MEMBER, said.as_str(), &home.text()))
}

/// What is kept with a session: how its record was, and the folder of its edges.
pub(crate) fn session_data(record: Note, edges: Note) -> Vec<u8> {
    [record.to_bytes(), edges.to_bytes()].concat()
}

/// Whether data of a session says that there was no record.
pub(crate) fn is_without_record(data: &[u8]) -> bool {
    Note::ABSENT.is_noted_in(data)
}

/// Which sessions an edge connects, apart from the one that it hangs under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linkage {
    child: String,
    /// Its parent, where that is another than the one it hangs under.
    moved_to: Option<String>,
}

impl Linkage {
    pub(crate) fn of(edge: &SubSession, home: &Home) -> Self {
        let moved_to = Some(&edge.parent_session_id).filter(|parent| **parent != home.session);
        let text = |id: &SessionId| id.as_str().to_owned();
        Self { child: text(&edge.child_session_id), moved_to: moved_to.map(text) }
    }

    /// Reads what is kept with an edge; `None` for one whose record did not read.
    pub(crate) fn read(data: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(data.get(Note::LEN..)?).ok()?;
        let mut ids = text.split(' ').filter(|id| !id.is_empty()).map(str::to_owned);
        Some(Self { child: ids.next()?, moved_to: ids.next() })
    }

    /// What finds the edge by the sessions that it connects.
    pub(crate) fn entries(&self, edge: &str, home: &str) -> impl Iterator<Item = Entry> {
        let place = format!("{edge} {home}");
        let moved = self.moved_to.iter().map(|parent| Entry::add(MOVED, parent, &place));
        let moved: Vec<Entry> = moved.collect();
        std::iter::once(Entry::add(CHILD, &self.child, &place)).chain(moved)
    }
}

/// The edge that a value of [`CHILD`] or [`MOVED`] tells.
pub(crate) fn edge_in(place: &str) -> &str {
    place.split_once(' ').map_or(place, |(edge, _)| edge)
}

/// What has the index say of an edge under `home` that it connects what `is` says, where it
/// says what `was` says. All of that, as the index may be made anew meanwhile.
pub(crate) fn relinked(
    edge: &str,
    home: &str,
    was: Option<&Linkage>,
    is: Option<&Linkage>,
) -> Vec<Entry> {
    let of = |linkage: Option<&Linkage>| -> Vec<Entry> {
        linkage.map(|linkage| linkage.entries(edge, home).collect()).unwrap_or_default()
    };
    let (was, is) = (of(was), of(is));
    let gone = was.iter().filter(|entry| !is.contains(entry)).cloned();
    gone.map(|entry| Entry { present: false, ..entry }).chain(is.iter().cloned()).collect()
}

/// What is kept with an edge: how its record was, and which sessions it connects.
pub(crate) fn edge_data(record: Note, linkage: Option<&Linkage>) -> Vec<u8> {
    let mut data = record.to_bytes();
    if let Some(Linkage { child, moved_to }) = linkage {
        data.extend_from_slice(child.as_bytes());
        if let Some(parent) = moved_to {
            data.push(b' ');
            data.extend_from_slice(parent.as_bytes());
        }
    }
    data
}

/// What has the index say where an edge is and what it connects, where it keeps `kept` of it;
/// nothing where it says so already.
pub(crate) fn located_edge(edge: &SubSession, home: &Home, kept: Option<&[u8]>) -> Vec<Entry> {
    let (id, home_text) = (edge.id.as_str(), home.text());
    let (was, is) = (kept.and_then(Linkage::read), Linkage::of(edge, home));
    if was.as_ref() == Some(&is) {
        return Vec::new();
    }
    let data = edge_data(Note::NONE, Some(&is));
    let at = Entry { data, ..Entry::add(EDGE, id, &home_text) };
    let relinked = relinked(id, &home_text, was.as_ref(), Some(&is));
    std::iter::once(at).chain(relinked).collect()
}

/// What has the index say no more of an edge of which it keeps `kept`.
pub(crate) fn forgotten_edge(edge: &str, home: &str, kept: &[u8]) -> Vec<Entry> {
    let was = Linkage::read(kept);
    let relinked = relinked(edge, home, was.as_ref(), None);
    std::iter::once(Entry::remove(EDGE, edge, home)).chain(relinked).collect()
}

pub(crate) fn decode(bytes: &[u8]) -> Option<SubSession> {
    SubSession::from_record(std::str::from_utf8(bytes).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FileId;

    const SECOND: u64 = 1_000_000_000;

    fn stat() -> Stat {
        let touched = 1_000 * SECOND + 5;
        Stat {
            len: 7,
            is_dir: false,
            is_file: true,
            is_link: false,
            id: FileId(1, 2),
            names: 1,
            changed: 3,
            touched,
        }
    }

    #[test]
    fn a_note_tells_a_file_by_number_length_and_time_alone() {
        let clock = 2_000 * SECOND;
        let of = |stat: Stat| Note::of(Some(&stat), clock, 1);
        let noted = of(stat());
        assert_eq!(of(Stat { changed: 9, ..stat() }), noted, "any program can set it");
        assert_eq!(of(Stat { id: FileId(9, 2), ..stat() }), noted, "of no other disk");
        for other in [
            Stat { len: 8, ..stat() },
            Stat { id: FileId(1, 3), ..stat() },
            Stat { touched: stat().touched + 1, ..stat() },
            Stat { is_file: false, ..stat() },
            Stat { is_file: false, is_dir: true, ..stat() },
        ] {
            assert_ne!(of(other), noted);
        }
        assert_ne!(Note::of(Some(&stat()), clock, 2), noted, "of another index");
        assert!(noted.is_noted_in(&[&noted.to_bytes()[..], b"more"].concat()));
        assert!(!noted.is_noted_in(&noted.to_bytes()[1..]));
        assert!(Note::of(None, clock, 1).is_noted_in(&Note::ABSENT.to_bytes()));
    }

    #[test]
    fn what_may_change_in_the_same_tick_is_not_noted() {
        let at = |touched, after| {
            let stat = Stat { touched, ..stat() };
            Note::of(Some(&stat), touched + after, 1) != Note::NONE
        };
        let (fine, whole) = (1_000 * SECOND + 5, 1_000 * SECOND);
        assert_eq!([at(fine, 0), at(fine, FINE - 1), at(fine, FINE)], [false, false, true]);
        assert_eq!(
            [at(whole, FINE), at(whole, COARSE - 1), at(whole, COARSE)],
            [false, false, true]
        );
        assert!(!at(0, COARSE), "a time that is not known");
        let later = Stat { touched: fine + SECOND, ..stat() };
        assert_eq!(Note::of(Some(&later), fine, 1), Note::NONE, "a clock that was set back");
        assert!(!Note::NONE.is_noted_in(&Note::NONE.to_bytes()));
    }

    #[test]
    fn what_is_kept_with_an_edge_reads_back() {
        let moved_to = Some("ses_p".to_owned());
        for linkage in [
            Linkage { child: "ses_c".to_owned(), moved_to },
            Linkage { child: "ses_c".to_owned(), moved_to: None },
        ] {
            let data = edge_data(Note::ABSENT, Some(&linkage));
            assert_eq!(Linkage::read(&data).as_ref(), Some(&linkage));
            assert!(Note::ABSENT.is_noted_in(&data));
        }
        assert_eq!(Linkage::read(&edge_data(Note::ABSENT, None)), None);
        assert_eq!(Linkage::read(&[]), None);
    }
}
