//! Listing in pages whose cursors stay valid while records come and go.
//!
//! A cursor says after which record to go on, by what the order is made of: when
//! the record was created, where it comes among those of the same millisecond, then its
//! id. It names a place in the order, not a record that must still be there.

use crate::{
    error::Error,
    json::{Fields, Invalid, ObjectWriter, string, whole_number},
    model::Entity,
    timestamp::Timestamp,
};

/// Records of a page that does not say how many it wants.
const DEFAULT_LIMIT: usize = 100;

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The most records that the page may have.
    pub limit: usize,
    /// The place after which it starts; the start of the list where there is none.
    pub after: Option<Place>,
}

/// Where a record comes among those that were created in the same millisecond. Those that a
/// store of ours did not create come first, and have no order but that of their ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// The number of the transaction that created it.
    pub transaction: u64,
    /// Which of that transaction's records it is, counted from 0.
    pub place: u64,
}

/// A place in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// When the record at this place was created.
    pub created_at: Timestamp,
    /// Where it comes among those of the same millisecond.
    pub order: Order,
    /// Which damaged records were named by then, as [`Damaged::sum`] tells.
    pub damaged: u32,
    /// The record's id.
    pub id: String,
}

/// A part of a list, and where the next part starts if there is one.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The records, oldest first.
    pub items: Vec<T>,
    /// The place of the last one, when more come after it.
    pub next: Option<Place>,
    /// The records that belong to the list and cannot be read, each named once in all its pages
    /// unless others become damaged meanwhile.
    pub damaged: Vec<Damaged>,
}

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The id that it is kept under.
    pub id: String,
    /// Its file, relative to the root, with `/` between components.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What says of a record that it cannot be read, however often it is tried, and of nothing else.
const UNREADABLE: [&str; 6] = ["EACCES", "EINVAL", "EISDIR", "ELOOP", "EMLINK", "EPERM"];

impl Damaged {
    /// Whether an error is about one record alone, which others are listed without.
    #[must_use]
    pub fn is_told_by(error: &Error) -> bool {
        match error {
            Error::CorruptRecord { .. } => true,
            Error::StoreIo { code, .. } => UNREADABLE.contains(&code.as_str()),
            _ => false,
        }
    }

    /// A record that could not be read for this reason.
    #[must_use]
    pub fn of(id: &str, error: Error) -> Self {
        let (path, reason) = match error {
            Error::CorruptRecord { path, reason, .. } => (path, reason),
            Error::StoreIo { path, op, code, .. } => (path, format!("{op} failed with {code}")),
            other => (String::new(), other.to_string()),
        };
        Self { id: id.to_owned(), path, reason }
    }

    /// Tells some damaged records from others; 0 where there are none.
    #[must_use]
    pub fn sum(damaged: &[Self]) -> u32 {
        let mut ids: Vec<&str> = damaged.iter().map(|one| one.id.as_str()).collect();
        ids.sort_unstable();
        crc32fast::hash(ids.join(" ").as_bytes())
    }
}

impl Entity for Damaged {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::with_capacity(256);
        json.string("id", &self.id).string("path", &self.path).string("reason", &self.reason);
        json.finish()
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: DEFAULT_LIMIT, after: None }
    }
}

impl PageRequest {
    /// Reads `{ limit?, cursor? }`.
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let limit = fields.optional("limit", "a whole number from 1", |raw| {
            whole_number(raw).filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok())
        })?;
        let after = fields.optional("cursor", "the nextCursor of an earlier page", |raw| {
            Place::from_cursor(&string(raw)?)
        })?;
        Ok(Self { limit: limit.unwrap_or(DEFAULT_LIMIT), after })
    }
}

impl Order {
    /// The order as text, `transaction.place` in hexadecimal digits.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:x}.{:x}", self.transaction, self.place)
    }

    /// Reads [`Self::text`].
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (transaction, place) = text.split_once('.')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(Self { transaction: number(transaction)?, place: number(place)? })
    }
}

impl Place {
    /// The place as a cursor: `milliseconds.transaction.place.damaged.id`.
    #[must_use]
    pub fn cursor(&self) -> String {
        let Self { created_at, order, damaged, id } = self;
        format!("{}.{}.{damaged:x}.{id}", created_at.as_millis(), order.text())
    }

    /// Reads a cursor; also one of 0.1, which is `milliseconds.id`.
    fn from_cursor(text: &str) -> Option<Self> {
        let (millis, rest) = text.split_once('.')?;
        let created_at = Timestamp::from_millis(millis.parse().ok()?)?;
        let place =
            |order, damaged, id: &str| Self { created_at, order, damaged, id: id.to_owned() };
        let mut parts = rest.splitn(4, '.');
        let mut next = || parts.next();
        if let (Some(transaction), Some(at), Some(damaged), Some(id)) =
            (next(), next(), next(), next())
            && let Some(order) = Order::from_text(&format!("{transaction}.{at}"))
            && let Ok(damaged) = u32::from_str_radix(damaged, 16)
        {
            return Some(place(order, damaged, id));
        }
        Some(place(Order::default(), 0, rest))
    }
}

impl<T> Page<T> {
    /// The page of a list without records.
    #[must_use]
    pub fn empty() -> Self {
        Self { items: Vec::new(), next: None, damaged: Vec::new() }
    }
}

impl<T: Entity> Entity for Page<T> {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::with_capacity(1024);
        json.raw("items", &self.items.to_json());
        json.optional_string("nextCursor", self.next.as_ref().map(Place::cursor).as_deref());
        if !self.damaged.is_empty() {
            json.raw("damaged", &self.damaged.to_json());
        }
        json.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let order = Order { transaction: 0x1f, place: 3 };
        for id in ["ses_a.b", "ses_a"] {
            let created_at = Timestamp::now();
            let place = Place { created_at, order, damaged: 7, id: id.to_owned() };
            let text = format!(r#"{{"limit":3,"cursor":"{}"}}"#, place.cursor());
            let request = PageRequest::from_payload(&text).unwrap();
            assert_eq!(request, PageRequest { limit: 3, after: Some(place) });
        }
        assert_eq!(PageRequest::from_payload("{}").unwrap(), PageRequest::default());
    }

    #[test]
    fn a_cursor_of_an_earlier_release_reads_too() {
        let request = PageRequest::from_payload(r#"{"cursor":"12.ses_a-b"}"#).unwrap();
        let place = request.after.unwrap();
        assert_eq!((place.id.as_str(), place.order), ("ses_a-b", Order::default()));
        assert_eq!(place.created_at.as_millis(), 12);
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for bad in [r#"{"limit":0}"#, r#"{"limit":-1}"#, r#"{"limit":1.5}"#, r#"{"cursor":"x"}"#] {
            assert!(PageRequest::from_payload(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn damage_is_of_one_record_and_lasts() {
        let io = |code: &str| Error::StoreIo {
            op: "read",
            place: None,
            path: "p".to_owned(),
            code: code.to_owned(),
            outcome: crate::error::Outcome::NotDone,
        };
        assert!(Damaged::is_told_by(&io("EISDIR")));
        for passing in ["EMFILE", "ENOMEM", "EIO"] {
            assert!(!Damaged::is_told_by(&io(passing)));
        }
        assert_eq!(Damaged::sum(&[]), 0);
        let damaged = |id| Damaged::of(id, io("EISDIR"));
        assert_eq!(
            Damaged::sum(&[damaged("a"), damaged("b")]),
            Damaged::sum(&[damaged("b"), damaged("a")])
        );
    }
}
