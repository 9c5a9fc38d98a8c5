//! What one store calls the records that both have, and answers without such names.

use std::collections::HashMap;

/// Dates of payloads are before this year, those of the stores' clocks are not.
const CLOCK_FROM: &str = "2025";
const DATE_LEN: usize = "2026-01-01T00:00:00.000Z".len();

/// A store's own ids, and the names that stand for them in every store.
#[derive(Default)]
pub struct Names {
    id_of: HashMap<String, String>,
    name_of: HashMap<String, String>,
}

impl Names {
    /// Lets `name` stand for a store's id.
    pub fn give(&mut self, name: &str, id: &str) {
        self.id_of.insert(name.to_owned(), id.to_owned());
        self.name_of.insert(id.to_owned(), name.to_owned());
    }

    /// The id that a name stands for; what is no name stands for itself.
    pub fn id<'n>(&'n self, name: &'n str) -> &'n str {
        self.id_of.get(name).map_or(name, String::as_str)
    }

    /// Replaces every id by its name and every time of the clock by `<now>`.
    pub fn normalize(&self, text: &str) -> String {
        let mut normal = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_of_an_id) {
            normal.push_str(&rest[..start]);
            rest = &rest[start..];
            let len = if is_clock_time(rest) {
                normal.push_str("<now>");
                DATE_LEN
            } else {
                let len = rest.find(|c| !is_of_an_id(c)).unwrap_or(rest.len());
                let word = &rest[..len];
                normal.push_str(self.name_of.get(word).map_or(word, String::as_str));
                len
            };
            rest = &rest[len..];
        }
        normal + rest
    }
}

fn is_of_an_id(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn is_clock_time(text: &str) -> bool {
    let date = text.get(..DATE_LEN);
    date.is_some_and(|date| crate::support::is_date(date) && date >= CLOCK_FROM)
}
