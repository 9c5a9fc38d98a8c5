//! The memory store's methods, without JavaScript around them, on a store of 10,000 edges.

use std::{
    cell::Cell,
    future::Future,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use namzu_native::{
    Result,
    id::TenantId,
    model::{Message, NewProject, NewSession, NewSubSession},
    store::{MemoryStore, SessionStore as _},
};

const EDGES: usize = 10_000;
/// Edges of a family: a root has two children, each of them four.
const FAMILY: usize = 10;
/// What a call adds is taken away, with the whole store, after so many.
const CALLS: usize = 1000;

/// The answer of a memory store, which is ready when it is asked for.
#[expect(clippy::expect_used, reason = "what these benchmarks ask for exists")]
fn ready<T>(answer: impl Future<Output = Result<T>>) -> T {
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.expect("an answer"),
        Poll::Pending => unreachable!("a memory store answers at once"),
    }
}

/// A store of families, and the sessions that have children.
struct Planted {
    store: MemoryStore,
    tenant: TenantId,
    new_session: NewSession,
    parents: Vec<String>,
    children: Vec<String>,
}

#[expect(clippy::expect_used, reason = "the texts are what they are read as")]
fn planted() -> Planted {
    let tenant = TenantId::new("tnt_bench").expect("a tenant");
    let store = MemoryStore::new();
    let new = NewProject::from_payload(r#"{"tenantId":"tnt_bench","name":"bench"}"#);
    let project = ready(store.create_project(new.expect("a project"), &tenant));
    let text = format!(r#"{{"projectId":"{}","currentActor":null}}"#, project.id);
    let new_session = NewSession::from_payload(&text).expect("a session");
    let (mut parents, mut children) = (Vec::new(), Vec::new());
    let create = || {
        let session = ready(store.create_session(new_session.clone(), &tenant));
        session.id.as_str().to_owned()
    };
    for _ in 0..EDGES / FAMILY {
        let root = create();
        for _ in 0..2 {
            let parent = create();
            ready(store.create_sub_session(new_edge(&root, &parent), &tenant));
            for _ in 0..4 {
                let child = create();
                ready(store.create_sub_session(new_edge(&parent, &child), &tenant));
                children.push(child);
            }
            parents.push(parent);
        }
    }
    Planted { store, tenant, new_session, parents, children }
}

#[expect(clippy::expect_used, reason = "the text is an edge's")]
fn new_edge(parent: &str, child: &str) -> NewSubSession {
    let text = format!(
        r#"{{"parentSessionId":"{parent}","childSessionId":"{child}","kind":"agent_spawn","spawnedBy":{{"kind":"agent","agentId":"a","tenantId":"t"}}}}"#
    );
    NewSubSession::from_payload(&text).expect("an edge")
}

/// One of them after the other, far apart; never the same again before all others.
fn scattered<'s>(sessions: &'s [String], counter: &Cell<usize>) -> &'s str {
    let i = counter.replace(counter.get() + 1);
    sessions.get(i * 7919 % sessions.len()).map_or("", String::as_str)
}

fn reads(c: &mut Criterion) {
    let Planted { store, tenant, parents, children, .. } = planted();
    let counter = Cell::new(0);
    c.bench_function("getSession", |b| {
        b.iter(|| ready(store.get_session(black_box(scattered(&children, &counter)), &tenant)));
    });
    c.bench_function("getChildren", |b| {
        b.iter(|| ready(store.get_children(black_box(scattered(&parents, &counter)), &tenant)));
    });
    c.bench_function("getAncestry", |b| {
        b.iter(|| ready(store.get_ancestry(black_box(scattered(&children, &counter)), &tenant)));
    });
    c.bench_function("drill", |b| {
        b.iter(|| ready(store.drill(black_box(scattered(&parents, &counter)), &tenant)));
    });
}

#[expect(clippy::expect_used, reason = "the text is a message")]
fn changes(c: &mut Criterion) {
    let message = Message::from_payload(r#"{"role":"user","content":"hello"}"#).expect("a message");
    let counter = Cell::new(0);
    // A store that starts anew, since it would grow by what is measured; what it takes to make
    // one is not measured, and shared by many calls.
    let mut change = |name: &str, call: &dyn Fn(&Planted)| {
        c.benchmark_group("1,000 of").sample_size(10).bench_function(name, |b| {
            b.iter_batched_ref(
                planted,
                |planted| (0..CALLS).for_each(|_| call(planted)),
                BatchSize::PerIteration,
            );
        });
    };
    change("createSession", &|Planted { store, tenant, new_session, .. }| {
        black_box(ready(store.create_session(new_session.clone(), tenant)));
    });
    change("appendMessage", &|Planted { store, tenant, children, .. }| {
        let session = scattered(children, &counter);
        black_box(ready(store.append_message(session, message.clone(), tenant)));
    });
    change(
        "createSubSession, its parameters read",
        &|Planted { store, tenant, parents, children, .. }| {
            let parent = scattered(parents, &counter);
            let edge = new_edge(parent, scattered(children, &counter));
            black_box(ready(store.create_sub_session(edge, tenant)));
        },
    );
}

criterion_group!(benches, reads, changes);
criterion_main!(benches);
