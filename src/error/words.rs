//! Parts of what errors say.

use super::Place;
use crate::json::{Json, string};

/// The place that an error names, if any.
pub(super) fn of(place: &Place) -> String {
    place.as_ref().map(|place| format!(" of `{place}`")).unwrap_or_default()
}

/// What to do about an error, where its names do not say it.
pub(super) fn advice(path: &str, code: &str) -> &'static str {
    match (path, code) {
        (".store/journal", "EBUSY") => {
            ": a release before 0.2 of this package has the directory open; \
             stop every process that uses one, then upgrade them"
        }
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
