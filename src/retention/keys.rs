//! The idempotency keys of messages that are evicted. They stay with the session, in the record
//! of its eviction: an interface hands over messages without them.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use memchr::memmem::Finder;

use crate::{
    json::{Fields, Json, ObjectWriter, string},
    model::{LogLine, MessageLine},
};

/// A key inside a message cannot be mistaken for good: every hit is parsed.
static IDEMPOTENCY_KEY: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("\"idempotencyKey\""));

/// The keys that are found in a log, each with the ids of its messages.
#[derive(Debug, Default)]
pub(super) struct FoundKeys(BTreeMap<String, Vec<String>>);

impl FoundKeys {
    /// Takes note of the keys in some whole lines.
    pub(super) fn note(&mut self, lines: &[u8]) {
        if IDEMPOTENCY_KEY.find(lines).is_none() {
            return;
        }
        for line in lines.split(|byte| *byte == b'\n') {
            let Ok(parsed) = LogLine::parse(line) else { continue };
            for message in parsed.messages() {
                let key = message.idempotency_key.and_then(string);
                if let (Some(key), Some(id)) = (key, string(message.id)) {
                    self.0.entry(key.into_owned()).or_default().push(id.into_owned());
                }
            }
        }
    }

    /// What the record of the eviction says of them.
    pub(super) fn to_json(&self) -> Option<Json> {
        let mut json = ObjectWriter::new();
        for (key, ids) in &self.0 {
            json.strings(key, ids);
        }
        (!self.0.is_empty()).then(|| json.finish_value())
    }
}

/// The keys that a record of an eviction has: by the id of a message, the key's literal.
#[derive(Debug, Default)]
pub(super) struct KeptKeys(HashMap<String, Json>);

impl KeptKeys {
    /// Reads what [`FoundKeys::to_json`] wrote.
    pub(super) fn of(keys: Option<&Json>) -> Self {
        let fields = keys.and_then(|json| Fields::parse(json.as_str()).ok());
        let mut kept = HashMap::new();
        for (key, ids) in fields.iter().flat_map(|fields| fields.others(&[])) {
            let ids: Vec<String> = serde_json::from_str(ids.as_str()).unwrap_or_default();
            kept.extend(ids.into_iter().map(|id| (id, Json::string(&key))));
        }
        Self(kept)
    }

    /// The same whole lines, with the keys of those messages that lost them.
    pub(super) fn give_back(&self, lines: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() {
            return lines;
        }
        let mut text = Vec::with_capacity(lines.len());
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match self.with_key(line) {
                Some(line) => text.extend_from_slice(line.as_bytes()),
                None => text.extend_from_slice(line),
            }
        }
        text
    }

    fn with_key(&self, line: &[u8]) -> Option<String> {
        let Ok(LogLine::Message(message)) = LogLine::parse(line.strip_suffix(b"\n")?) else {
            return None;
        };
        let key = self.0.get(&*string(message.id)?).filter(|_| message.idempotency_key.is_none());
        let mut text = String::with_capacity(line.len() + 64);
        MessageLine { idempotency_key: Some(key?.as_str()), ..message }.write_line(&mut text);
        text.push('\n');
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_to_the_messages_that_lost_them_and_to_no_others() {
        let line = |id: &str, rest: &str| {
            format!(
                r#"{{"id":"{id}","sessionId":"ses_a","tenantId":"t","message":{{"idempotencyKey":1}},"at":"2026-01-02T03:04:05.678Z"{rest}}}"#
            ) + "\n"
        };
        let key = |key: &str| format!(r#","idempotencyKey":{key}"#);
        let quoted = r#""k\n\"1""#;
        let log = [line("a", &key(quoted)), line("b", &key(quoted)), line("c", "")].concat()
            + &line("d", &key("\"__proto__\""));
        let mut found = FoundKeys::default();
        found.note(log.as_bytes());
        let json = found.to_json().unwrap();
        let kept = KeptKeys::of(Some(&json));
        let bare = ["a", "b", "c", "d"].map(|id| line(id, "")).concat();
        assert_eq!(String::from_utf8(kept.give_back(bare.clone().into())).unwrap(), log);
        assert_eq!(kept.give_back(log.clone().into()), log.as_bytes());
        let others = line("a", &key("\"other\"")) + &line("e", "") + "\n broken\n";
        assert_eq!(kept.give_back(others.clone().into()), others.as_bytes());
        assert_eq!(KeptKeys::of(None).give_back(bare.clone().into()), bare.as_bytes());
        let mut none = FoundKeys::default();
        none.note(bare.as_bytes());
        assert!(none.to_json().is_none());
    }
}
