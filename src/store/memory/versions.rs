//! Counts the changes of sessions, so that whoever keeps a copy of one can tell by a
//! look whether it still is what the store has.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::id::SessionId;

/// How many counters there are: sessions share them.
pub const COUNTERS: usize = 1024;

/// A counter for each of so many groups of sessions, which grows with each change of one
/// of the group.
#[derive(Debug)]
pub struct Versions([AtomicU32; COUNTERS]);

impl Versions {
    /// The counters, in memory that stays where it is while this lives.
    #[must_use]
    pub fn counters(&self) -> &[AtomicU32; COUNTERS] {
        &self.0
    }

    /// A session was changed or removed.
    pub(super) fn changed(&self, id: &SessionId) {
        if let Some(counter) = self.0.get(group(id.as_str())) {
            counter.fetch_add(1, Ordering::Release);
        }
    }

    /// No session is any more what it was.
    pub(super) fn all_changed(&self) {
        for counter in &self.0 {
            counter.fetch_add(1, Ordering::Release);
        }
    }
}

impl Default for Versions {
    fn default() -> Self {
        Self([const { AtomicU32::new(0) }; COUNTERS])
    }
}

/// The group of a session, by the last two characters of its id, as `lib/` counts too.
fn group(id: &str) -> usize {
    match *id.as_bytes() {
        [.., a, b] => (usize::from(a) * 37 + usize::from(b)) % COUNTERS,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_the_end_of_an_id() {
        assert_eq!(group("ses_0a"), (48 * 37 + 97) % COUNTERS);
        assert_ne!(group("ses_0a"), group("ses_a0"));
        assert_eq!(group("x"), 0);
    }
}
