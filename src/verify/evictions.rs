//! Whether what was archived has a way back: the bundle that an edge or an eviction names, and
//! the edge that leads to what was evicted.

use std::collections::BTreeMap;

use super::{Finding, FindingKind};
use crate::{
    engine::{FileError, RelPath, View, mutant},
    id::{ArchiveRef, SubSessionId},
    layout,
    model::{Eviction, SubSession, SubSessionStatus},
};

/// How long the part of our own names of bundles is that is drawn at random.
const DRAWN: usize = 12;

/// What the walk found that is archived.
#[derive(Debug, Default)]
pub(super) struct Archived {
    /// The edges that name a bundle, with the paths of their records.
    pub(super) edges: BTreeMap<SubSessionId, (RelPath, SubSession)>,
    pub(super) evictions: Vec<(RelPath, Eviction)>,
    /// Whether the record of an edge could not be read.
    pub(super) is_blind: bool,
    /// Whether all edges were seen.
    pub(super) is_all: bool,
}

impl Archived {
    pub(super) fn edge(&mut self, path: &RelPath, edge: &SubSession) {
        if edge.status == SubSessionStatus::Archived {
            self.edges.insert(edge.id.clone(), (path.clone(), edge.clone()));
        }
    }

    /// What is archived and has no way back.
    pub(super) fn findings(&self, view: &View<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        match view.list(&layout::archive()) {
            Ok(names) => {
                let bundles = Bundles { view, any: !names.is_empty() };
                self.bundles(&bundles, &mut findings);
            }
            Err(error) => findings.push(Finding::unreadable(&error)),
        }
        for (path, eviction) in &self.evictions {
            if let Some(detail) = self.stranded(eviction) {
                let kind = FindingKind::StrandedEviction;
                findings.push(Finding::new(path.as_str(), kind, detail));
            }
        }
        findings
    }

    fn bundles(&self, bundles: &Bundles<'_>, findings: &mut Vec<Finding>) {
        let of_edges = self
            .edges
            .values()
            .filter_map(|(path, edge)| Some((path, edge.archive_ref.as_deref()?, false)));
        let of_evictions = self
            .evictions
            .iter()
            .map(|(path, eviction)| (path, &*eviction.archive_ref, eviction.same_root));
        for (path, archive_ref, same_root) in of_edges.chain(of_evictions) {
            match bundles.missing(archive_ref, same_root) {
                Ok(None) => {}
                Ok(Some(detail)) => {
                    findings.push(Finding::new(path.as_str(), FindingKind::MissingBundle, detail));
                }
                Err(error) => findings.push(Finding::unreadable(&error)),
            }
        }
    }

    /// Why no edge leads back to what was evicted.
    fn stranded(&self, eviction: &Eviction) -> Option<String> {
        let Eviction { sub_session_id, archive_ref, session_id, .. } = eviction;
        let Some((_, edge)) = self.edges.get(sub_session_id) else {
            let detail = || {
                format!(
                    "the messages are in bundle {archive_ref}, and no archived sub-session \
                     {sub_session_id} says so: `restoreSession` puts them back"
                )
            };
            return self.is_all.then(detail);
        };
        if edge.child_session_id == *session_id && edge.archive_ref.as_ref() == Some(archive_ref) {
            return None;
        }
        Some(format!(
            "the messages are in bundle {archive_ref}, and sub-session {sub_session_id} names {} \
             of session {}: `restoreSession` puts them back",
            edge.archive_ref.as_deref().unwrap_or("none"),
            edge.child_session_id
        ))
    }
}

struct Bundles<'v> {
    view: &'v View<'v>,
    /// Whether there is anything among the bundles below this root.
    any: bool,
}

impl Bundles<'_> {
    /// What is wrong with a bundle that a record names. Another backend may keep it elsewhere:
    /// it is missed where its eviction says that it is below this root, or where it is called
    /// as ours are and others are here.
    fn missing(&self, archive_ref: &str, same_root: bool) -> Result<Option<String>, FileError> {
        let Ok(id) = ArchiveRef::parse(archive_ref) else { return Ok(None) };
        let marker = self.view.exists(&layout::bundle_marker(&id))?;
        let identity = self.view.exists(&layout::bundle_identity(&id))?;
        if marker && identity || mutant!(MissingBundlePasses) {
            return Ok(None);
        }
        let folder = layout::archive().id(&id);
        if !self.view.list(&folder)?.is_empty() {
            return Ok(Some(format!(
                "bundle {archive_ref} was never finished, or lost its marker"
            )));
        }
        let is_ours = archive_ref.len() == "arc_".len() + DRAWN;
        let missing = same_root || (is_ours && self.any);
        Ok(missing.then(|| format!("there is no bundle {archive_ref}")))
    }
}
