//! Checking a root, as JavaScript sees it.

use napi::Env;
use napi_derive::napi;

use super::bridge::{Promise, Text, run};
use crate::{model::Entity as _, verify};

/// The findings of `verify` as the text of a JSON array.
#[napi(catch_unwind)]
pub fn verify<'env>(env: &'env Env, root_dir: String) -> Promise<'env, Text> {
    run(env, async move {
        // A walk through a large root would keep other calls waiting for a thread.
        let walk = move || verify::verify(root_dir.as_ref());
        match tokio::task::spawn_blocking(walk).await {
            Ok(findings) => Ok(Text(findings?.to_json())),
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    })
}
