//! Summaries and interventions as JavaScript sees them.

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Promise, Text, run},
    host::JsHost,
};
use crate::{intervention, summary};

/// Makes a session's summary over the host's `store` and `deps`; answers it.
#[napi(catch_unwind)]
pub fn materialize_summary(env: &Env, host: JsHost, input: String) -> Promise<'_, Text> {
    run(env, async move {
        let request = summary::SummaryRequest::from_payload(&input)?;
        Ok(Text(summary::materialize(&host, &request).await?))
    })
}

/// The summary that the host's `store` has, its effect on the session made good.
#[napi(catch_unwind)]
pub fn recover_summary(
    env: &Env,
    host: JsHost,
    session_id: String,
    tenant_id: String,
) -> Promise<'_, Option<Text>> {
    run(env, async move { Ok(summary::recover(&host, &session_id, &tenant_id).await?.map(Text)) })
}

/// Follows a chain of interventions over the host's `loader`; answers a JSON array.
#[napi(catch_unwind)]
pub fn validate_prev_artifact_chain(
    env: &Env,
    host: JsHost,
    proposed: String,
    ancestor: String,
    max_depth: f64,
) -> Promise<'_, Text> {
    run(env, async move {
        let chain = intervention::validate_chain(&host, &proposed, &ancestor, max_depth).await?;
        Ok(Text(serde_json::Value::from(chain).to_string()))
    })
}
