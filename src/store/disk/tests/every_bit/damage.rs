//! What a root may answer of which a bit was flipped.

use serde_json::{Value, json};

use super::answers::Names;
use crate::timestamp::Timestamp;

/// The reads that the record of a path concerns; all others answer as before.
pub(super) fn concerned(path: &str, names: &Names) -> &'static [&'static str] {
    match path.rsplit('/').next().unwrap() {
        "project.json" => &["project", "projects", "sessions"],
        "session.json" if path.contains(&names.child) => {
            &["child", "ancestry", "sessions", "evicted messages", "evicted count"]
        }
        "session.json" => &[
            "parent",
            "children",
            "ancestry",
            "drill",
            "summary",
            "messages",
            "envelopes",
            "streamed",
            "count",
            "last message",
            "after the first",
            "sessions",
        ],
        "subsession.json" => &["edge", "children", "ancestry", "drill"],
        "messages.jsonl" => {
            &["messages", "envelopes", "streamed", "count", "last message", "after the first"]
        }
        "summary.json" => &["summary"],
        "evicted.json" => &["eviction", "evicted messages", "evicted count"],
        _ if path.starts_with(".store/intents/") => &["intent"],
        _ if path.starts_with(".store/salvage/") => &[],
        other => panic!("{other}"),
    }
}

/// A record, before and after a bit of it was flipped.
pub(super) struct Damage<'t> {
    pub(super) text: &'t [u8],
    pub(super) was: &'t [u8],
}

impl Damage<'_> {
    /// Whether an answer is what the damaged text says; read by other code than ours.
    pub(super) fn says(&self, read: &str, answer: &Value, right: &Value, names: &Names) -> bool {
        match read {
            "messages" | "envelopes" | "streamed" | "count" => return self.log_says(read, answer),
            "last message" | "after the first" => return self.page_says(read, answer, names),
            _ => {}
        }
        let Ok(record) = serde_json::from_slice::<Value>(self.text) else { return false };
        let was: Value = serde_json::from_slice(self.was).unwrap();
        let differs = |keys: &[&str]| keys.iter().any(|key| record[key] != was[key]);
        // An edge that is another's is left out.
        let left_out = differs(&["tenantId", "parentSessionId", "childSessionId"]);
        let edges = |edges: &Value| match edges.as_array().unwrap().as_slice() {
            [] => left_out,
            [edge] => says_record(edge, &record),
            _ => false,
        };
        match read {
            "children" => edges(answer),
            "ancestry" => {
                let child = json!(names.child);
                *answer == json!([child]) && left_out
                    || *answer == json!([record["parentSessionId"], child])
            }
            "drill" => {
                let session = answer["session"] == right["session"]
                    || says_record(&answer["session"], &record);
                let children =
                    answer["children"] == right["children"] || edges(&answer["children"]);
                session && children && answer["ancestry"] == right["ancestry"]
            }
            "projects" | "sessions" => {
                let list = |page: &Value| page["items"].as_array().unwrap().clone();
                let (found, right) = (list(answer), list(right));
                let known = |item: &Value| right.contains(item) || says_record(item, &record);
                // What is another's, or another project's, is left out.
                let missing = right.len() - found.len();
                found.iter().all(known)
                    && missing <= usize::from(differs(&["tenantId", "projectId"]))
            }
            _ => says_record(answer, &record),
        }
    }

    /// The lines of the damaged log; its last one is left out when it is not ended.
    fn log_says(&self, read: &str, answer: &Value) -> bool {
        let text = String::from_utf8_lossy(self.text);
        let (mut messages, mut broken) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            match serde_json::from_str::<Value>(line) {
                Ok(message) => messages.push(message),
                Err(_) if !line.ends_with('\n') || line.trim().is_empty() => {}
                Err(_) => broken += 1,
            }
        }
        match read {
            // Lines are counted, whatever they say: `docs/messages.md` tells.
            "count" => *answer == json!(messages.len() + broken),
            _ if broken > 0 => false,
            "messages" => {
                let bare = messages.iter().map(|line| line["message"].clone());
                *answer == Value::Array(bare.collect())
            }
            _ => {
                let found = answer.as_array().unwrap();
                found.len() == messages.len()
                    && found.iter().zip(&messages).all(|(found, line)| says_record(found, line))
            }
        }
    }

    /// As [`Self::log_says`] of a part of the log, for which no other line has to be read.
    fn page_says(&self, read: &str, answer: &Value, names: &Names) -> bool {
        let text = String::from_utf8_lossy(self.text);
        let is_line = |line: &&str| {
            let unfinished = !line.ends_with('\n') && serde_json::from_str::<Value>(line).is_err();
            !unfinished && !line.trim().is_empty()
        };
        let lines: Vec<&str> = text.split_inclusive('\n').filter(is_line).collect();
        let from = match read {
            "last message" => lines.len().saturating_sub(1),
            _ => match lines.iter().position(|line| line.contains(&names.first_message)) {
                Some(first) => first + 1,
                None => return false,
            },
        };
        let message =
            |line: &&str| Some(serde_json::from_str::<Value>(line).ok()?["message"].clone());
        let part: Option<Vec<Value>> = lines[from..].iter().map(message).collect();
        part.is_some_and(|part| *answer == Value::Array(part))
    }
}

/// Whether an entity is what a record says: the same under every key, dates in either
/// of their forms.
fn says_record(answer: &Value, record: &Value) -> bool {
    let Some(fields) = answer.as_object() else { return false };
    fields.iter().all(|(key, value)| {
        let said = &record[key];
        let date = said.as_str().and_then(Timestamp::parse);
        value == said
            || date.is_some_and(|date| {
                *value == json!(date.as_millis()) || *value == json!(date.to_string())
            })
            || value.is_object() && says_record(value, said)
    })
}
