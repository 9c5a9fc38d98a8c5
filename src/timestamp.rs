//! Points in time, to the millisecond, as JavaScript's `Date` has them.

use std::fmt;

/// A point in time: whole milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// What a text must be to parse, for an error.
    pub const EXPECTED: &'static str = "a valid date of the years -9999 to 9999";

    /// The current time, cut to whole milliseconds.
    #[must_use]
    pub fn now() -> Self {
        let now = jiff::Timestamp::now();
        Self(jiff::Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now))
    }

    /// Reads an ISO 8601 date with a time zone; digits below a millisecond are cut.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let instant: jiff::Timestamp = text.parse().ok()?;
        Some(Self(jiff::Timestamp::from_millisecond(instant.as_millisecond()).ok()?))
    }

    /// The point in time that many milliseconds after 1970; `None` outside the years
    /// that a record can hold.
    #[must_use]
    pub fn from_millis(millis: i64) -> Option<Self> {
        Some(Self(jiff::Timestamp::from_millisecond(millis).ok()?))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }
}

/// `YYYY-MM-DDTHH:mm:ss.sssZ`, as `Date.prototype.toISOString` writes it.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_the_form_of_to_iso_string() {
        for text in
            ["2026-11-29T14:04:40.626Z", "1969-12-31T23:59:59.001Z", "0001-01-01T00:00:00.000Z"]
        {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        let offset = Timestamp::parse("2026-01-01T02:00:00+02:00").unwrap();
        assert_eq!(offset.to_string(), "2026-01-01T00:00:00.000Z");
        assert!(Timestamp::parse("yesterday").is_none());
        assert!(Timestamp::parse("2026-01-01").is_none());
    }

    #[test]
    fn now_has_whole_milliseconds() {
        let now = Timestamp::now();
        assert_eq!(Timestamp::parse(&now.to_string()).unwrap(), now);
    }
}
