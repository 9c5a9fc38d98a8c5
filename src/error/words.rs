//! Parts of what errors say.

use super::Place;
use crate::json::{Json, string};

/// The place that an error names, if any.
pub(super) fn of(place: &Place) -> String {
    place.as_ref().map(|place| format!(" of `{place}`")).unwrap_or_default()
}

/// A file of a store; the store itself where that is what an error is about.
pub(super) fn at(path: &str, place: &Place) -> String {
    match place {
        Some(place) if path == "." => format!("`{place}`"),
        place => format!("`{path}`{}", of(place)),
    }
}

/// What to do about an error, where its names do not say it to a person.
pub(super) fn advice(path: &str, code: &str) -> &'static str {
    match (path, code) {
        (".store/journal", "EBUSY") => {
            ": a release before 0.2 of this package has the directory open; \
             stop every process that uses one, then upgrade them"
        }
        (_, "EACCES" | "EPERM") => {
            ": this process may not do that there; look at the owner and the mode of what is named"
        }
        (_, "EROFS") => ": the file system is mounted read-only",
        (_, "ENOSPC") => ": the disk is full; what is stored can still be read and deleted",
        (_, "EDQUOT") => ": the quota of this user is used up",
        (_, "EMFILE") => ": this process has too many files open; raise its limit (`ulimit -n`)",
        (_, "ENFILE") => ": this machine has too many files open",
        (_, "EIO") => ": the disk did not do it; look at the system's log",
        (_, "ENAMETOOLONG") => ": the path of the data directory is too long",
        _ => "",
    }
}

/// Which fields of two messages differ, in words.
pub(super) fn differing(fields: &[String]) -> String {
    match fields {
        [] => String::new(),
        fields => format!(": it differs in {}", fields.join(", ")),
    }
}

/// What a literal says; the literal where it is no Unicode.
pub(super) fn words(literal: &Json) -> String {
    string(literal.as_str()).map_or_else(|| literal.as_str().to_owned(), Into::into)
}
