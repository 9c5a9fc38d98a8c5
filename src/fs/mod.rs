//! Files and folders below one folder, and never outside of it: no link below it is followed,
//! and nothing but files and folders is opened, whatever another program puts there.
//!
//! A file that has a second name is refused too. That name may be outside, and the file would
//! be read from there, and written to.

#[cfg(any(test, not(unix)))]
#[cfg_attr(unix, allow(dead_code, reason = "on Unix, the tests run it beside the other"))]
mod by_path;
mod errors;
mod root;
mod stat;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

pub(crate) use errors::{is_resource_exhausted, linked, optional, optional_regular, would_block};
pub(crate) use root::create_root;
#[cfg(unix)]
pub(crate) use root::sync_folder;
#[cfg(any(test, not(unix)))]
use root::{private_file, private_folder};
pub(crate) use stat::nanos;
pub use stat::{FileId, Stat};
#[cfg(unix)]
pub(crate) use unix::stat_named_cached;

#[cfg(not(unix))]
use by_path as system;
#[cfg(unix)]
use unix as system;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use errors::second_name;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading what is there.
    Read,
    /// Reading and writing what is there.
    ReadWrite,
    /// Reading and writing what is there, or a new file, private where there are modes.
    Create,
    /// Reading and writing a new file; fails where there is one.
    CreateNew,
}

/// A folder that files and folders are reached below, by paths relative to it.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    /// Where it is, or was when it was opened.
    path: Arc<Path>,
    /// The folder itself, where it is held: it may have another name by now.
    #[cfg(unix)]
    held: Option<Arc<std::os::fd::OwnedFd>>,
}

/// How often a file is opened again that was replaced between an opening and a look.
const ATTEMPTS: usize = 16;

impl Folder {
    /// The folder that has this path whenever something is reached. No link is on the way.
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.into(),
            #[cfg(unix)]
            held: None,
        }
    }

    /// As [`Folder::at`], after following the links on the way.
    pub(crate) fn find(path: &Path) -> io::Result<Self> {
        if cfg!(unix) { Ok(Self::at(&std::fs::canonicalize(path)?)) } else { Ok(Self::at(path)) }
    }

    /// The folder that has this path now, whichever gets the path later. Links may be on the
    /// way. Where the system cannot hold a folder, as [`Folder::at`].
    pub(crate) fn hold(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.into(),
            #[cfg(unix)]
            held: Some(Arc::new(unix::hold(path)?)),
        })
    }

    /// Whether it stays the same folder, whichever gets its path.
    pub(crate) fn is_held(&self) -> bool {
        #[cfg(unix)]
        return self.held.is_some();
        #[cfg(not(unix))]
        false
    }

    /// The path of something below.
    pub(crate) fn join(&self, path: &Path) -> PathBuf {
        self.path.join(path)
    }

    /// Opens a file, and says what is known of it.
    pub(crate) fn open(&self, path: &Path, access: Access) -> io::Result<(File, Stat)> {
        for _ in 0..ATTEMPTS {
            let (file, stat) = self.open_linked(path, access)?;
            one_name_at_most(&stat)?;
            if stat::has_one_name(&stat, || self.stat(path))? {
                return Ok((file, stat));
            }
        }
        Err(second_name())
    }

    /// As [`Folder::open`], of a file that may have other names as well.
    pub(crate) fn open_linked(&self, path: &Path, access: Access) -> io::Result<(File, Stat)> {
        let file = system::open(self, path, access)?;
        let stat = Stat::of(&file.metadata()?, || self.join(path))?;
        only_file(&stat)?;
        Ok((file, stat))
    }

    /// As [`Folder::open`] for reading, where the system has all of the way in memory.
    pub(crate) fn open_cached(&self, path: &Path) -> io::Result<(File, Stat)> {
        let file = system::open_cached(self, path)?;
        let stat = Stat::of(&file.metadata()?, || self.join(path))?;
        only_file(&stat)?;
        one_name_at_most(&stat)?;
        match stat::has_one_name(&stat, || self.stat_cached(path))? {
            true => Ok((file, stat)),
            false => Err(would_block()),
        }
    }

    /// What is known of a file, a folder, or whatever else has that name; of a link itself.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Stat> {
        system::stat(self, path)
    }

    /// As [`Folder::stat`], where the system has all of the way in memory.
    pub(crate) fn stat_cached(&self, path: &Path) -> io::Result<Stat> {
        system::stat_cached(self, path)
    }

    /// What is known of many files and folders below one; `None` for those that are not there.
    /// Links on the way to them may be followed: nothing is opened.
    pub(crate) fn stats(&self, folder: &Path, names: &[String]) -> io::Result<Vec<Option<Stat>>> {
        system::stats(self, folder, names)
    }

    /// What `take` makes of the names in a folder, no more than `most`: it takes no longer,
    /// however many there are.
    pub(crate) fn list<T>(
        &self,
        path: &Path,
        most: usize,
        take: impl Fn(&OsStr) -> Option<T>,
    ) -> io::Result<Vec<T>> {
        system::list(self, path, most, take)
    }

    /// The names in a folder.
    pub(crate) fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.list(path, usize::MAX, |name| Some(name.to_owned()))
    }

    /// Makes a folder, private where there are modes.
    pub(crate) fn create_dir(&self, path: &Path) -> io::Result<()> {
        system::create_dir(self, path)
    }

    /// Makes a folder with those above it, private where there are modes; folders that are
    /// there stay as they are.
    pub(crate) fn create_dirs(&self, path: &Path) -> io::Result<()> {
        let mut made = PathBuf::new();
        for component in path.components() {
            made.push(component);
            let Err(error) = self.create_dir(&made) else { continue };
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            match optional(self.stat(&made))? {
                Some(stat) if stat.is_dir => {}
                Some(stat) if stat.is_link => return Err(linked()),
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Removes a file, or a link.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        system::remove_file(self, path)
    }

    /// Removes an empty folder.
    pub(crate) fn remove_dir(&self, path: &Path) -> io::Result<()> {
        system::remove_dir(self, path)
    }

    /// Gives a file or folder another name in one step.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        system::rename(self, from, to)
    }

    /// What a link says.
    pub(crate) fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        system::read_link(self, path)
    }

    /// Makes a link that says `target`, which need not be there.
    pub(crate) fn create_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        system::create_link(self, target, path)
    }

    /// Opens a folder, for what is asked of it itself.
    #[cfg(unix)]
    pub(crate) fn open_dir(&self, path: &Path) -> io::Result<File> {
        system::open_dir(self, path)
    }

    /// Makes the entries of a folder survive a power cut, where that has to be asked for: the
    /// file systems of systems that cannot open a folder see to it themselves.
    pub(crate) fn sync_dir(&self, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        return sync_folder(&self.open_dir(path)?);
        #[cfg(not(unix))]
        system::folder(self, path).map(drop)
    }
}

/// Refuses whatever is not a file.
fn only_file(stat: &Stat) -> io::Result<()> {
    match stat {
        Stat { is_file: true, .. } => Ok(()),
        Stat { is_dir: true, .. } => Err(io::ErrorKind::IsADirectory.into()),
        Stat { is_link: true, .. } => Err(linked()),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn one_name_at_most(stat: &Stat) -> io::Result<()> {
    if stat.names > 1 { Err(second_name()) } else { Ok(()) }
}
