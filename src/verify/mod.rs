//! Checks a whole root and says what is wrong with it, changing nothing.
//!
//! The records are judged as the next transaction would find them: with what the
//! journal has committed and the tree does not show yet, which is a finding of its own.

mod archive;
mod evictions;
mod finding;
mod handoffs;
mod index;
mod logs;
mod tree;

pub use finding::{Finding, FindingKind};

use std::path::Path;

use self::tree::Walk;
use crate::{
    engine::{Engine, Inspection, RemnantKind, View},
    error::{Error, Result},
    layout,
    store::disk::survey::survey,
};

/// Walks the root and tells everything in it that is damaged, lost or left over, by
/// path.
///
/// # Errors
/// [`Error::StoreIo`] when the root is missing or no directory, or it or the
/// engine's own files cannot be read; what cannot be read further in is a finding.
pub fn verify(root: &Path) -> Result<Vec<Finding>> {
    let verified = || {
        // The engine reads a root that is missing as an empty one.
        root.metadata().map_err(|error| Error::io("open root", ".", &error))?;
        verify_view(&*Engine::open(root, survey)?)
    };
    verified().map_err(|error: Error| error.at(root))
}

/// As [`verify`], of the root of an engine.
pub(crate) fn verify_view(engine: &Engine) -> Result<Vec<Finding>> {
    engine.inspect(findings)
}

fn findings(view: &View<'_>, inspection: Inspection) -> Result<Vec<Finding>> {
    let index_path = inspection.index_path();
    let mut walk = Walk::over(view);
    walk.root()?;
    walk.handoffs();
    let (mut findings, entries, all, archived) = walk.finish();
    findings.extend(archived.findings(view));
    findings.extend(archive::findings(view));
    findings.extend(salvaged(view));
    findings.extend(index::finding(index_path, &inspection.index, &entries, all));
    findings.extend(inspection.remnants.into_iter().map(|remnant| {
        let kind = match remnant.kind {
            RemnantKind::Unapplied => FindingKind::UnappliedTransaction,
            RemnantKind::Unreadable => FindingKind::UnreadableJournal,
            RemnantKind::Trash | RemnantKind::Temporary => FindingKind::Leftover,
        };
        let finding = Finding::new(remnant.path, kind, remnant.detail);
        // A tree that was deleted is unlinked a moment later.
        if matches!(remnant.kind, RemnantKind::Trash) { finding.in_passing() } else { finding }
    }));
    findings.sort_unstable_by(Finding::in_order);
    Ok(findings)
}

/// Fragments that appends moved out of their way, versions of records that a recovery did not
/// put in place of what another program wrote, and strays.
fn salvaged(view: &View<'_>) -> Vec<Finding> {
    let folder = layout::salvage();
    let names = match view.list(&folder) {
        Ok(names) => names,
        Err(error) => return vec![Finding::unreadable(&error)],
    };
    let found = names.into_iter().map(|name| {
        let path = format!("{folder}/{name}");
        let detail = if layout::is_salvaged_log(&name) {
            "the end of a message log that was cut short, kept for a person to look at"
        } else if layout::is_salvaged_stray(&name) {
            "a file that stood in the place of a redo log and is none, kept likewise"
        } else {
            "a version of a record that another program's took the place of, kept likewise"
        };
        Finding::new(path, FindingKind::Salvaged, detail)
    });
    found.collect()
}
