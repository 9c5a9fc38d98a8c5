//! What an object of the application threw.

use std::fmt;

use crate::json::{Json, string};

/// Something that an application's own object threw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// Where the host keeps what was thrown.
    pub thrown: u64,
    /// The `name` of what was thrown, when it has one.
    pub name: String,
    /// The literal of its message, or of what `String` makes of it.
    pub message: Json,
    /// Its `details`, when it has any that JSON can express.
    pub details: Option<Json>,
}

impl Foreign {
    /// The message as text; its literal where it is no Unicode.
    #[must_use]
    pub fn text(&self) -> String {
        string(self.message.as_str()).map_or_else(|| self.message.as_str().to_owned(), Into::into)
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
