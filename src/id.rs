//! Typed ids: prefixes, generation, validation.
//!
//! Two families. Ids that become path components ([`ProjectId`], [`SessionId`],
//! [`SubSessionId`]) can only be made by a check or by generation, so a value of
//! such a type is always safe to put into a path. All other ids are opaque
//! non-empty strings: applications put their own names there.

use std::{cell::RefCell, fmt, sync::Arc};

/// Number of characters after the prefix of a generated id.
const SUFFIX_LEN: usize = 12;
/// Longest part after the prefix that a path id may have.
const MAX_SUFFIX_LEN: usize = 124;
const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Bytes at or above the largest multiple of 36 are drawn again, so that every
/// character is equally likely.
const UNIFORM_BELOW: u8 = 252;

/// Why a string is not an id of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value} is not a {kind}: expected {expected}")]
pub struct InvalidId {
    /// Name of the id's type, such as `SessionId`.
    pub kind: &'static str,
    /// What was given, as a JSON string literal: it may be no Unicode.
    pub value: String,
    /// What would have been accepted, in words.
    pub expected: String,
}

/// A string that may become one component of a path: no separators, no dots.
///
/// Implemented by the path ids alone.
pub trait PathComponent {
    /// The component as it appears in the path.
    fn component(&self) -> &str;
}

/// Draws a new id: `prefix`, then 12 characters of `0-9a-z`, each uniformly from
/// the operating system's random source.
///
/// # Panics
/// When the operating system has no random source, since no id can be made then.
#[must_use]
pub fn generate(prefix: &str) -> String {
    let mut id = String::with_capacity(prefix.len() + SUFFIX_LEN);
    id.push_str(prefix);
    RANDOM.with_borrow_mut(|random| {
        while id.len() < prefix.len() + SUFFIX_LEN {
            let byte = random.next();
            if byte < UNIFORM_BELOW
                && let Some(&character) = ALPHABET.get(usize::from(byte % 36))
            {
                id.push(char::from(character));
            }
        }
    });
    id
}

/// Random bytes fetched from the operating system a few ids at a time.
struct Random {
    bytes: [u8; 256],
    used: usize,
    #[cfg(any(test, fuzzing))]
    seed: Option<u8>,
}

thread_local! {
    static RANDOM: RefCell<Random> = const {
        RefCell::new(Random {
            bytes: [0; 256],
            used: 256,
            #[cfg(any(test, fuzzing))]
            seed: None,
        })
    };
}

/// Makes this thread's ids the same on each run of a test.
#[cfg(any(test, fuzzing))]
pub(crate) fn repeat_ids(seed: u8) {
    RANDOM.with_borrow_mut(|random| {
        random.bytes = std::array::from_fn(|n| (n as u8).wrapping_mul(97).wrapping_add(seed) % 251);
        random.used = 0;
        random.seed = Some(seed);
    });
}

impl Random {
    #[expect(clippy::expect_used, reason = "without randomness no unique id can be promised")]
    fn next(&mut self) -> u8 {
        #[cfg(any(test, fuzzing))]
        if let (true, Some(seed)) = (self.used >= self.bytes.len(), self.seed) {
            self.seed = Some(seed.wrapping_add(1));
            self.bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_mul(31).wrapping_add(seed));
            self.used = 0;
        }
        if self.used >= self.bytes.len() {
            getrandom::fill(&mut self.bytes).expect("the operating system's random source failed");
            self.used = 0;
        }
        let byte = self.bytes.get(self.used).copied().unwrap_or_default();
        self.used += 1;
        byte
    }
}

fn check_path_id(kind: &'static str, prefix: &str, value: &str) -> Result<(), InvalidId> {
    let well_formed = value.strip_prefix(prefix).is_some_and(|rest| {
        (1..=MAX_SUFFIX_LEN).contains(&rest.len())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    });
    if well_formed {
        return Ok(());
    }
    Err(InvalidId {
        kind,
        value: serde_json::Value::from(value).to_string(),
        expected: format!(
            "`{prefix}` followed by 1 to {MAX_SUFFIX_LEN} characters of A-Z a-z 0-9 _ -"
        ),
    })
}

/// Checks the id of a run, which applications choose as they like, before it names a
/// folder.
///
/// # Errors
/// [`InvalidId`] when it could not be a path component on every platform.
pub fn check_run_folder(value: &str) -> Result<(), InvalidId> {
    let well_formed = (1..=MAX_SUFFIX_LEN + 4).contains(&value.len())
        && !value.starts_with('.')
        && !value.ends_with('.')
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    if well_formed {
        return Ok(());
    }
    Err(InvalidId {
        kind: "RunId",
        value: serde_json::Value::from(value).to_string(),
        expected: format!(
            "1 to {} characters of A-Z a-z 0-9 _ - . with no dot at either end",
            MAX_SUFFIX_LEN + 4
        ),
    })
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// What a generated id of this type starts with.
            pub const PREFIX: &'static str = $prefix;

            /// A new random id.
            #[must_use]
            pub fn generate() -> Self {
                Self(generate(Self::PREFIX).into())
            }

            /// The id's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! path_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id_type!($(#[$doc])* $name, $prefix);

        impl $name {
            /// Checks the prefix and the characters after it.
            ///
            /// # Errors
            /// [`InvalidId`] when `value` could not be a path component of this kind.
            pub fn parse(value: &str) -> Result<Self, InvalidId> {
                check_path_id(stringify!($name), Self::PREFIX, value)?;
                Ok(Self(value.into()))
            }
        }

        impl PathComponent for $name {
            fn component(&self) -> &str {
                &self.0
            }
        }
    };
}

macro_rules! opaque_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id_type!($(#[$doc])* $name, $prefix);

        impl $name {
            /// Takes any non-empty string, as applications name these themselves;
            /// `None` for an empty one.
            #[must_use]
            pub fn new(value: &str) -> Option<Self> {
                (!value.is_empty()).then(|| Self(value.into()))
            }
        }
    };
}

path_id!(
    /// Names a project; a path component.
    ProjectId,
    "prj_"
);
path_id!(
    /// Names a session; a path component.
    SessionId,
    "ses_"
);
path_id!(
    /// Names a sub-session (an edge between two sessions); a path component.
    SubSessionId,
    "sub_"
);
path_id!(
    /// Names a bundle of a disk archive; a path component.
    ArchiveRef,
    "arc_"
);
opaque_id!(
    /// Names a tenant.
    TenantId,
    "tnt_"
);
opaque_id!(
    /// Names a message of a session's log.
    MessageId,
    "msg_"
);
opaque_id!(
    /// Names a session's summary.
    SummaryId,
    "sum_"
);
opaque_id!(
    /// Names a workspace.
    WorkspaceId,
    "wsp_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_have_prefix_and_twelve_characters_of_the_alphabet() {
        for _ in 0..1_000 {
            let id = SessionId::generate();
            let rest = id.as_str().strip_prefix("ses_").unwrap();
            assert_eq!(rest.len(), 12);
            assert!(rest.bytes().all(|b| ALPHABET.contains(&b)));
            assert_eq!(SessionId::parse(id.as_str()).unwrap(), id);
        }
    }

    #[test]
    fn every_character_is_about_equally_likely() {
        let mut seen = [0_u32; 36];
        for _ in 0..30_000 {
            for b in generate("").bytes() {
                seen[ALPHABET.iter().position(|a| *a == b).unwrap()] += 1;
            }
        }
        // 10,000 expected of each; six standard deviations either way.
        assert!(seen.iter().all(|n| (9_400..10_600).contains(n)), "{seen:?}");
    }

    #[test]
    fn path_ids_refuse_whatever_could_leave_its_folder() {
        let long = format!("ses_{}", "a".repeat(125));
        for bad in [
            "",
            "ses_",
            "ses",
            "prj_abc",
            "ses_../x",
            "ses_a/b",
            "ses_a\\b",
            "ses_.",
            "ses_a.json",
            "ses_é",
            "ses_a b",
            "ses_\0",
            " ses_a",
            "ses_a\n",
            "SES_a",
            long.as_str(),
        ] {
            let error = SessionId::parse(bad).unwrap_err();
            let literal = serde_json::to_string(bad).unwrap();
            assert_eq!((error.kind, error.value), ("SessionId", literal));
        }
        assert!(SessionId::parse(&format!("ses_{}", "a".repeat(124))).is_ok());
        assert!(SessionId::parse("ses_A-b_9").is_ok());
    }

    #[test]
    fn opaque_ids_take_any_text_but_none() {
        assert!(TenantId::new("").is_none());
        assert_eq!(TenantId::new("acme/eu ☂").unwrap().as_str(), "acme/eu ☂");
    }
}
