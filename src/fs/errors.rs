//! What a failed call says of what it was about.

use std::io;

/// What is missing reads as nothing; a stray file where a folder would be has nothing
/// in it either.
pub(crate) fn optional<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As [`optional`]; what is no file proper reads as nothing too: for files that can be made
/// anew.
pub(crate) fn optional_regular<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{InvalidInput, IsADirectory};
    #[cfg(unix)]
    let linked =
        |error: &io::Error| matches!(error.raw_os_error(), Some(libc::ELOOP | libc::EMLINK));
    #[cfg(not(unix))]
    let linked = |_: &io::Error| false;
    match result {
        Err(error) if matches!(error.kind(), InvalidInput | IsADirectory) || linked(&error) => {
            Ok(None)
        }
        other => optional(other),
    }
}

/// Whether a call failed because the process, or the machine, ran out of something: that says
/// nothing of what it was about.
pub(crate) fn is_resource_exhausted(error: &io::Error) -> bool {
    #[cfg(unix)]
    return matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM));
    #[cfg(not(unix))]
    return error.kind() == io::ErrorKind::OutOfMemory;
}

/// What stands for "not without waiting".
pub(crate) fn would_block() -> io::Error {
    io::ErrorKind::WouldBlock.into()
}

/// Links are refused as Unix refuses too many of them.
pub(crate) fn linked() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::ELOOP);
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}

pub(super) fn second_name() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::EMLINK);
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}
