//! What is wrong with a value that does not decode, and the words of enums.

use crate::id::InvalidId;

/// A value that is not what its place asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// An id that is malformed.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// A field that is absent or of the wrong kind.
    #[error("{field}: expected {expected}, found {received}")]
    Field {
        /// Path of the field, with `.` between keys and indexes; empty for the whole.
        field: String,
        /// What would have been accepted.
        expected: String,
        /// What was there, shortened.
        received: String,
    },
}

impl Invalid {
    /// A field of the wrong kind.
    #[must_use]
    pub fn field(field: &str, expected: &str, received: &str) -> Self {
        Self::Field {
            field: field.to_owned(),
            expected: expected.to_owned(),
            received: received.to_owned(),
        }
    }

    /// The same, as seen from a record that has the value at `key`.
    #[must_use]
    pub fn below(self, key: &str) -> Self {
        match self {
            Self::Field { field, expected, received } if field.is_empty() => {
                Self::Field { field: key.to_owned(), expected, received }
            }
            Self::Field { field, expected, received } => {
                Self::Field { field: format!("{key}.{field}"), expected, received }
            }
            id @ Self::Id(_) => id,
        }
    }
}

/// An enum that is written as one word of a fixed list.
pub trait Word: Sized + Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// The word that a value is written as.
    fn word(self) -> &'static str;

    /// The value that a word stands for.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// The list of words, for an error.
    fn expected() -> String {
        let words: Vec<_> = Self::ALL.iter().map(|value| value.word()).collect();
        format!("one of {}", words.join(", "))
    }
}

/// Declares an enum of words: a variant and its word a line.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* #[doc = concat!("`", $word, "`")] $variant,)+ }

        impl $crate::json::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
pub(crate) use words;
