//! Points in time, to the millisecond, as JavaScript's `Date` has them.

use std::{
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

const DAY: i64 = 86_400_000;
/// JavaScript's dates reach 100,000,000 days either way from 1970.
const LIMIT: i64 = 100_000_000 * DAY;

/// A point in time: whole milliseconds since 1970 in UTC, as far as a `Date` reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// What a text must be to parse, for an error.
    pub const EXPECTED: &'static str = "a valid date";

    /// The current time, cut to whole milliseconds.
    #[must_use]
    pub fn now() -> Self {
        let millis = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(LIMIT);
        Self(match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => millis(since),
            Err(before) => -millis(before.duration()),
        })
    }

    /// The time of a `Date`'s number; `None` for one that no valid date has.
    #[must_use]
    pub fn from_millis(millis: i64) -> Option<Self> {
        (-LIMIT..=LIMIT).contains(&millis).then_some(Self(millis))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads an ISO 8601 date with a time zone: `YYYY-MM-DDTHH:mm:ss`, or a year with a
    /// sign and six digits, then a fraction of a second or none, cut to milliseconds,
    /// then `Z` or an offset.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut at = Cursor(text.as_bytes());
        let year = at.year()?;
        let month = at.after(b'-', 2).filter(|month| (1..=12).contains(month))?;
        let day = at.after(b'-', 2).filter(|day| *day > 0)?;
        // Every month has 28, and to find out how many more takes longer than all the rest.
        if day > 28 && day > days_in(year, month) {
            return None;
        }
        let hour = at.after(b'T', 2).filter(|hour| *hour < 24)?;
        let minute = at.after(b':', 2).filter(|minute| *minute < 60)?;
        let second = at.after(b':', 2).filter(|second| *second < 60)?;
        let fraction = at.fraction()?;
        let offset = at.offset()?;
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction;
        Self::from_millis(days_before(year, month, day) * DAY + time)
    }
}

/// `YYYY-MM-DDTHH:mm:ss.sssZ`, as `Date.prototype.toISOString` writes it; years outside
/// 0 to 9999 have a sign and six digits.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0.div_euclid(DAY));
        let millis = self.0.rem_euclid(DAY);
        match year {
            0..=9999 => write!(f, "{year:04}")?,
            _ => write!(f, "{year:+07}")?,
        }
        let (hour, minute) = (millis / 3_600_000, millis / 60_000 % 60);
        let (second, millis) = (millis / 1000 % 60, millis % 1000);
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar (Hinnant's algorithm: years
/// begin in March, so that a leap day is the last, and repeat every 400).
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let year_of_era = year.rem_euclid(400);
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_before`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_in(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_before(next_year, next, 1) - days_before(year, month, 1)
}

/// What is left of a date's text.
struct Cursor<'t>(&'t [u8]);

impl Cursor<'_> {
    fn take(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == byte).then_some(())
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    }

    fn after(&mut self, byte: u8, digits: usize) -> Option<i64> {
        self.take(byte)?;
        self.digits(digits)
    }

    fn sign(&mut self) -> Option<i64> {
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = self.0.get(1..)?;
        Some(sign)
    }

    fn year(&mut self) -> Option<i64> {
        match self.sign() {
            Some(sign) => {
                // ISO 8601 has no year -0.
                let year = self.digits(6)?;
                (sign > 0 || year > 0).then_some(sign * year)
            }
            None => self.digits(4),
        }
    }

    fn fraction(&mut self) -> Option<i64> {
        if self.0.first() != Some(&b'.') {
            return Some(0);
        }
        self.take(b'.')?;
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let millis = (0..3).fold(0, |number, n| {
            let digit = self.0.get(n).filter(|_| n < count).map_or(0, |digit| digit - b'0');
            number * 10 + i64::from(digit)
        });
        self.0 = self.0.get(count..)?;
        (count > 0).then_some(millis)
    }

    /// Minutes east of UTC; nothing may follow.
    fn offset(&mut self) -> Option<i64> {
        let minutes = match self.sign() {
            Some(sign) => sign * (self.digits(2)? * 60 + self.after(b':', 2)?),
            None => {
                self.take(b'Z')?;
                0
            }
        };
        self.0.is_empty().then_some(minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_the_form_of_to_iso_string() {
        for (text, millis) in [
            ("2026-11-29T14:04:40.626Z", 1_795_961_080_626),
            ("1970-01-01T00:00:00.000Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T12:00:00.000Z", 951_825_600_000),
            ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("+010000-01-01T00:00:00.000Z", 253_402_300_800_000),
            ("-000001-12-31T23:59:59.999Z", -62_167_219_200_001),
            ("+275760-09-13T00:00:00.000Z", LIMIT),
            ("-271821-04-20T00:00:00.000Z", -LIMIT),
        ] {
            let time = Timestamp::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((time.as_millis(), time.to_string().as_str()), (millis, text));
        }
    }

    #[test]
    fn every_day_of_several_centuries_reads_back() {
        for day in -200_000..200_000 {
            let time = Timestamp(day * DAY + 1);
            assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }

    #[test]
    fn takes_offsets_and_other_fractions() {
        let parsed = |text| Timestamp::parse(text).unwrap().to_string();
        assert_eq!(parsed("2026-01-01T02:00:00+02:00"), "2026-01-01T00:00:00.000Z");
        assert_eq!(parsed("2025-12-31T23:30:00.5-00:30"), "2026-01-01T00:00:00.500Z");
        assert_eq!(parsed("2026-01-01T00:00:00.123999Z"), "2026-01-01T00:00:00.123Z");
    }

    #[test]
    fn refuses_what_is_no_date() {
        for text in [
            "",
            "yesterday",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00Zx",
            "-000000-01-01T00:00:00Z",
            "+275760-09-13T00:00:00.001Z",
            "2026-01-01t00:00:00Z",
            "２026-01-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text:?}");
        }
    }
}
