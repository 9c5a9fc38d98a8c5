//! Each method beyond the contract as JavaScript calls it, over any store of ours.

use serde_json::value::RawValue;

use super::{
    bridge::Text,
    calls::{Texts, payload, tenant, text, texts},
};
use crate::{
    error::{Error, Result},
    json::{Fields, Invalid, Word as _, string},
    model::{Message, ProjectConfigPart, SessionStatus},
    store::{ExtendedSessionStore, Form, PageRequest, Selection},
};

pub async fn update_project(
    s: &impl ExtendedSessionStore,
    id: String,
    config: String,
    t: String,
) -> Result<Option<Text>> {
    let part = payload("config", ProjectConfigPart::from_payload(&config))?;
    Ok(s.update_project(&id, part, &tenant(&t)?).await?.as_ref().map(text))
}

pub async fn list_projects(s: &impl ExtendedSessionStore, t: String, page: String) -> Result<Text> {
    let page = payload("page", PageRequest::from_payload(&page))?;
    Ok(text(&s.list_projects(&tenant(&t)?, &page).await?))
}

pub async fn list_sessions_by_project(
    s: &impl ExtendedSessionStore,
    project: String,
    t: String,
    options: String,
) -> Result<Text> {
    let page = payload("options", PageRequest::from_payload(&options))?;
    let status = payload("options", status(&options))?;
    Ok(text(&s.list_sessions_by_project(&project, status, &tenant(&t)?, &page).await?))
}

fn status(options: &str) -> Result<Option<SessionStatus>, Invalid> {
    let fields = Fields::of_payload(options)?;
    fields.optional("status", &SessionStatus::expected(), |raw| {
        SessionStatus::from_word(&string(raw)?)
    })
}

/// Answers the ids as the text of an array.
pub async fn append_messages(
    s: &impl ExtendedSessionStore,
    session: String,
    list: String,
    key: Option<String>,
    t: String,
) -> Result<Text> {
    let messages = messages(&list)?;
    let ids = s.append_messages(&session, messages, key, &tenant(&t)?).await?;
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    Ok(Text(serde_json::Value::from(ids).to_string()))
}

pub async fn load_selected(
    s: &impl ExtendedSessionStore,
    session: String,
    options: String,
    form: Form,
    t: String,
) -> Result<Texts> {
    let selection = payload("options", Selection::from_payload(&options))?;
    Ok(texts(s.load_selected(&session, &selection, form, &tenant(&t)?).await?))
}

pub async fn replace_messages(
    s: &impl ExtendedSessionStore,
    session: String,
    list: String,
    t: String,
) -> Result<()> {
    let messages = messages(&list)?;
    s.replace_messages(&session, messages, &tenant(&t)?).await
}

pub async fn count_messages(
    s: &impl ExtendedSessionStore,
    session: String,
    t: String,
) -> Result<f64> {
    #[expect(clippy::cast_precision_loss, reason = "no log has 2^53 messages")]
    Ok(s.count_messages(&session, &tenant(&t)?).await? as f64)
}

fn messages(list: &str) -> Result<Vec<Message>> {
    let not_a_list = || Invalid::field("", "an array of messages", &crate::json::describe(list));
    let raws: Result<Vec<&RawValue>, _> = serde_json::from_str(list);
    let raws = raws.map_err(|_| Error::argument("messages", not_a_list()))?;
    let message = |(n, raw): (usize, &&RawValue)| {
        Message::from_payload(raw.get())
            .map_err(|invalid| Error::argument("messages", invalid.below(&n.to_string())))
    };
    raws.iter().enumerate().map(message).collect()
}
