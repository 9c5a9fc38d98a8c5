//! What a session refuses while its messages are in an archive only.

use super::super::Records;
use crate::{
    error::{Error, Result},
    id::SessionId,
};

/// Refuses a session whose messages were evicted: a second log beside the archived
/// one would leave neither whole.
pub(crate) fn refuse(records: &(impl Records + ?Sized), session: &SessionId) -> Result<()> {
    match records.eviction(session)? {
        None => Ok(()),
        Some(eviction) => Err(Error::SessionEvicted {
            session_id: session.clone(),
            archive_ref: eviction.archive_ref.into(),
        }),
    }
}
