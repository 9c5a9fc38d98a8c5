//! Handoffs as JavaScript sees them.

use napi::Env;
use napi_derive::napi;

use super::{
    NativeDiskStore, NativeMemoryStore,
    bridge::{Promise, Text, run},
    calls::tenant,
    host::JsHost,
};
use crate::{
    error::Result,
    handoff::{Handoff, HostHandoffStore, NativeHandoffStore, Outcome, execute, recover},
    store::RecordStore,
};

/// Reads one assignment, or those of a broadcast.
fn read(assignments: &str, tenant_id: &str) -> Result<Handoff> {
    let tenant = tenant(tenant_id)?;
    if assignments.starts_with('[') {
        Handoff::broadcast(assignments, tenant)
    } else {
        Handoff::single(assignments, tenant)
    }
}

/// The outcomes as one JSON array.
fn text(outcomes: &[Outcome]) -> Text {
    let outcomes: Vec<String> = outcomes.iter().map(Outcome::to_json).collect();
    Text(format!("[{}]", outcomes.join(",")))
}

async fn execute_natively(
    store: impl RecordStore,
    host: JsHost,
    assignments: String,
    tenant_id: String,
) -> Result<Text> {
    let handoff = read(&assignments, &tenant_id)?;
    let mut store = NativeHandoffStore::new(store, &host, &handoff);
    Ok(text(&execute(&mut store, &host, &handoff).await?))
}

async fn recover_natively(
    store: impl RecordStore,
    host: JsHost,
    tenant_id: String,
) -> Result<Text> {
    let recovered = recover(&store, &host, &tenant(&tenant_id)?).await?;
    Ok(Text(format!("[{}]", recovered.join(","))))
}

/// Hands a session of the host's store over: to one actor when `assignments` is an
/// object, to several when it is an array.
#[napi(catch_unwind)]
pub fn execute_handoff(
    env: &Env,
    host: JsHost,
    assignments: String,
    tenant_id: String,
) -> Promise<'_, Text> {
    run(env, async move {
        let handoff = read(&assignments, &tenant_id)?;
        let mut store = HostHandoffStore::new(&host, &handoff);
        Ok(text(&execute(&mut store, &host, &handoff).await?))
    })
}

#[napi]
#[expect(missing_docs, reason = "as the functions of those names, in this store itself")]
impl NativeDiskStore {
    #[napi(catch_unwind)]
    pub fn execute_handoff<'env>(
        &self,
        env: &'env Env,
        host: JsHost,
        assignments: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, execute_natively(self.shared(), host, assignments, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn recover_handoffs<'env>(
        &self,
        env: &'env Env,
        host: JsHost,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, recover_natively(self.shared(), host, tenant_id))
    }
}

#[napi]
#[expect(missing_docs, reason = "as the functions of those names, in this store itself")]
impl NativeMemoryStore {
    #[napi(catch_unwind)]
    pub fn execute_handoff<'env>(
        &self,
        env: &'env Env,
        host: JsHost,
        assignments: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, execute_natively(self.store.clone(), host, assignments, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn recover_handoffs<'env>(
        &self,
        env: &'env Env,
        host: JsHost,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, recover_natively(self.store.clone(), host, tenant_id))
    }
}
