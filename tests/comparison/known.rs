//! The records that a script has made: picking one, and reading all of them.

use crate::{
    operation::{Call, Operation},
    random::Random,
    support::malformed_suffixes,
};

/// A record that was created, deleted since or not.
pub struct Known {
    pub name: String,
    pub tenant: &'static str,
}

type Read = fn(String) -> Call;

/// Every read that takes a session's id.
pub const OF_A_SESSION: [Read; 7] = [
    Call::GetSession,
    Call::LoadMessages,
    Call::LoadEnvelopes,
    Call::GetChildren,
    Call::GetAncestry,
    Call::Drill,
    Call::GetSummary,
];

/// Several reads of each record.
pub fn reads(known: &[Known], reads: &[Read]) -> Vec<Operation> {
    let of_each = |known: &Known| {
        let operation = |read: &Read| Operation {
            call: read(known.name.clone()),
            tenant: known.tenant,
            makes: String::new(),
        };
        reads.iter().map(operation).collect::<Vec<_>>()
    };
    known.iter().flat_map(of_each).collect()
}

/// One of the records, with its tenant, or now and then an id that names nothing.
pub fn pick(random: &mut Random, known: &[Known], prefix: &str) -> (String, &'static str) {
    if known.is_empty() || random.percent(3) {
        return (format!("{prefix}unknown00000"), "tnt_alpha");
    }
    if random.percent(3) {
        return (format!("{prefix}{}", random.pick(&malformed_suffixes())), "tnt_alpha");
    }
    let known = random.pick(known);
    (known.name.clone(), known.tenant)
}
