//! With descriptors of folders, and on Linux with paths that the system itself keeps
//! below a root.

use std::{
    fs::File,
    io,
    os::{fd::OwnedFd, unix::fs::MetadataExt as _},
};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, chmodat, fchmod, mkdirat, open, openat, renameat, statat,
    unlinkat,
};

use super::{Beneath, How, split};

/// Transcripts are private.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_FOLDER: Mode = Mode::RWXU;

/// A folder as the start of paths: not for reading it.
#[cfg(target_os = "linux")]
const START: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const START: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A pipe without a writer is not waited for, a terminal not taken.
const FILE: OFlags = OFlags::CLOEXEC.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Beneath {
    /// Opens a file.
    pub(crate) fn open(&self, path: &str, how: How) -> io::Result<File> {
        match how {
            How::Read => proper(self.resolve(path, FILE | OFlags::RDONLY, Mode::empty())?),
            How::Change => proper(self.resolve(path, FILE | OFlags::RDWR, Mode::empty())?),
            How::Create => {
                let flags = FILE | OFlags::RDWR | OFlags::CREATE;
                made(proper(self.resolve(path, flags, PRIVATE_FILE)?)?)
            }
            How::Anew => self.create_anew(path),
        }
    }

    fn create_anew(&self, path: &str) -> io::Result<File> {
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        loop {
            match self.resolve(path, flags, PRIVATE_FILE) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match self.remove_file(path) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                        _ => {}
                    }
                }
                opened => return made(File::from(opened?)),
            }
        }
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, path: &str) -> io::Result<File> {
        Ok(self.resolve(path, FOLDER, Mode::empty())?.into())
    }

    /// Names of what a folder holds, in no order; without those that are no Unicode.
    pub(crate) fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self.folder(path)?)? {
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Makes one folder, private.
    pub(crate) fn create_dir(&self, path: &str) -> io::Result<()> {
        let (folder, name) = split(path);
        let start = self.start(folder)?;
        mkdirat(&start, name, PRIVATE_FOLDER)?;
        let mode = Mode::from_raw_mode(statat(&start, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        if !mode.contains(PRIVATE_FOLDER) {
            // A umask that takes the owner's own rights away.
            let _ = chmodat(&start, name, PRIVATE_FOLDER, AtFlags::empty());
        }
        Ok(())
    }

    /// Gives a file or folder another name, in one step, in place of a file that has it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let ((from_folder, from), (to_folder, to)) = (split(from), split(to));
        let from_start = self.start(from_folder)?;
        let other = if from_folder == to_folder { None } else { Some(self.start(to_folder)?) };
        let to_start = other.as_ref().unwrap_or(&from_start);
        #[cfg(target_os = "linux")]
        if exchange((&from_start, from), (to_start, to)).is_ok() {
            return Ok(unlinkat(&from_start, from, AtFlags::empty())?);
        }
        loop {
            match renameat(&from_start, from, to_start, to) {
                Err(rustix::io::Errno::INTR) => {}
                renamed => return Ok(renamed?),
            }
        }
    }

    /// Removes a file, or whatever else has the name and is no folder.
    pub(crate) fn remove_file(&self, path: &str) -> io::Result<()> {
        let (folder, name) = split(path);
        Ok(unlinkat(self.start(folder)?, name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(crate) fn remove_dir(&self, path: &str) -> io::Result<()> {
        let (folder, name) = split(path);
        Ok(unlinkat(self.start(folder)?, name, AtFlags::REMOVEDIR)?)
    }

    /// A folder as the start of a path.
    fn start(&self, folder: &str) -> io::Result<OwnedFd> {
        self.resolve(folder, START, Mode::empty())
    }

    /// Opens a path below the root.
    fn resolve(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        if path.is_empty() {
            return Ok(open(self.root(), flags, mode)?);
        }
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.resolve_in_one(path, flags, mode) {
            return opened;
        }
        self.walk(path, flags, mode)
    }

    /// The system resolves the path; `None` where it cannot do so without links.
    #[cfg(target_os = "linux")]
    fn resolve_in_one(&self, path: &str, flags: OFlags, mode: Mode) -> Option<io::Result<OwnedFd>> {
        use std::sync::atomic::Ordering::Relaxed;

        use rustix::{
            fs::{CWD, ResolveFlags, openat2},
            io::Errno,
        };
        let retried = |open: &dyn Fn() -> rustix::io::Result<OwnedFd>| loop {
            match open() {
                // A folder on the way was renamed meanwhile, or a signal came.
                Err(Errno::AGAIN | Errno::INTR) => {}
                opened => return opened,
            }
        };
        if !self.linked.load(Relaxed) {
            let whole = self.at(path);
            match retried(&|| openat2(CWD, &whole, flags, mode, ResolveFlags::NO_SYMLINKS)) {
                Err(Errno::LOOP) => {} // on the way to the root, or below it
                Err(Errno::NOSYS | Errno::PERM) => return None,
                opened => return Some(opened.map_err(io::Error::from)),
            }
        }
        let root = match open(self.root(), START, Mode::empty()) {
            Ok(root) => root,
            Err(error) => return Some(Err(error.into())),
        };
        let below = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
        match retried(&|| openat2(&root, path, flags, mode, below)) {
            Err(Errno::NOSYS | Errno::PERM) => None,
            Err(error) => Some(Err(error.into())),
            Ok(opened) => {
                self.linked.store(true, Relaxed);
                Some(Ok(opened))
            }
        }
    }

    /// Opens one folder after the other.
    fn walk(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let (folders, name) = split(path);
        let mut at = open(self.root(), START, Mode::empty())?;
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            at = step(&at, folder, START, Mode::empty())?;
        }
        step(&at, name, flags, mode)
    }
}

/// Opens what is in a folder and no link.
fn step(at: &OwnedFd, name: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    use rustix::io::Errno;
    match openat(at, name, flags | OFlags::NOFOLLOW, mode) {
        // What a link is called where a folder is wanted; on some systems, everywhere.
        Err(Errno::NOTDIR | Errno::MLINK) if is_link(at, name) => Err(Errno::LOOP.into()),
        opened => Ok(opened?),
    }
}

fn is_link(at: &OwnedFd, name: &str) -> bool {
    statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Refuses what is open and no file.
fn proper(opened: OwnedFd) -> io::Result<File> {
    let file = File::from(opened);
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    // What opening a socket answers.
    let error = if kind.is_dir() { rustix::io::Errno::ISDIR } else { rustix::io::Errno::NXIO };
    Err(error.into())
}

/// Gives its owner what a umask took from a file that was just made.
fn made(file: File) -> io::Result<File> {
    let metadata = file.metadata()?;
    if metadata.len() == 0 && metadata.mode() & 0o600 != 0o600 {
        let _ = fchmod(&file, PRIVATE_FILE);
    }
    Ok(file)
}

/// Gives two files each other's names. A rename over a file makes ext4 write the new
/// one's data out at once, in case the program relies on that; the journal is what this
/// one relies on, and an exchange does not cost it.
#[cfg(target_os = "linux")]
fn exchange(from: (&OwnedFd, &str), to: (&OwnedFd, &str)) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let stat = statat(to.0, to.1, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(renameat_with(from.0, from.1, to.0, to.1, RenameFlags::EXCHANGE)?)
}
