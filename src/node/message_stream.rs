//! A stream of messages as JavaScript sees it: each call answers the next few.

use std::sync::Arc;

use napi::Env;
use napi_derive::napi;

use super::{
    bridge::{Out, Promise, Text, run},
    calls::{payload, tenant},
};
use crate::{
    error::Result,
    store::{DiskStore, MemoryStore, MessageStream, RecordStore, Selection},
};

fn stream<S: RecordStore>(
    store: S,
    session: String,
    options: &str,
    tenant_id: &str,
) -> Result<Arc<MessageStream<S>>> {
    let selection = payload("options", Selection::from_payload(options))?;
    Ok(Arc::new(MessageStream::new(store, session, selection, tenant(tenant_id)?)))
}

/// The messages of a disk store, read as they are asked for.
#[napi]
pub struct NativeDiskStream {
    stream: Arc<MessageStream<DiskStore>>,
}

/// The messages of a memory store, taken as they are asked for.
#[napi]
pub struct NativeMemoryStream {
    stream: Arc<MessageStream<MemoryStore>>,
}

impl NativeDiskStream {
    pub(super) fn new(
        store: DiskStore,
        session: String,
        options: &str,
        tenant_id: &str,
    ) -> Result<Self> {
        Ok(Self { stream: stream(store, session, options, tenant_id)? })
    }
}

impl NativeMemoryStream {
    pub(super) fn new(
        store: MemoryStore,
        session: String,
        options: &str,
        tenant_id: &str,
    ) -> Result<Self> {
        Ok(Self { stream: stream(store, session, options, tenant_id)? })
    }
}

#[napi]
impl NativeDiskStream {
    /// The text of an array of messages, or `null` at the end.
    #[napi(catch_unwind)]
    pub fn next<'env>(&self, env: &'env Env) -> Promise<'env, Option<Text>> {
        let (stream, store) = (Arc::clone(&self.stream), self.stream.admit());
        run(env, async move { Ok(stream.next_of(&store?)?.map(Text)) })
    }
}

#[napi]
impl NativeMemoryStream {
    /// The text of an array of messages, or `null` at the end.
    #[napi(catch_unwind)]
    pub fn next(&self) -> Out<Option<Text>> {
        Out(self.stream.next().map(|chunk| chunk.map(Text)))
    }
}
