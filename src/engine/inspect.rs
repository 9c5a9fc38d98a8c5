//! A look at a root and at the engine's own files that changes nothing, for
//! checks of a root: neither does it finish what others left, nor does it make a file.

use super::{
    Engine, FileError, Op, RelPath, Table, View,
    disk::{During as _, optional},
    files::open_log,
    index::file::{self, Head},
    journal::{HEADER_LEN, Journal, frame::Frame},
    laid::Laid,
    marks::{IndexMark, Marks},
    overlay::{Overlay, Pending},
    path::{FRAMES, INDEX, OLD_JOURNAL, STORE, TRASH},
};

/// A long look is begun anew this often when transactions are carried out meanwhile;
/// after that they have to wait for it.
const ATTEMPTS: usize = 2;

/// What the engine's own folder holds.
#[derive(Debug)]
pub struct Inspection {
    /// What a root at rest does not have.
    pub remnants: Vec<Remnant>,
    /// The locator's file.
    pub index: IndexState,
}

/// Something in the engine's own folder that a root at rest does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remnant {
    /// What it is.
    pub kind: RemnantKind,
    /// The file or folder, relative to the root.
    pub path: String,
    /// The same for a person.
    pub detail: String,
}

/// Kinds of [`Remnant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemnantKind {
    /// Transactions that the journal has and the tree does not show.
    Unapplied,
    /// A part of the journal that cannot be read.
    Unreadable,
    /// A removed file or tree that waits to be unlinked.
    Trash,
    /// A file that was being written when its writer stopped.
    Temporary,
}

/// What became of the locator's file.
#[derive(Debug)]
pub enum IndexState {
    /// There is none, and none is missed.
    Absent,
    /// It is missing or does not hold; why.
    Broken(&'static str),
    /// What it says, with what transactions say that it does not know yet.
    Holds(Table),
}

/// What the journal has beyond what the tree is known to show.
#[derive(Debug, Default)]
struct Unsettled {
    frames: Vec<Frame>,
    remnants: Vec<Remnant>,
    /// The index that belongs to what the journal says.
    index: Option<IndexMark>,
}

impl RelPath {
    /// Something that was found in this folder; `None` for a name that could leave it.
    pub(crate) fn listed(&self, name: &str) -> Option<Self> {
        let folder = self.as_str();
        Self::from_journal(&if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        })
    }
}

impl Engine {
    /// Runs `look` over the state of one instant: that which the next transaction would
    /// find, with what the journal has and the tree does not show yet. `look` may run
    /// more than once.
    ///
    /// # Errors
    /// What `look` answers, or [`FileError`] when the engine's own files cannot be read.
    pub fn inspect<T, E>(
        &self,
        look: impl Fn(&View<'_>, Inspection) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<FileError>,
    {
        for _ in 0..ATTEMPTS {
            let before = self.read_marks(false)?;
            if before.is_none_or(Marks::settled) {
                let answer = self.inspected(before, &look);
                if self.read_marks(false)? == before {
                    return answer;
                }
            }
        }
        let _turn = self.turn();
        // Without locks, no writer can be kept out.
        let _locked = self.files(true)?.and_then(|files| files.acquire(&*self.named).ok());
        self.inspected(self.read_marks(true)?, &look)
    }

    fn inspected<T, E>(
        &self,
        marks: Option<Marks>,
        look: impl Fn(&View<'_>, Inspection) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<FileError>,
    {
        let Unsettled { frames, mut remnants, index } = self.unsettled(marks)?;
        remnants.extend(self.litter()?);
        let index = self.index_state(index, &frames)?;
        let laid = Laid::of(Overlay::of(&frames));
        look(&View::new(self, Some(&laid)), Inspection { remnants, index })
    }

    fn unsettled(&self, marks: Option<Marks>) -> Result<Unsettled, FileError> {
        let Some((path, file)) = open_log(&*self.disk())? else { return Ok(Unsettled::default()) };
        let journal = Journal::new(file);
        let header = journal.header()?;
        let Some(base) = journal.base()? else { return Ok(Unsettled::default()) };
        let index = marks.map(|marks| marks.index).or(header.map(|header| header.index));
        let index = Some(index.unwrap_or(IndexMark::NONE));
        let mut remnants = Vec::new();
        if header.is_none() {
            remnants.push(Remnant::of_log(
                path,
                RemnantKind::Unreadable,
                "its header does not hold: the next open believes the transactions behind it"
                    .to_owned(),
            ));
        }
        let (mut frames, end) = journal.scan(HEADER_LEN, base)?;
        let last = frames.last().map_or(base, |frame| frame.seq);
        if journal.goes_on(end, last)? {
            let next = last + 1;
            let detail = format!("transaction {next} starts at byte {end} and does not hold");
            remnants.push(Remnant::of_log(path, RemnantKind::Unreadable, detail));
        }
        match marks.filter(|_| header.is_some()) {
            Some(marks) => frames.retain(|frame| frame.seq > marks.applied),
            None if self.shows(&Overlay::of(&frames))? => {
                return Ok(Unsettled { frames, remnants, index });
            }
            None => {}
        }
        if let (Some(first), Some(last)) = (frames.first(), frames.last()) {
            let detail = match (first.seq, last.seq) {
                (first, last) if first == last => {
                    format!("transaction {first} is committed, and the next open applies it")
                }
                (first, last) => format!(
                    "transactions {first} to {last} are committed, and the next open applies them"
                ),
            };
            remnants.push(Remnant::of_log(path, RemnantKind::Unapplied, detail));
        }
        Ok(Unsettled { frames, remnants, index })
    }

    /// Whether the tree is what a sequence of transactions leads to.
    fn shows(&self, overlay: &Overlay) -> Result<bool, FileError> {
        let view = self.view();
        for (text, pending) in overlay.files() {
            let Some(path) = RelPath::from_journal(text) else { return Ok(false) };
            let shown = match pending {
                Pending::Holds(bytes) => view.read(&path)?.as_ref() == Some(bytes),
                Pending::Tail(start, tail) => {
                    view.len(&path)? == start + tail.len() as u64
                        && view.read_at(&path, *start, tail.len())? == **tail
                }
                Pending::Gone => {
                    let below = format!("{text}/");
                    let made_anew = overlay.files().any(|(path, _)| path.starts_with(&below));
                    made_anew || !view.exists(&path)?
                }
            };
            if !shown {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn index_state(
        &self,
        mark: Option<IndexMark>,
        frames: &[Frame],
    ) -> Result<IndexState, FileError> {
        let Some(mark) = mark else { return Ok(IndexState::Absent) };
        if optional(self.disk().stat(INDEX)).during("stat", INDEX)?.is_none() {
            return Ok(IndexState::Broken("it is missing"));
        }
        let bytes = self.disk().read(INDEX).during("read", INDEX)?;
        // What was written behind that counts for nothing, until it is written over.
        let is_it = Head::read(&bytes).is_some_and(|head| head.generation == mark.generation);
        let table = if is_it { file::load_all(bytes, mark) } else { file::load_file(bytes) };
        let Some(mut table) = table else {
            return Ok(IndexState::Broken("a part of it does not hold"));
        };
        for op in frames.iter().flat_map(|frame| &frame.ops) {
            if let Op::Locate(entry) = op {
                table.apply(entry);
            }
        }
        Ok(IndexState::Holds(table))
    }

    /// What waits to be unlinked, or was never given its name.
    fn litter(&self) -> Result<Vec<Remnant>, FileError> {
        let list = |folder| {
            let listed = optional(self.disk().list(folder)).during("list", folder);
            listed.map(Option::unwrap_or_default)
        };
        let trashed = list(TRASH)?.into_iter().map(|name| Remnant {
            kind: RemnantKind::Trash,
            path: format!("{TRASH}/{name}"),
            detail: "it was deleted, and waits to be unlinked".to_owned(),
        });
        let unnamed = list(STORE)?.into_iter().filter(|name| name.ends_with(".tmp"));
        let temporary = unnamed.map(|name| Remnant {
            kind: RemnantKind::Temporary,
            path: format!("{STORE}/{name}"),
            detail: "its writer stopped before it got its name".to_owned(),
        });
        let is_there = |path| {
            Ok::<_, FileError>(
                optional(self.disk().stat(path))
                    .during("stat", path)?
                    .is_some_and(|stat| stat.is_file),
            )
        };
        let beside = is_there(OLD_JOURNAL)? && is_there(FRAMES)?;
        let old = beside.then(|| {
            let detail = "a release before 0.2 left it: the next change reads and removes it";
            Remnant::of_log(OLD_JOURNAL, RemnantKind::Unapplied, detail.to_owned())
        });
        Ok(trashed.chain(temporary).chain(old).collect())
    }
}

impl Remnant {
    fn of_log(path: &str, kind: RemnantKind, detail: String) -> Self {
        Self { kind, path: path.to_owned(), detail }
    }
}

impl Inspection {
    /// Where the locator's file is, relative to the root.
    #[must_use]
    pub fn index_path(&self) -> &'static str {
        INDEX
    }
}
