//! Listing in pages whose cursors stay valid while records come and go.
//!
//! A cursor says after which record to go on, by what the order is made of: when
//! the record was created, then its id. It names a place in the order, not a record
//! that must still be there.

use crate::{
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

/// A place in a list that is ordered by age, then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When the record at this place was created.
    pub created_at: Timestamp,
    /// Its id.
    pub id: String,
}

/// A part of a list, and where the next part starts if there is one.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The records, oldest first.
    pub items: Vec<T>,
    /// The place of the last one, when more come after it.
    pub next: Option<Place>,
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

impl Place {
    /// The place as a cursor.
    #[must_use]
    pub fn cursor(&self) -> String {
        format!("{}.{}", self.created_at.as_millis(), self.id)
    }

    fn from_cursor(text: &str) -> Option<Self> {
        let (millis, id) = text.split_once('.')?;
        let created_at = Timestamp::from_millis(millis.parse().ok()?)?;
        Some(Self { created_at, id: id.to_owned() })
    }
}

impl<T> Page<T> {
    /// The page of a list without records.
    #[must_use]
    pub fn empty() -> Self {
        Self { items: Vec::new(), next: None }
    }
}

impl<T: Entity> Entity for Page<T> {
    fn to_json(&self) -> String {
        let mut json = ObjectWriter::with_capacity(1024);
        json.raw("items", &self.items.to_json());
        json.optional_string("nextCursor", self.next.as_ref().map(Place::cursor).as_deref());
        json.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let place = Place { created_at: Timestamp::now(), id: "ses_a.b".to_owned() };
        let text = format!(r#"{{"limit":3,"cursor":"{}"}}"#, place.cursor());
        let request = PageRequest::from_payload(&text).unwrap();
        assert_eq!(request, PageRequest { limit: 3, after: Some(place) });
        assert_eq!(PageRequest::from_payload("{}").unwrap(), PageRequest::default());
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for bad in [r#"{"limit":0}"#, r#"{"limit":-1}"#, r#"{"limit":1.5}"#, r#"{"cursor":"x"}"#] {
            assert!(PageRequest::from_payload(bad).is_err(), "{bad}");
        }
    }
}
