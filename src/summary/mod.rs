//! Summaries: what remains of a session for those who only need its outcome.
//!
//! Written over the application's store, whichever it is: everything that must hold
//! between several of these is the store's own to enforce, in `recordSummary`.

use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    id::{SessionId, SummaryId},
    json::{Fields, Json, ObjectWriter, string, string_literal},
    model::{Entity as _, Summary},
};

/// The longest summary of an agent, in UTF-16 code units.
const MAX_CHARS: u64 = 4000;

/// Whose summary it is to be, and what it says.
#[derive(Debug)]
pub struct SummaryRequest {
    session: Json,
    tenant: Json,
    outcome: Json,
    agent_summary: Json,
    deliverables: Json,
    key_decisions: Json,
}

impl SummaryRequest {
    /// Reads the input of `materialize`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], with the field named.
    pub fn from_payload(text: &str) -> Result<Self> {
        let read = || {
            let fields = Fields::of_payload(text)?;
            let part = |key, expected| fields.decoded(key, expected, |raw| Json::parse(raw).ok());
            Ok::<_, crate::json::Invalid>(Self {
                session: fields.literal("sessionId")?,
                tenant: fields.literal("tenantId")?,
                outcome: part("finalOutcome", "an object")?,
                agent_summary: fields.literal("agentSummary")?,
                deliverables: part("declaredDeliverables", "an array")?,
                key_decisions: part("keyDecisions", "an array")?,
            })
        };
        read().map_err(|invalid| Error::argument("input", invalid))
    }

    fn of_session(&self) -> Arguments {
        Arguments::none().json(self.session.as_str()).json(self.tenant.as_str())
    }
}

/// Makes a session's summary and has the store record it; answers it as JSON.
///
/// The host's objects are `store`, and `deps` with `generateSummaryId` and `now`.
///
/// # Errors
/// [`Error::AgentSummaryTooLong`], [`Error::NotFound`],
/// [`Error::SessionAlreadySummarized`], or what the application's objects throw.
pub async fn materialize(host: &dyn Host, request: &SummaryRequest) -> Result<String> {
    let actual = utf16_len(request.agent_summary.as_str());
    if actual > MAX_CHARS {
        return Err(Error::AgentSummaryTooLong { actual, max: MAX_CHARS });
    }
    let id = string(request.session.as_str()).unwrap_or_default().into_owned();
    if absent(host.call("store", "getSession", request.of_session()).await?).is_none() {
        return Err(Error::NotFound { kind: "Session", id });
    }
    if let Some(existing) = absent(host.call("store", "getSummary", request.of_session()).await?) {
        return Err(Error::SessionAlreadySummarized {
            session_id: SessionId::parse(&id)?,
            existing_summary_id: id_of(&existing)?,
        });
    }
    let literal = |answer: Option<String>| answer.as_deref().and_then(string_literal);
    let summary_id = literal(host.call("deps", "generateSummaryId", Arguments::none()).await?);
    let at = literal(host.call("deps", "now", Arguments::none()).await?);
    let mut json = ObjectWriter::with_capacity(1024);
    json.raw("id", summary_id.as_ref().map_or("null", Json::as_str));
    json.raw("sessionRef", request.session.as_str());
    json.raw("tenantId", request.tenant.as_str());
    json.raw("outcome", request.outcome.as_str());
    json.raw("deliverables", request.deliverables.as_str());
    json.raw("agentSummary", request.agent_summary.as_str());
    json.raw("keyDecisions", request.key_decisions.as_str());
    json.raw("at", at.as_ref().map_or("null", Json::as_str));
    json.string("materializedBy", "kernel");
    let summary = Summary::from_payload(&json.finish())
        .map_err(|invalid| Error::argument("summary", invalid))?
        .to_json();
    record(host, &summary, request.tenant.as_str()).await?;
    Ok(summary)
}

/// The session's summary as JSON, where there is one. Where the session still counts as
/// working, the summary's effect on it is made good.
///
/// # Errors
/// What the application's objects throw.
pub async fn recover(host: &dyn Host, session: &str, tenant: &str) -> Result<Option<String>> {
    let arguments = || Arguments::none().string(session).string(tenant);
    let Some(summary) = absent(host.call("store", "getSummary", arguments()).await?) else {
        return Ok(None);
    };
    let found = absent(host.call("store", "getSession", arguments()).await?);
    let status = found.as_deref().and_then(|text| {
        let fields = Fields::parse(text).ok()?;
        fields.decoded("status", "", string).ok().map(std::borrow::Cow::into_owned)
    });
    if matches!(status.as_deref(), Some("active" | "locked" | "awaiting_merge")) {
        let tenant = serde_json::Value::from(tenant).to_string();
        record(host, &summary, &tenant).await?;
    }
    Ok(Some(summary))
}

async fn record(host: &dyn Host, summary: &str, tenant: &str) -> Result<()> {
    let arguments = Arguments::none().json(summary).json(tenant);
    host.call("store", "recordSummary", arguments).await.map(drop)
}

/// What a store answers for nothing: `null` or `undefined`.
fn absent(answer: Option<String>) -> Option<String> {
    answer.filter(|text| text != "null")
}

fn id_of(summary: &str) -> Result<SummaryId> {
    Fields::of_payload(summary)
        .and_then(|fields| fields.opaque_id("id", SummaryId::new))
        .map_err(|invalid| Error::argument("summary", invalid))
}

/// The length, in UTF-16 code units, of what a literal stands for.
fn utf16_len(literal: &str) -> u64 {
    let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or("");
    let mut len = 0;
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        len += character.len_utf16() as u64;
        // An escape stands for one unit, whatever follows its backslash.
        if character == '\\' && characters.next() == Some('u') {
            characters.nth(3);
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_as_long_as_javascript_says() {
        for (literal, len) in [
            (r#""""#, 0),
            (r#""abc""#, 3),
            (r#""a\n\\\"b""#, 5),
            (r#""\ud83d\ude00""#, 2),
            ("\"\u{1f600}☂\"", 3),
            (r#""\ud800x""#, 2),
        ] {
            assert_eq!(utf16_len(literal), len, "{literal}");
        }
    }
}
