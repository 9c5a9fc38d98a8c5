//! The memory store as JavaScript sees it: each call is done when it returns.

use napi_derive::napi;

use super::{
    bridge::{Out, Text, ready},
    calls::{self, Texts, clock},
    extended_calls,
    message_stream::NativeMemoryStream,
};
use crate::store::{Form, MemoryStore, RecordStore as _};

/// The native side of `InMemorySessionStore`.
#[napi]
#[derive(Default)]
pub struct NativeMemoryStore {
    pub(super) store: MemoryStore,
}

impl NativeMemoryStore {
    pub(super) fn shared(&self) -> MemoryStore {
        self.store.clone()
    }
}

#[napi]
#[expect(missing_docs, reason = "each is the contract's method of that name")]
impl NativeMemoryStore {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// There is nothing to wait for.
    #[napi(catch_unwind)]
    pub fn flush(&self) -> Out<()> {
        ready(std::future::ready(self.store.admit().map(drop)))
    }

    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.store.close();
    }

    #[napi(catch_unwind)]
    pub fn refresh(&self) -> Out<()> {
        let open = self.store.admit().map(drop);
        ready(async move { open })
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

    #[napi(catch_unwind)]
    pub fn update_project(
        &self,
        id: String,
        config: String,
        tenant_id: String,
        now: f64,
    ) -> Out<Option<Text>> {
        ready(extended_calls::update_project(&self.store.at(clock(now)), id, config, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn list_projects(&self, tenant_id: String, page: String) -> Out<Text> {
        ready(extended_calls::list_projects(&self.store, tenant_id, page))
    }

    #[napi(catch_unwind)]
    pub fn list_sessions_by_project(
        &self,
        project_id: String,
        tenant_id: String,
        options: String,
    ) -> Out<Text> {
        ready(extended_calls::list_sessions_by_project(&self.store, project_id, tenant_id, options))
    }

    #[napi(catch_unwind)]
    pub fn append_messages(
        &self,
        session_id: String,
        messages: String,
        key: Option<String>,
        tenant_id: String,
        now: f64,
    ) -> Out<Text> {
        ready(extended_calls::append_messages(
            &self.store.at(clock(now)),
            session_id,
            messages,
            key,
            tenant_id,
        ))
    }

    #[napi(catch_unwind)]
    pub fn load_messages_selected(
        &self,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Out<Texts> {
        ready(extended_calls::load_selected(
            &self.store,
            session_id,
            options,
            Form::Bare,
            tenant_id,
        ))
    }

    #[napi(catch_unwind)]
    pub fn load_session_messages_selected(
        &self,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Out<Texts> {
        ready(extended_calls::load_selected(
            &self.store,
            session_id,
            options,
            Form::Envelope,
            tenant_id,
        ))
    }

    #[napi(catch_unwind)]
    pub fn replace_messages(
        &self,
        session_id: String,
        messages: String,
        tenant_id: String,
        now: f64,
    ) -> Out<()> {
        ready(extended_calls::replace_messages(
            &self.store.at(clock(now)),
            session_id,
            messages,
            tenant_id,
        ))
    }

    #[napi(catch_unwind)]
    pub fn count_messages(&self, session_id: String, tenant_id: String) -> Out<f64> {
        ready(extended_calls::count_messages(&self.store, session_id, tenant_id))
    }

    #[napi(catch_unwind)]
    pub fn stream_messages(
        &self,
        session_id: String,
        options: String,
        tenant_id: String,
    ) -> Out<NativeMemoryStream> {
        Out(NativeMemoryStream::new(self.shared(), session_id, &options, &tenant_id))
    }
}
