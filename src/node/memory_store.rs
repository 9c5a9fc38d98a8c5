//! The memory store as JavaScript sees it: each call is done when it returns.

use napi_derive::napi;

use super::{
    bridge::{Out, Text, ready},
    calls::{self, Texts, clock},
};
use crate::store::MemoryStore;

/// The native side of `InMemorySessionStore`.
#[napi]
#[derive(Default)]
pub struct NativeMemoryStore {
    pub(super) store: MemoryStore,
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeMemoryStore {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.store.close();
    }

    #[napi(catch_unwind)]
    pub fn create_project(&self, params: String, tenant_id: String, now: f64) -> Out<Text> {
        ready(calls::create_project(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_project(&self, id: String, tenant_id: String) -> Out<Option<Text>> {
        ready(calls::get_project(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn create_session(&self, params: String, tenant_id: String, now: f64) -> Out<Text> {
        ready(calls::create_session(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_session(&self, id: String, tenant_id: String) -> Out<Option<Text>> {
        ready(calls::get_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn update_session(
        &self,
        session: String,
        tenant_id: String,
        expected_owner_version: Option<f64>,
        now: f64,
    ) -> Out<()> {
        ready(calls::update_session(
            &self.store.at(clock(now)),
            session,
            tenant_id,
            expected_owner_version,
        ))
    }

    #[napi(catch_unwind)]
    pub fn delete_session(&self, id: String, tenant_id: String) -> Out<()> {
        ready(calls::delete_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn create_sub_session(&self, params: String, tenant_id: String, now: f64) -> Out<Text> {
        ready(calls::create_sub_session(&self.store.at(clock(now)), params, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_sub_session(&self, id: String, tenant_id: String) -> Out<Option<Text>> {
        ready(calls::get_sub_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn update_sub_session(&self, sub: String, tenant_id: String, now: f64) -> Out<()> {
        ready(calls::update_sub_session(&self.store.at(clock(now)), sub, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn delete_sub_session(&self, id: String, tenant_id: String) -> Out<()> {
        ready(calls::delete_sub_session(&self.store, id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn append_message(
        &self,
        session_id: String,
        message: String,
        tenant_id: String,
        now: f64,
    ) -> Out<Text> {
        ready(calls::append_message(&self.store.at(clock(now)), session_id, message, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn load_messages(&self, session_id: String, tenant_id: String) -> Out<Texts> {
        ready(calls::load_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages(&self, session_id: String, tenant_id: String) -> Out<Texts> {
        ready(calls::load_session_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_children(&self, session_id: String, tenant_id: String) -> Out<Text> {
        ready(calls::get_children(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_ancestry(&self, session_id: String, tenant_id: String) -> Out<Text> {
        ready(calls::get_ancestry(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn drill(&self, session_id: String, tenant_id: String) -> Out<Option<Text>> {
        ready(calls::drill(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn record_summary(&self, summary: String, tenant_id: String, now: f64) -> Out<()> {
        ready(calls::record_summary(&self.store.at(clock(now)), summary, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn get_summary(&self, session_id: String, tenant_id: String) -> Out<Option<Text>> {
        ready(calls::get_summary(&self.store, session_id, tenant_id))
    }
}
