//! The memory store's methods, without JavaScript around them.

use std::{
    future::Future,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

use criterion::{Criterion, criterion_group, criterion_main};
use namzu_native::{
    Result,
    id::TenantId,
    model::{Message, NewProject, NewSession, NewSubSession},
    store::{MemoryStore, SessionStore as _},
};

/// The answer of a memory store, which is ready when it is asked for.
#[expect(clippy::expect_used, reason = "what these benchmarks ask for exists")]
fn ready<T>(answer: impl Future<Output = Result<T>>) -> T {
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.expect("an answer"),
        Poll::Pending => unreachable!("a memory store answers at once"),
    }
}

#[expect(clippy::expect_used, reason = "the texts are what they are read as")]
fn methods(c: &mut Criterion) {
    let tenant = TenantId::new("tnt_bench").expect("a tenant");
    let store = MemoryStore::new();
    let new = NewProject::from_payload(r#"{"tenantId":"tnt_bench","name":"bench"}"#);
    let project = ready(store.create_project(new.expect("a project"), &tenant));
    let text = format!(r#"{{"projectId":"{}","currentActor":null}}"#, project.id);
    let new_session = NewSession::from_payload(&text).expect("a session");
    let session = ready(store.create_session(new_session.clone(), &tenant));
    let id = session.id.as_str();
    let text = format!(
        r#"{{"parentSessionId":"{id}","childSessionId":"{id}","kind":"agent_spawn","spawnedBy":{{"kind":"agent","agentId":"a","tenantId":"t"}}}}"#
    );
    let new_edge = NewSubSession::from_payload(&text).expect("an edge");
    let message = Message::from_payload(r#"{"role":"user","content":"hello"}"#).expect("a message");

    c.bench_function("getSession", |b| b.iter(|| ready(store.get_session(black_box(id), &tenant))));
    c.bench_function("createSession", |b| {
        b.iter(|| ready(store.create_session(new_session.clone(), &tenant)));
    });
    c.bench_function("appendMessage", |b| {
        b.iter(|| ready(store.append_message(black_box(id), message.clone(), &tenant)));
    });
    c.bench_function("createSubSession", |b| {
        b.iter(|| ready(store.create_sub_session(new_edge.clone(), &tenant)));
    });
}

criterion_group!(benches, methods);
criterion_main!(benches);
