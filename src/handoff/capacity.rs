//! How deep and how wide a project lets its sessions delegate.

use crate::error::{Error, Result};

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// How long a chain of delegations may be.
    Depth,
    /// How many children one session may have.
    Width,
}

impl Dimension {
    /// The contract's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Width => "width",
        }
    }
}

/// Refuses what would exceed a limit.
///
/// # Errors
/// [`Error::CapacityExceeded`] when `current` is above `limit`.
pub fn check_capacity(
    dimension: Dimension,
    current: f64,
    limit: f64,
    session_id: &str,
) -> Result<()> {
    if current > limit {
        let session_id = session_id.to_owned();
        return Err(Error::CapacityExceeded { dimension, current, limit, session_id });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_may_be_reached_and_not_passed() {
        assert!(check_capacity(Dimension::Depth, 4.0, 4.0, "ses_a").is_ok());
        let error = check_capacity(Dimension::Width, 9.0, 8.0, "ses_a").unwrap_err();
        assert_eq!(
            error.details().unwrap(),
            r#"{"dimension":"width","current":9,"limit":8,"sessionId":"ses_a"}"#
        );
        assert!(error.to_string().contains("Delegation capacity exceeded"));
    }
}
