//! Files below a directory, reached without leaving it: no link below it is followed,
//! and nothing is waited for that is no file, such as a pipe.
//!
//! Who may write into a root may plant links and pipes there, and swap them for what was
//! looked at a moment ago. So a path is resolved by the very call that opens it, where
//! the system can do that, and never opened by a name that was checked before.

#[cfg_attr(unix, path = "beneath/unix.rs")]
#[cfg_attr(not(unix), path = "beneath/portable.rs")]
mod system;

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// For reading.
    Read,
    /// For reading and writing.
    Change,
    /// For reading and writing; made where it is missing, private where the platform has
    /// modes.
    Create,
    /// For writing; made, private, in place of whatever file has the name.
    Anew,
}

/// A directory that its user chose, and may reach through links, and what is below it,
/// which nobody may. Paths are relative to it, with `/` between components, and empty for
/// itself.
#[derive(Debug)]
pub(crate) struct Beneath {
    root: PathBuf,
    /// Its own path is known to lead through a link.
    linked: AtomicBool,
}

impl Beneath {
    /// The directory at `root`, which need not exist.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), linked: AtomicBool::new(false) }
    }

    /// The directory itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path as the system names it; for messages, and for what reads no content.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    /// A whole file.
    pub(crate) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let file = self.open(path, How::Read)?;
        let mut room = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX - 1) + 1;
        loop {
            let bytes = read_at(&file, 0, room)?;
            if bytes.len() < room {
                return Ok(bytes);
            }
            room *= 2; // it has grown meanwhile
        }
    }
}

/// Opens a file of any path for reading; no link of that very name is followed.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let name = path.file_name().and_then(|name| name.to_str());
    match (path.parent(), name) {
        (Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            Beneath::new(folder).open(name, How::Read)
        }
        _ => File::open(path),
    }
}

/// A whole file of any path, as [`open_file`] opens it.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Up to `len` bytes from `offset` on: fewer where the file ends before.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Up to `len` bytes from `offset` on: fewer where the file ends before.
#[cfg(not(unix))]
pub(crate) fn read_at(mut file: &File, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    use io::{Read as _, Seek as _, SeekFrom};
    let mut bytes = Vec::with_capacity(len);
    file.seek(SeekFrom::Start(offset))?;
    file.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The folder of a path, and its name there.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, Beneath) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/in")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(dir.path().join("root/in/file"), b"inside").unwrap();
        fs::write(dir.path().join("out/file"), b"outside").unwrap();
        let beneath = Beneath::new(&dir.path().join("root"));
        (dir, beneath)
    }

    fn code(result: io::Result<impl std::fmt::Debug>) -> i32 {
        result.unwrap_err().raw_os_error().unwrap()
    }

    #[test]
    fn a_link_is_followed_nowhere_below_the_root() {
        let (dir, beneath) = place();
        let root = dir.path().join("root");
        symlink(dir.path().join("out"), root.join("folder")).unwrap();
        symlink(dir.path().join("out/file"), root.join("in/link")).unwrap();
        symlink("file", root.join("in/near")).unwrap();
        for path in ["folder/file", "in/link", "in/near"] {
            for how in [How::Read, How::Change, How::Create] {
                assert_eq!(code(beneath.open(path, how)), libc::ELOOP, "{path} {how:?}");
            }
        }
        assert_eq!(code(beneath.list("folder")), libc::ELOOP);
        assert_eq!(code(beneath.create_dir("folder/new")), libc::ELOOP);
        assert_eq!(code(beneath.rename("in/file", "folder/file")), libc::ELOOP);
        assert_eq!(code(beneath.rename("folder/file", "in/file")), libc::ELOOP);
        assert_eq!(code(beneath.remove_file("folder/file")), libc::ELOOP);
        assert_eq!(code(beneath.open("folder/file", How::Anew)), libc::ELOOP);
        // In place of a link, a file is made; what it named stays.
        drop(beneath.open("in/link", How::Anew).unwrap());
        assert_eq!(fs::read(dir.path().join("out/file")).unwrap(), b"outside");
        assert_eq!(beneath.read("in/link").unwrap(), b"");
    }

    #[test]
    fn the_way_to_the_root_may_be_a_link() {
        let (dir, _) = place();
        symlink("root", dir.path().join("way")).unwrap();
        let beneath = Beneath::new(&dir.path().join("way"));
        for _ in 0..2 {
            assert_eq!(beneath.read("in/file").unwrap(), b"inside");
            assert_eq!(beneath.list("in").unwrap(), ["file"]);
            assert_eq!(code(beneath.read("in/missing")), libc::ENOENT);
        }
        symlink(dir.path().join("out"), dir.path().join("root/folder")).unwrap();
        assert_eq!(code(beneath.read("folder/file")), libc::ELOOP);
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let (dir, beneath) = place();
        let pipe = dir.path().join("root/in/pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(dir.path().join("root/in/socket"));
        for path in ["in/pipe", "in/socket"] {
            for how in [How::Read, How::Change, How::Create] {
                assert_eq!(code(beneath.open(path, how)), libc::ENXIO, "{path} {how:?}");
            }
        }
        assert_eq!(code(beneath.open("in", How::Read)), libc::EISDIR);
        assert_eq!(code(beneath.list("in/file")), libc::ENOTDIR);
    }

    #[test]
    fn another_name_of_a_file_elsewhere_is_not_written_through() {
        let (dir, beneath) = place();
        let outside = dir.path().join("out/file");
        fs::hard_link(&outside, dir.path().join("root/in/shared")).unwrap();
        drop(beneath.open("in/shared", How::Anew).unwrap());
        assert_eq!(fs::read(outside).unwrap(), b"outside");
    }

    #[test]
    fn a_file_that_grew_is_read_whole() {
        let (_dir, beneath) = place();
        let long = vec![7; 100_000];
        fs::write(beneath.at("in/file"), &long).unwrap();
        assert_eq!(beneath.read("in/file").unwrap(), long);
    }
}
