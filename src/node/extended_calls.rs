//! Each method beyond the contract as JavaScript calls it, over any store of ours.

use serde_json::value::RawValue;

use super::{
    bridge::Text,
    calls::{Texts, answer, optional_text, payload, tenant, text, texts},
};
use crate::{
    error::{Error, Result},
    json::{Fields, Invalid, Word as _, string},
    model::{Message, ProjectConfigPart, SessionStatus},
    store::{Answer, ExtendedSessionStore, Form, PageRequest, Selection},
};

pub fn update_project<S: ExtendedSessionStore>(
    s: &S,
    id: String,
    config: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    let start = || {
        let part = payload("config", ProjectConfigPart::from_payload(&config))?;
        Ok(s.update_project(&id, part, &tenant(&t)?))
    };
    answer(start(), optional_text)
}

pub fn list_projects<S: ExtendedSessionStore>(
    s: &S,
    t: String,
    page: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let page = payload("page", PageRequest::from_payload(&page))?;
        Ok(s.list_projects(&tenant(&t)?, &page))
    };
    answer(start(), |page| text(&page))
}

pub fn list_sessions_by_project<S: ExtendedSessionStore>(
    s: &S,
    project: String,
    t: String,
    options: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let page = payload("options", PageRequest::from_payload(&options))?;
        let status = payload("options", status(&options))?;
        Ok(s.list_sessions_by_project(&project, status, &tenant(&t)?, &page))
    };
    answer(start(), |page| text(&page))
}

fn status(options: &str) -> Result<Option<SessionStatus>, Invalid> {
    let fields = Fields::of_payload(options)?;
    fields.optional("status", &SessionStatus::expected(), |raw| {
        SessionStatus::from_word(&string(raw)?)
    })
}

/// Answers the ids as the text of an array.
pub fn append_messages<S: ExtendedSessionStore>(
    s: &S,
    session: String,
    list: String,
    key: Option<String>,
    t: String,
) -> impl Answer<Text> + use<S> {
    let start = || Ok(s.append_messages(&session, messages(&list)?, key, &tenant(&t)?));
    answer(start(), |ids| {
        let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        Text(serde_json::Value::from(ids).to_string())
    })
}

pub fn load_selected<S: ExtendedSessionStore>(
    s: &S,
    session: String,
    options: String,
    form: Form,
    t: String,
) -> impl Answer<Texts> + use<S> {
    let start = || {
        let selection = payload("options", Selection::from_payload(&options))?;
        Ok(s.load_selected(&session, &selection, form, &tenant(&t)?))
    };
    answer(start(), texts)
}

pub fn replace_messages<S: ExtendedSessionStore>(
    s: &S,
    session: String,
    list: String,
    t: String,
) -> impl Answer<()> + use<S> {
    let start = || Ok(s.replace_messages(&session, messages(&list)?, &tenant(&t)?));
    answer(start(), |()| ())
}

pub fn count_messages<S: ExtendedSessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<f64> + use<S> {
    #[expect(clippy::cast_precision_loss, reason = "no log has 2^53 messages")]
    answer(tenant(&t).map(|t| s.count_messages(&session, &t)), |count| count as f64)
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
