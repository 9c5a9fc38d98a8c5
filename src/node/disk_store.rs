//! The disk store as JavaScript sees it: each call answers a promise.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Promise, Text, run},
    calls::{self, Texts},
};
use crate::store::DiskStore;

/// The native side of `DiskSessionStore`.
#[napi]
pub struct NativeDiskStore {
    pub(super) store: Arc<DiskStore>,
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeDiskStore {
    #[napi(constructor, catch_unwind)]
    pub fn new(root_dir: String) -> Self {
        Self { store: Arc::new(DiskStore::new(root_dir)) }
    }

    #[napi(catch_unwind)]
    pub fn create_project<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::create_project(&*store, params, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_project<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_project(&*store, id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn create_session<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::create_session(&*store, params, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_session(&*store, id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn update_session<'env>(
        &self,
        env: &'env Env,
        session: String,
        tenant_id: String,
        expected_owner_version: Option<f64>,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            calls::update_session(&*store, session, tenant_id, expected_owner_version).await
        })
    }

    #[napi(catch_unwind)]
    pub fn delete_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::delete_session(&*store, id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn create_sub_session<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::create_sub_session(&*store, params, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_sub_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_sub_session(&*store, id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn update_sub_session<'env>(
        &self,
        env: &'env Env,
        sub_session: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::update_sub_session(&*store, sub_session, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn delete_sub_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::delete_sub_session(&*store, id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn append_message<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        message: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(
            env,
            async move { calls::append_message(&*store, session_id, message, tenant_id).await },
        )
    }

    #[napi(catch_unwind)]
    pub fn load_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::load_messages(&*store, session_id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::load_session_messages(&*store, session_id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_children<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_children(&*store, session_id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_ancestry<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_ancestry(&*store, session_id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn drill<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::drill(&*store, session_id, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn record_summary<'env>(
        &self,
        env: &'env Env,
        summary: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::record_summary(&*store, summary, tenant_id).await })
    }

    #[napi(catch_unwind)]
    pub fn get_summary<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(env, async move { calls::get_summary(&*store, session_id, tenant_id).await })
    }
}
