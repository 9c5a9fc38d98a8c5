//! What an error must be: its class, its details to the last key, its words.

use std::fmt::Debug;

use namzu_native::{Error, Result};
use serde_json::{Value, json};

/// The error of a call that must be refused.
pub fn refusal<T: Debug>(result: Result<T>) -> Error {
    result.unwrap_err()
}

/// Asserts class and details; a plain `Error` has no details.
#[track_caller]
pub fn expect_error<T: Debug>(result: Result<T>, name: &str, details: &Value) -> Error {
    let error = refusal(result);
    assert_eq!(error.name(), name, "{error}");
    assert_eq!(details_of(&error), *details, "{error}");
    error
}

/// The details of an error as a value, `null` when it has none.
pub fn details_of(error: &Error) -> Value {
    error.details().map_or(Value::Null, |text| serde_json::from_str(&text).unwrap())
}

/// Asserts that an error has this name.
#[track_caller]
fn expect_named<T: Debug>(result: Result<T>, name: &str) -> Error {
    let error = result.unwrap_err();
    assert_eq!(error.name(), name, "{error}");
    error
}

/// Asserts a plain `Error` that says that `id` was not found.
#[track_caller]
pub fn expect_not_found<T: Debug>(result: Result<T>, id: &str) {
    let error = expect_named(result, "NotFoundError");
    let message = error.to_string();
    assert!(message.contains(id) && message.contains("not found"), "{message}");
}

/// Asserts that `requested` was kept out of `resource`, and that both are named.
#[track_caller]
pub fn expect_isolation<T: Debug>(result: Result<T>, requested: &str, resource: &str) {
    let details = json!({ "requested": requested, "resource": resource });
    let message = expect_error(result, "TenantIsolationError", &details).to_string();
    assert!(message.contains(requested) && message.contains(resource), "{message}");
}

/// Asserts that a session was kept because edges name it.
#[track_caller]
pub fn expect_attached<T: Debug>(result: Result<T>) -> Error {
    let error = expect_named(result, "AttachedSubSessionsError");
    assert!(error.to_string().contains("attached sub-sessions"), "{error}");
    error
}

/// Asserts that reading through a cycle was refused, with the path that was walked.
#[track_caller]
pub fn expect_cycle<T: Debug>(result: Result<T>, path: &[&str]) {
    let details = json!({ "sessionId": path.first(), "cyclePath": path });
    let message = expect_error(result, "AncestryCycleError", &details).to_string();
    assert!(message.contains("cycle"), "{message}");
}

/// Asserts that `value` was refused as an id of `kind`.
#[track_caller]
pub fn expect_invalid_id<T: Debug>(result: Result<T>, kind: &str, value: &str) {
    let error = refusal(result);
    assert_eq!(error.name(), "InvalidIdError", "{error}");
    let details = details_of(&error);
    assert_eq!(details.get("kind"), Some(&json!(kind)));
    assert_eq!(details.get("value"), Some(&json!(value)));
    let expected = details.get("expected").and_then(Value::as_str).unwrap();
    assert!(!expected.is_empty() && error.to_string().contains(expected), "{error}");
    assert_eq!(details.as_object().unwrap().len(), 3, "{details}");
}

/// Asserts damage to one file, told by its path below the root and its line.
#[track_caller]
pub fn expect_corrupt<T: Debug>(result: Result<T>, path: &str, line: Option<u64>) -> String {
    let error = refusal(result);
    assert_eq!(error.name(), "CorruptRecordError", "{error}");
    let details = details_of(&error);
    let reason = details.get("reason").and_then(Value::as_str).unwrap().to_owned();
    let mut expected = json!({ "path": path, "reason": reason });
    if let Some(line) = line {
        expected["line"] = json!(line);
    }
    assert_eq!(details, expected);
    let message = error.to_string();
    assert!(message.contains(path) && message.contains(&reason), "{message}");
    reason
}
