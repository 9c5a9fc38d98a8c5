//! The disk store as JavaScript sees it: each call answers a promise.

use napi::{
    Env, Status,
    bindgen_prelude::FnArgs,
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};
use napi_derive::napi;

use super::{
    bridge::{Promise, Text, run},
    calls::{self, Texts, clock},
};
use crate::{
    engine::KeptProgress,
    store::{DiskStore, Durability},
};

/// Told how many session folders a survey has done, of how many; holds no process.
type OnProgress =
    ThreadsafeFunction<FnArgs<(u32, u32)>, (), FnArgs<(u32, u32)>, Status, false, true>;

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The native side of `DiskSessionStore`.
#[napi]
pub struct NativeDiskStore {
    pub(super) store: DiskStore,
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeDiskStore {
    #[napi(constructor, catch_unwind)]
    pub fn new(root_dir: String, relaxed: bool, on_progress: Option<OnProgress>) -> Self {
        let durability = if relaxed { Durability::Relaxed } else { Durability::Full };
        let mut store = DiskStore::new(root_dir).with_durability(durability);
        if let Some(on_progress) = on_progress {
            store = store.with_progress(KeptProgress::new(move |done, total| {
                let counts = (count(done), count(total)).into();
                on_progress.call(counts, ThreadsafeFunctionCallMode::NonBlocking);
            }));
        }
        Self { store }
    }

    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env) -> Promise<'env, ()> {
        run(env, self.store.close())
    }

    #[napi(catch_unwind)]
    pub fn create_project<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Text> {
        run(env, calls::create_project(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_project<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        run(env, calls::get_project(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn create_session<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Text> {
        run(env, calls::create_session(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        run(env, calls::get_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn update_session<'env>(
        &self,
        env: &'env Env,
        session: String,
        tenant_id: String,
        expected_owner_version: Option<f64>,
        now: f64,
    ) -> Promise<'env, ()> {
        run(
            env,
            calls::update_session(
                &self.store.at(clock(now)),
                session,
                tenant_id,
                expected_owner_version,
            ),
        )
    }

    #[napi(catch_unwind)]
    pub fn delete_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        run(env, calls::delete_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn create_sub_session<'env>(
        &self,
        env: &'env Env,
        params: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Text> {
        run(env, calls::create_sub_session(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_sub_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        run(env, calls::get_sub_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn update_sub_session<'env>(
        &self,
        env: &'env Env,
        sub: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, ()> {
        run(env, calls::update_sub_session(&self.store.at(clock(now)), sub, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn delete_sub_session<'env>(
        &self,
        env: &'env Env,
        id: String,
        tenant_id: String,
    ) -> Promise<'env, ()> {
        run(env, calls::delete_sub_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn append_message<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        message: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Text> {
        run(env, calls::append_message(&self.store.at(clock(now)), session_id, message, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn load_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        run(env, calls::load_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        run(env, calls::load_session_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_children<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, calls::get_children(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_ancestry<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Text> {
        run(env, calls::get_ancestry(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn drill<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        run(env, calls::drill(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn record_summary<'env>(
        &self,
        env: &'env Env,
        summary: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, ()> {
        run(env, calls::record_summary(&self.store.at(clock(now)), summary, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_summary<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, Option<Text>> {
        run(env, calls::get_summary(&self.store, session_id, tenant_id))
    }
}
