//! Which run of the operating system this is.

use std::sync::LazyLock;

/// A number that changes when the machine starts anew; 0 where the system does not
/// tell, and then nothing is taken over from another process without looking.
pub(super) fn boot() -> u64 {
    static BOOT: LazyLock<u64> = LazyLock::new(|| {
        let id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        if id.is_empty() { 0 } else { fnv1a(&id) }
    });
    *BOOT
}

/// FNV-1a, to shorten the system's 36 characters.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
