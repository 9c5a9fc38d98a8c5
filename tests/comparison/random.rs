//! A small generator of numbers that one seed determines.

/// Xorshift, 64 bits.
pub struct Random(u64);

impl Random {
    /// Neighbouring seeds must not start alike, so the seed is stirred first.
    pub fn new(seed: u64) -> Self {
        let stirred = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self((stirred ^ (stirred >> 29)).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from((self.next() >> 11) % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    /// Whether something of that likelihood, in percent, happens.
    pub fn percent(&mut self, likelihood: usize) -> bool {
        self.below(100) < likelihood
    }

    /// One of several things.
    pub fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }
}
