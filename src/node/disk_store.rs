//! The disk store as JavaScript sees it: each call answers a promise, but for reads of what is
//! in memory, which answer at once.

use std::{
    future::Future,
    sync::atomic::{AtomicU32, Ordering},
};

use napi::{
    Env, Status,
    bindgen_prelude::{FnArgs, ToNapiValue},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};
use napi_derive::napi;

use super::{
    bridge::{Out, Promise, Soon, Text, run, soon},
    calls::{self, Texts, clock},
    extended_calls,
    message_stream::NativeDiskStream,
};
use crate::{
    engine::{KeptAlarm, KeptProgress},
    error::Result,
    store::{DiskStore, Durability, Form},
};

/// Told how many session folders a survey has done, of how many; holds no process.
type OnProgress =
    ThreadsafeFunction<FnArgs<(u32, u32)>, (), FnArgs<(u32, u32)>, Status, false, true>;
/// Told that what was answered could not be synced, and why; holds no process.
type OnFailedSync = ThreadsafeFunction<String, (), String, Status, false, true>;

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The native side of `DiskSessionStore`.
#[napi]
pub struct NativeDiskStore {
    pub(super) store: DiskStore,
    answered_at_once: AtomicU32,
}

/// One in so many reads lets the event loop turn, whatever is in memory.
const AT_ONCE: u32 = 64;

impl NativeDiskStore {
    /// The store for whatever reaches beyond it: what an archive or a handoff relies on
    /// survives a power cut, whatever the store's own promise is.
    pub(super) fn shared(&self) -> DiskStore {
        self.store.clone().with_durability(Durability::Full)
    }

    /// The answer of a reading call: at once where nothing is to be waited for, which saves
    /// the way to another thread and back. Every so often it goes that way all the same:
    /// a loop that awaits nothing else would starve everything that the event loop waits
    /// for.
    fn soon<'env, T, F>(
        &self,
        env: &'env Env,
        call: impl Fn(&DiskStore) -> F,
    ) -> napi::Result<Soon<'env, T>>
    where
        T: ToNapiValue + Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        if self.answered_at_once.fetch_add(1, Ordering::Relaxed) % AT_ONCE == AT_ONCE - 1 {
            return run(env, call(&self.store)).map(Soon::Later);
        }
        soon(env, call(&self.store.now()), || call(&self.store))
    }
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeDiskStore {
    #[napi(constructor, catch_unwind)]
    pub fn new(
        root_dir: String,
        relaxed: bool,
        on_progress: Option<OnProgress>,
        max_list_bytes: Option<f64>,
        on_failed_sync: Option<OnFailedSync>,
        trust_index: bool,
    ) -> Self {
        let durability = if relaxed { Durability::Relaxed } else { Durability::Full };
        let mut store = DiskStore::new(root_dir).with_durability(durability);
        if let Some(on_progress) = on_progress {
            store = store.with_progress(KeptProgress::new(move |done, total| {
                let counts = (count(done), count(total)).into();
                on_progress.call(counts, ThreadsafeFunctionCallMode::NonBlocking);
            }));
        }
        if let Some(on_failed_sync) = on_failed_sync {
            store = store.with_alarm(KeptAlarm::new(move |error| {
                on_failed_sync.call(error.to_string(), ThreadsafeFunctionCallMode::NonBlocking);
            }));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the facade lets whole numbers from 0 to 2^53 - 1 through"
        )]
        if let Some(bytes) = max_list_bytes {
            store = store.with_max_list_bytes(bytes as u64);
        }
        if trust_index {
            store = store.with_trusted_index();
        }
        Self { store, answered_at_once: AtomicU32::new(0) }
    }

    #[napi(catch_unwind)]
    pub fn flush<'env>(&self, env: &'env Env) -> Promise<'env, ()> {
        run(env, self.store.flush())
    }

    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env) -> Promise<'env, ()> {
        run(env, self.store.close())
    }

    #[napi(catch_unwind)]
    pub fn refresh<'env>(&self, env: &'env Env) -> Promise<'env, ()> {
        run(env, self.store.refresh())
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
    ) -> napi::Result<Soon<'env, Option<Text>>> {
        self.soon(env, |store| calls::get_project(store, id.clone(), tenant_id.clone()))
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
    ) -> napi::Result<Soon<'env, Option<Text>>> {
        self.soon(env, |store| calls::get_session(store, id.clone(), tenant_id.clone()))
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
    ) -> napi::Result<Soon<'env, Option<Text>>> {
        self.soon(env, |store| calls::get_sub_session(store, id.clone(), tenant_id.clone()))
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
    ) -> napi::Result<Soon<'env, Texts>> {
        self.soon(env, |store| calls::load_messages(store, session_id.clone(), tenant_id.clone()))
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> napi::Result<Soon<'env, Texts>> {
        self.soon(env, |store| {
            calls::load_session_messages(store, session_id.clone(), tenant_id.clone())
        })
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
    ) -> napi::Result<Soon<'env, Text>> {
        self.soon(env, |store| calls::get_ancestry(store, session_id.clone(), tenant_id.clone()))
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
    ) -> napi::Result<Soon<'env, Option<Text>>> {
        self.soon(env, |store| calls::get_summary(store, session_id.clone(), tenant_id.clone()))
    }

    #[napi(catch_unwind)]
    pub fn update_project<'env>(
        &self,
        env: &'env Env,
        id: String,
        config: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Option<Text>> {
        run(env, extended_calls::update_project(&self.store.at(clock(now)), id, config, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn list_projects<'env>(
        &self,
        env: &'env Env,
        tenant_id: String,
        page: String,
    ) -> Promise<'env, Text> {
        run(env, extended_calls::list_projects(&self.store, tenant_id, page))
    }

    #[napi(catch_unwind)]
    pub fn list_sessions_by_project<'env>(
        &self,
        env: &'env Env,
        project_id: String,
        tenant_id: String,
        options: String,
    ) -> Promise<'env, Text> {
        run(
            env,
            extended_calls::list_sessions_by_project(&self.store, project_id, tenant_id, options),
        )
    }

    #[napi(catch_unwind)]
    pub fn append_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        messages: String,
        key: Option<String>,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, Text> {
        run(
            env,
            extended_calls::append_messages(
                &self.store.at(clock(now)),
                session_id,
                messages,
                key,
                tenant_id,
            ),
        )
    }

    #[napi(catch_unwind)]
    pub fn load_messages_selected<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        run(
            env,
            extended_calls::load_selected(&self.store, session_id, options, Form::Bare, tenant_id),
        )
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages_selected<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Promise<'env, Texts> {
        run(
            env,
            extended_calls::load_selected(
                &self.store,
                session_id,
                options,
                Form::Envelope,
                tenant_id,
            ),
        )
    }

    #[napi(catch_unwind)]
    pub fn replace_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        messages: String,
        tenant_id: String,
        now: f64,
    ) -> Promise<'env, ()> {
        run(
            env,
            extended_calls::replace_messages(
                &self.store.at(clock(now)),
                session_id,
                messages,
                tenant_id,
            ),
        )
    }

    #[napi(catch_unwind)]
    pub fn count_messages<'env>(
        &self,
        env: &'env Env,
        session_id: String,
        tenant_id: String,
    ) -> Promise<'env, f64> {
        run(env, extended_calls::count_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn stream_messages(
        &self,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Out<NativeDiskStream> {
        Out(NativeDiskStream::new(self.shared(), session_id, &options, &tenant_id))
    }
}
