//! The disk store as JavaScript sees it: each call answers a promise.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Out, Promise, Text, run},
    calls::{self, Texts},
    extended_calls,
    message_stream::NativeDiskStream,
};
use crate::store::{DiskStore, Form};

/// The native side of `DiskSessionStore`.
#[napi]
pub struct NativeDiskStore {
    store: Arc<DiskStore>,
}

impl NativeDiskStore {
    pub(super) fn shared(&self) -> Arc<DiskStore> {
        Arc::clone(&self.store)
    }
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeDiskStore {
    #[napi(constructor, catch_unwind)]
    pub fn new(root_dir: String, max_list_bytes: Option<f64>) -> Self {
        let store = DiskStore::new(root_dir);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the facade lets whole numbers from 0 to 2^53 - 1 through"
        )]
        let store = match max_list_bytes {
            Some(bytes) => store.with_max_list_bytes(bytes as u64),
            None => store,
        };
        Self { store: Arc::new(store) }
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

    #[napi(catch_unwind)]
    pub fn update_project<'env>(
        &self,
        env: &'env Env,
        id: String,
        config: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        let store = Arc::clone(&self.store);
        run(
            env,
            async move { extended_calls::update_project(&*store, id, config, tenant_id).await },
        )
    }

    #[napi(catch_unwind)]
    pub fn list_projects<'env>(
        &self,
        env: &'env Env,
        tenant_id: String,
        page: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move { extended_calls::list_projects(&*store, tenant_id, page).await })
    }

    #[napi(catch_unwind)]
    pub fn list_sessions_by_project<'env>(
        &self,
        env: &'env Env,
        project_id: String,
        tenant_id: String,
        options: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            extended_calls::list_sessions_by_project(&*store, project_id, tenant_id, options).await
        })
    }

    #[napi(catch_unwind)]
    pub fn append_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        messages: String,
        key: Option<String>,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            extended_calls::append_messages(&*store, session_id, messages, key, tenant_id).await
        })
    }

    #[napi(catch_unwind)]
    pub fn load_messages_selected<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            extended_calls::load_selected(&*store, session_id, options, Form::Bare, tenant_id).await
        })
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages_selected<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            extended_calls::load_selected(&*store, session_id, options, Form::Envelope, tenant_id)
                .await
        })
    }

    #[napi(catch_unwind)]
    pub fn replace_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        messages: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        let store = Arc::clone(&self.store);
        run(env, async move {
            extended_calls::replace_messages(&*store, session_id, messages, tenant_id).await
        })
    }

    #[napi(catch_unwind)]
    pub fn count_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, f64> {
        let store = Arc::clone(&self.store);
        run(
            env,
            async move { extended_calls::count_messages(&*store, session_id, tenant_id).await },
        )
    }

    #[napi(catch_unwind)]
    pub fn stream_messages(
        &self,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Out<NativeDiskStream> {
        Out(NativeDiskStream::new(Arc::clone(&self.store), session_id, &options, &tenant_id))
    }
}
