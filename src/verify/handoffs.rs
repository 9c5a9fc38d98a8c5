//! What is on record of unfinished handoffs.

use super::{FindingKind, tree::Walk};
use crate::{layout, model::Intent};

impl Walk<'_> {
    /// Reads every intent. One whose process may still run is no finding.
    pub(super) fn handoffs(&mut self) {
        let names = self.names(&layout::intents());
        for source in layout::intended(&names) {
            let file = layout::intent_file(&source);
            let intent = self.record::<Intent>(&file, source.as_str()).value();
            if intent.is_some_and(|intent| !intent.process.may_run()) {
                let detail = "the process of this handoff has ended: recoverHandoffs undoes it";
                self.find(file.as_str(), FindingKind::Leftover, detail);
            }
        }
    }
}
