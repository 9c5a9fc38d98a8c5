//! What lies above a folder, where links are followed: making the folder itself.

#[cfg(unix)]
use std::fs::File;
#[cfg(any(test, not(unix)))]
use std::fs::OpenOptions;
use std::{
    fs::{self, DirBuilder},
    io,
    path::Path,
};

/// Makes a folder with those above it, private; those that are there stay, and may be links.
/// As the standard library, but a folder that cannot be looked at is not taken for something
/// else: what kept it from being looked at is the error.
pub(crate) fn create_root(path: &Path) -> io::Result<()> {
    let created = match private_folder().create(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(above) if !above.as_os_str().is_empty() => {
                create_root(above)?;
                private_folder().create(path)
            }
            _ => Err(error),
        },
        created => created,
    };
    let Err(error) = created else { return Ok(()) };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        // Something is there, and the system does not say what.
        Err(unknown)
            if error.kind() == io::ErrorKind::AlreadyExists
                && unknown.kind() != io::ErrorKind::NotFound =>
        {
            Err(unknown)
        }
        _ => Err(error),
    }
}

/// Transcripts are private: folders are `0700` where the platform has modes.
pub(super) fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set where there are modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opening for reading and writing; what is new is private.
#[cfg(any(test, not(unix)))]
pub(super) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes the entries of an open folder survive a power cut. A file system that has nothing to
/// sync for a folder says so by refusing the call (FUSE, SMB and mounts shared with a virtual
/// machine do); any other error is one.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &File) -> io::Result<()> {
    pass_over_refusal(folder.sync_all())
}

#[cfg(unix)]
pub(super) fn pass_over_refusal(synced: io::Result<()>) -> io::Result<()> {
    let refusals = [libc::EINVAL, libc::EBADF, libc::ENOTSUP, libc::EOPNOTSUPP];
    match synced {
        Err(error) if error.raw_os_error().is_some_and(|code| refusals.contains(&code)) => Ok(()),
        synced => synced,
    }
}
