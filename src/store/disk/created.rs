//! What the index says about a record that a store of ours created, and its file does not: where
//! it comes among those of the same millisecond, and whose it is should it not be readable.

use sha2::{Digest as _, Sha256};

use crate::{id::TenantId, store::Order};

/// `transaction.place.owner`, in hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Creation {
    pub(super) order: Order,
    /// Tells the tenant from others.
    pub(super) owner: u64,
}

impl Creation {
    pub(super) fn text(self) -> String {
        format!("{}.{:x}", self.order.text(), self.owner)
    }

    /// Reads [`Self::text`].
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (order, owner) = text.rsplit_once('.')?;
        let owner = u64::from_str_radix(owner, 16).ok()?;
        Some(Self { order: Order::from_text(order)?, owner })
    }
}

/// What tells a tenant from others: 64 bits of the SHA-256 of its name, which may be long and
/// have any characters.
pub(super) fn mark_of(tenant: &TenantId) -> u64 {
    let sum = Sha256::digest(tenant.as_str().as_bytes());
    sum.iter().take(8).fold(0, |mark, byte| mark << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes() {
        let owner = mark_of(&TenantId::new("tnt_☂ a\n").unwrap());
        let creation = Creation { order: Order { transaction: 31, place: 2 }, owner };
        assert_eq!(creation.text(), format!("1f.2.{owner:x}"));
        assert_eq!(Creation::from_text(&creation.text()), Some(creation));
        for odd in ["", "1", "1.2", "1.2.x", "x.2.3"] {
            assert_eq!(Creation::from_text(odd), None, "{odd}");
        }
        assert_ne!(owner, mark_of(&TenantId::new("tnt_☂ a").unwrap()));
    }
}
