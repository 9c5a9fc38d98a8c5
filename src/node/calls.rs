//! Each method of the contract as JavaScript calls it: text in, text out, over any
//! store.

use super::bridge::Text;
use crate::{
    error::{Error, Result},
    id::TenantId,
    json::Invalid,
    model::{Entity, Message, NewProject, NewSession, NewSubSession, Session, SubSession, Summary},
    store::{Log, SessionStore},
};

/// A list of array texts, as [`Log`].
pub type Texts = Vec<Text>;

pub(super) fn tenant(text: &str) -> Result<TenantId> {
    TenantId::new(text).ok_or_else(|| Error::InvalidArgument {
        argument: "tenantId".to_owned(),
        expected: "a non-empty string".to_owned(),
        received: "empty string".to_owned(),
    })
}

pub(super) fn payload<T>(name: &str, decoded: Result<T, Invalid>) -> Result<T> {
    decoded.map_err(|invalid| Error::argument(name, invalid))
}

pub(super) fn text(entity: &impl Entity) -> Text {
    Text(entity.to_json())
}

pub(super) fn texts(log: Log) -> Texts {
    log.into_iter().map(Text).collect()
}

pub async fn create_project(s: &impl SessionStore, params: String, t: String) -> Result<Text> {
    let new = payload("params", NewProject::from_payload(&params))?;
    Ok(text(&s.create_project(new, &tenant(&t)?).await?))
}

pub async fn get_project(s: &impl SessionStore, id: String, t: String) -> Result<Option<Text>> {
    Ok(s.get_project(&id, &tenant(&t)?).await?.as_ref().map(text))
}

pub async fn create_session(s: &impl SessionStore, params: String, t: String) -> Result<Text> {
    let new = payload("params", NewSession::from_payload(&params))?;
    Ok(text(&s.create_session(new, &tenant(&t)?).await?))
}

pub async fn get_session(s: &impl SessionStore, id: String, t: String) -> Result<Option<Text>> {
    Ok(s.get_session(&id, &tenant(&t)?).await?.as_ref().map(text))
}

pub async fn update_session(
    s: &impl SessionStore,
    session: String,
    t: String,
    expected_owner_version: Option<f64>,
) -> Result<()> {
    let session = payload("session", Session::from_payload(&session))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the facade lets whole numbers from 0 to 2^53 - 1 through"
    )]
    let expected = expected_owner_version.map(|version| version as u64);
    s.update_session(session, &tenant(&t)?, expected).await
}

pub async fn delete_session(s: &impl SessionStore, id: String, t: String) -> Result<()> {
    s.delete_session(&id, &tenant(&t)?).await
}

pub async fn create_sub_session(s: &impl SessionStore, params: String, t: String) -> Result<Text> {
    let new = payload("params", NewSubSession::from_payload(&params))?;
    Ok(text(&s.create_sub_session(new, &tenant(&t)?).await?))
}

pub async fn get_sub_session(s: &impl SessionStore, id: String, t: String) -> Result<Option<Text>> {
    Ok(s.get_sub_session(&id, &tenant(&t)?).await?.as_ref().map(text))
}

pub async fn update_sub_session(s: &impl SessionStore, edge: String, t: String) -> Result<()> {
    let tenant = tenant(&t)?;
    let edge = payload("sub", SubSession::from_payload(&edge, tenant.clone()))?;
    s.update_sub_session(edge, &tenant).await
}

pub async fn delete_sub_session(s: &impl SessionStore, id: String, t: String) -> Result<()> {
    s.delete_sub_session(&id, &tenant(&t)?).await
}

pub async fn append_message(
    s: &impl SessionStore,
    session: String,
    message: String,
    t: String,
) -> Result<Text> {
    let message = payload("message", Message::from_payload(&message))?;
    let id = s.append_message(&session, message, &tenant(&t)?).await?;
    Ok(Text(id.as_str().to_owned()))
}

pub async fn load_messages(s: &impl SessionStore, session: String, t: String) -> Result<Texts> {
    Ok(texts(s.load_messages(&session, &tenant(&t)?).await?))
}

pub async fn load_session_messages(
    s: &impl SessionStore,
    session: String,
    t: String,
) -> Result<Texts> {
    Ok(texts(s.load_session_messages(&session, &tenant(&t)?).await?))
}

pub async fn get_children(s: &impl SessionStore, session: String, t: String) -> Result<Text> {
    Ok(text(&s.get_children(&session, &tenant(&t)?).await?))
}

pub async fn get_ancestry(s: &impl SessionStore, session: String, t: String) -> Result<Text> {
    let ancestry = s.get_ancestry(&session, &tenant(&t)?).await?;
    Ok(Text(serde_json::Value::from(ancestry).to_string()))
}

pub async fn drill(s: &impl SessionStore, session: String, t: String) -> Result<Option<Text>> {
    Ok(s.drill(&session, &tenant(&t)?).await?.as_ref().map(text))
}

pub async fn record_summary(s: &impl SessionStore, summary: String, t: String) -> Result<()> {
    let summary = payload("summary", Summary::from_payload(&summary))?;
    s.record_summary(summary, &tenant(&t)?).await
}

pub async fn get_summary(
    s: &impl SessionStore,
    session: String,
    t: String,
) -> Result<Option<Text>> {
    Ok(s.get_summary(&session, &tenant(&t)?).await?.as_ref().map(text))
}
