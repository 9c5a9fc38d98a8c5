//! Counts the changes of sessions and of the edges at them, so that whoever keeps a copy of
//! one can tell by a look whether it still is what the store has.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::id::SessionId;

/// How many groups there are: the sessions of one share their counters.
const GROUPS: usize = 1024;

/// How many counters there are.
pub const COUNTERS: usize = 2 * GROUPS + 1;

/// For each group of sessions a counter that grows with each change of one of them, then
/// for each one that grows with each change of an edge that names one of them, then one
/// that grows with each change of any edge.
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
        self.count(group(id.as_str()));
    }

    /// An edge between these sessions was made, changed or removed.
    pub(super) fn linked(&self, parent: &SessionId, child: &SessionId) {
        // First the one of all edges: whoever sees another one move sees this one move too.
        self.count(2 * GROUPS);
        self.count(GROUPS + group(parent.as_str()));
        self.count(GROUPS + group(child.as_str()));
    }

    fn count(&self, at: usize) {
        if let Some(counter) = self.0.get(at) {
            // Whoever counts has the store's tables locked, so nobody counts meanwhile.
            let count = counter.load(Ordering::Relaxed);
            counter.store(count.wrapping_add(1), Ordering::Release);
        }
    }

    /// No session or edge is any more what it was.
    pub(super) fn all_changed(&self) {
        (0..COUNTERS).for_each(|at| self.count(at));
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
        [.., a, b] => (usize::from(a) * 37 + usize::from(b)) % GROUPS,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_the_end_of_an_id() {
        assert_eq!(group("ses_0a"), (48 * 37 + 97) % GROUPS);
        assert_ne!(group("ses_0a"), group("ses_a0"));
        assert_eq!(group("x"), 0);
    }
}
