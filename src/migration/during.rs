//! Says of a failed file operation what the migration was doing.

use std::{io, path::Path};

use crate::error::{MigrationFailure, MigrationOp};

/// Says what was being done to what when a file operation failed.
pub(super) trait During<T> {
    fn during(self, op: MigrationOp, path: &Path) -> Result<T, Box<MigrationFailure>>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, op: MigrationOp, path: &Path) -> Result<T, Box<MigrationFailure>> {
        self.map_err(|error| MigrationFailure::io(op, path, &error))
    }
}
