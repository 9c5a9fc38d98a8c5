//! Deliberate faults, one at a time, that the tests must notice.
//!
//! They exist in the crate's own unit tests alone, where the environment variable
//! `NAMZU_MUTANT` picks one. `scripts/mutants.mjs` names the tests that each must fail.

use std::sync::LazyLock;

use super::journal::frame::{self, Frame};

macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident)*) => {
        /// A deliberate fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Mutant {
            $($(#[$doc])* $name,)*
        }

        const ALL: &[(&str, Mutant)] = &[$((stringify!($name), Mutant::$name),)*];
    };
}

mutants! {
    /// The journal is written and never synced.
    JournalNotSynced
    /// A record is cut and written in its place instead of beside it.
    TruncateInPlace
    /// Behind a frame that does not hold, the next good one is looked for.
    ResyncAfterBadFrame
    /// A sync that failed is tried again, and believed when it then succeeds.
    RetryFailedSync
    /// Frames of which only a part was written pass for written.
    IgnoreShortWrite
    /// The root's lock is not taken.
    LockSkipped
    /// A frame's checksum leaves its number out.
    ChecksumWithoutSeq
    /// The tree is changed before the journal is synced.
    ApplyBeforeDurable
    /// A relaxed transaction is applied when it is written, before it is synced.
    ApplyUnsynced
    /// A checkpoint syncs the tree and not the journal.
    CheckpointUnsynced
    /// What a process left that died is applied before it is synced.
    CatchUpUnsynced
    /// Recovery wins over what another program wrote since.
    RecoveryWins
    /// A batch's last frame is not written.
    ForgetLastFrame
    /// Callers are answered before the journal is written.
    AnswerBeforeCommit
    /// A new file is readable by others, and stays so under its final name.
    KeepTemporaryMode
    /// Recovery adds a log's lines at its end, whatever is there already.
    RecoveryNotIdempotent
    /// A bundle whose sealing is committed and not applied passes for one that is unfinished.
    UnappliedSealUnfinished
    /// A range that names a message of an evicted session is empty.
    EvictedRangeEmpty
    /// Where `after` is found first, `before` is not looked for.
    BeforeNotLookedFor
    /// A handoff overwrites the status that another call set while it ran.
    HandoffOverwritesStatus
    /// A session is handed over at the last version that a record can hold.
    HandoffBeyondLastVersion
    /// A sweep takes bundles that their writers still hold.
    SweepTakesHeldBundles
    /// A log of the same length passes for the same log.
    CompareLogLengths
    /// A bundle is sealed without being read back.
    SealUnread
    /// What a sweep decided is not looked at again in the transaction.
    SweepNotLookedAtAgain
    /// Records are written to whichever folder has the root's name at that moment.
    TreeByName
    /// Each part of a log is read from whatever file has its name at that moment.
    WindowsByName
    /// A part of an open log is as long as its file is by now.
    LengthAskedAgain
    /// A root that is not there yet has an engine for each call.
    EngineOfEachCall
    /// A remembered time of creation is not compared with the record's file.
    AgesUnchecked
    /// An idle checkpoint that failed is not tried again.
    IdleCheckpointOnce
    /// Where a quota is full, the large allocation is tried alone.
    QuotaIsNoFullDisk
    /// Messages of one bundle end an eviction into another.
    RestoreAnyBundle
    /// Messages of a bundle are put back whatever session they are of.
    BundleOfAnother
    /// An edge is marked as archived, however it was changed since it was read.
    MarkUnchecked
    /// The edge that leads to an evicted session's bundle can be removed and changed.
    WayBackLost
    /// In memory a log that was replaced passes for the one before.
    MemoryLogUncounted
    /// A bundle that a record names need not be there.
    MissingBundlePasses
    /// A source that waits for a person is said to wait for a sub-session, by a broadcast.
    HitlIsASubsession
}

/// Whether this is the fault that is wanted.
pub(crate) fn is(mutant: Mutant) -> bool {
    static WANTED: LazyLock<Option<Mutant>> = LazyLock::new(|| {
        let name = std::env::var("NAMZU_MUTANT").ok().filter(|name| !name.is_empty())?;
        let known = ALL.iter().find(|(known, _)| *known == name);
        // No panic: a test that fails by it would pass for one that noticed the fault.
        Some(known.map_or_else(|| std::process::exit(3), |(_, mutant)| *mutant))
    });
    *WANTED == Some(mutant)
}

/// [`Mutant::ResyncAfterBadFrame`]: all later frames that hold, wherever they are.
pub(super) fn every_good_frame(bytes: &[u8], start: u64, mut seq: u64) -> (Vec<Frame>, u64) {
    let (mut frames, mut at, mut end) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        match frame::decode(&bytes[at..]).filter(|(frame, _)| frame.seq > seq) {
            Some((frame, len)) => {
                seq = frame.seq;
                at += len;
                end = at;
                frames.push(frame);
            }
            None => at += 1,
        }
    }
    (frames, start + end as u64)
}

/// Prints the names, for the script that runs them.
#[test]
#[expect(clippy::print_stdout, reason = "the script reads it")]
fn the_mutants_have_names() {
    let names: Vec<_> = ALL.iter().map(|(name, _)| *name).collect();
    assert!(!names.is_empty());
    println!("mutants: {}", names.join(" "));
}
