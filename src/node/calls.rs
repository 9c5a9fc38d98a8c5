//! Each method of the contract as JavaScript calls it: text in, text out, over any
//! store. Of a new session or edge the id is enough, as the facade knows the rest. A call
//! does its part at once, so that calls take effect in their order; the future owns all it
//! needs.

use std::cell::RefCell;

use super::bridge::Text;
use crate::{
    error::{Error, Result},
    id::TenantId,
    json::Invalid,
    model::{Entity, Message, NewProject, NewSession, NewSubSession, Session, SubSession, Summary},
    store::{Answer, Log, SessionStore},
    timestamp::Timestamp,
};

/// A list of array texts, as [`Log`].
pub type Texts = Vec<Text>;

/// The caller's clock, as `Date.now()` tells it; the system's for what is no time.
pub fn clock(now: f64) -> Timestamp {
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of a millisecond is cut")]
    let millis = now.is_finite().then_some(now as i64);
    millis.and_then(Timestamp::from_millis).unwrap_or_else(Timestamp::now)
}

pub(super) fn tenant(text: &str) -> Result<TenantId> {
    let last =
        LAST_TENANT.with_borrow(|last| last.as_ref().filter(|last| last.as_str() == text).cloned());
    if let Some(same) = last {
        return Ok(same);
    }
    let tenant = TenantId::new(text).ok_or_else(|| Error::InvalidArgument {
        argument: "tenantId".to_owned(),
        expected: "a non-empty string".to_owned(),
        received: "empty string".to_owned(),
    })?;
    LAST_TENANT.set((text.len() <= LONGEST_KEPT).then(|| tenant.clone()));
    Ok(tenant)
}

/// How long a tenant's id may be, in bytes, that is kept for being recognized.
const LONGEST_KEPT: usize = 1024;

thread_local! {
    /// The tenant that called last: a caller that goes on is named again and again.
    static LAST_TENANT: RefCell<Option<TenantId>> = const { RefCell::new(None) };
}

pub(super) fn payload<T>(name: &str, decoded: Result<T, Invalid>) -> Result<T> {
    decoded.map_err(|invalid| Error::argument(name, invalid))
}

pub(super) fn text(entity: &impl Entity) -> Text {
    Text(entity.to_answer())
}

pub(super) fn optional_text(entity: Option<impl Entity>) -> Option<Text> {
    entity.as_ref().map(text)
}

pub(super) fn texts(log: Log) -> Texts {
    log.into_iter().map(Text).collect()
}

/// The answer of a call that was started, or why it was not, as JavaScript takes it.
pub(super) fn answer<T, U, F: Answer<T>, C: FnOnce(T) -> U + Send + 'static>(
    started: Result<F>,
    convert: C,
) -> impl Answer<U> {
    async move { Ok(convert(started?.await?)) }
}

pub fn create_project<S: SessionStore>(
    s: &S,
    params: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let new = payload("params", NewProject::from_payload(&params))?;
        Ok(s.create_project(new, &tenant(&t)?))
    };
    answer(start(), |project| text(&project))
}

pub fn get_project<S: SessionStore>(
    s: &S,
    id: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    answer(tenant(&t).map(|t| s.get_project(&id, &t)), optional_text)
}

pub fn create_session<S: SessionStore>(
    s: &S,
    params: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let new = payload("params", NewSession::from_payload(&params))?;
        Ok(s.create_session(new, &tenant(&t)?))
    };
    answer(start(), |session| text(&session))
}

pub fn get_session<S: SessionStore>(
    s: &S,
    id: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    answer(tenant(&t).map(|t| s.get_session(&id, &t)), optional_text)
}

pub fn update_session<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
    expected_owner_version: Option<f64>,
) -> impl Answer<()> + use<S> {
    let start = || {
        let session = payload("session", Session::from_payload(&session))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the facade lets whole numbers from 0 to 2^53 - 1 through"
        )]
        let expected = expected_owner_version.map(|version| version as u64);
        Ok(s.update_session(session, &tenant(&t)?, expected))
    };
    answer(start(), |()| ())
}

pub fn delete_session<S: SessionStore>(s: &S, id: String, t: String) -> impl Answer<()> + use<S> {
    answer(tenant(&t).map(|t| s.delete_session(&id, &t)), |()| ())
}

pub fn create_sub_session<S: SessionStore>(
    s: &S,
    params: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let new = payload("params", NewSubSession::from_payload(&params))?;
        Ok(s.create_sub_session(new, &tenant(&t)?))
    };
    answer(start(), |edge| text(&edge))
}

pub fn get_sub_session<S: SessionStore>(
    s: &S,
    id: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    answer(tenant(&t).map(|t| s.get_sub_session(&id, &t)), optional_text)
}

pub fn update_sub_session<S: SessionStore>(
    s: &S,
    sub: String,
    t: String,
) -> impl Answer<()> + use<S> {
    let start = || {
        let tenant = tenant(&t)?;
        let edge = payload("sub", SubSession::from_payload(&sub, tenant.clone()))?;
        Ok(s.update_sub_session(edge, &tenant))
    };
    answer(start(), |()| ())
}

pub fn delete_sub_session<S: SessionStore>(
    s: &S,
    id: String,
    t: String,
) -> impl Answer<()> + use<S> {
    answer(tenant(&t).map(|t| s.delete_sub_session(&id, &t)), |()| ())
}

pub fn append_message<S: SessionStore>(
    s: &S,
    session: String,
    message: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    let start = || {
        let message = payload("message", Message::from_payload(&message))?;
        Ok(s.append_message(&session, message, &tenant(&t)?))
    };
    answer(start(), |id| Text(id.as_str().to_owned()))
}

pub fn load_messages<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Texts> + use<S> {
    answer(tenant(&t).map(|t| s.load_messages(&session, &t)), texts)
}

pub fn load_session_messages<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Texts> + use<S> {
    answer(tenant(&t).map(|t| s.load_session_messages(&session, &t)), texts)
}

pub fn get_children<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    answer(tenant(&t).map(|t| s.get_children(&session, &t)), |edges| text(&edges))
}

pub fn get_ancestry<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Text> + use<S> {
    answer(tenant(&t).map(|t| s.get_ancestry(&session, &t)), |ancestry| {
        Text(serde_json::Value::from(ancestry).to_string())
    })
}

pub fn drill<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    answer(tenant(&t).map(|t| s.drill(&session, &t)), optional_text)
}

pub fn record_summary<S: SessionStore>(
    s: &S,
    summary: String,
    t: String,
) -> impl Answer<()> + use<S> {
    let start = || {
        let summary = payload("summary", Summary::from_payload(&summary))?;
        Ok(s.record_summary(summary, &tenant(&t)?))
    };
    answer(start(), |()| ())
}

pub fn get_summary<S: SessionStore>(
    s: &S,
    session: String,
    t: String,
) -> impl Answer<Option<Text>> + use<S> {
    answer(tenant(&t).map(|t| s.get_summary(&session, &t)), optional_text)
}
