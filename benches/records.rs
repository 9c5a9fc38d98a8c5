//! Records and log lines: decoding what files hold, writing what files and JavaScript get.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use namzu_native::model::{Entity as _, LogLine, Message, NewSession, Record as _, Session};

const SESSION: &str = r#"{
  "id": "ses_bench0000000",
  "projectId": "prj_bench0000000",
  "tenantId": "tnt_bench",
  "status": "idle",
  "currentActor": {
    "kind": "agent",
    "agentId": "agt_bench",
    "tenantId": "tnt_bench"
  },
  "previousActors": [],
  "workspaceId": null,
  "ownerVersion": 0,
  "createdAt": "2026-01-02T03:04:05.678Z",
  "updatedAt": "2026-01-02T03:04:05.678Z"
}"#;

const NEW_SESSION: &str = r#"{"projectId":"prj_bench0000000","currentActor":{"kind":"agent","agentId":"agt_bench","tenantId":"tnt_bench"}}"#;

const MESSAGE: &str =
    r#"{"role":"user","content":"The reservation can be changed.","timestamp":1750000000000}"#;

fn line() -> String {
    format!(
        r#"{{"id":"msg_bench0000000","sessionId":"ses_bench0000000","tenantId":"tnt_bench","message":{MESSAGE},"at":"2026-01-02T03:04:05.678Z"}}"#
    )
}

#[expect(clippy::expect_used, reason = "the text is a session's record")]
fn records(c: &mut Criterion) {
    c.bench_function("decode a session's record", |b| {
        b.iter(|| Session::from_record(black_box(SESSION)));
    });
    c.bench_function("decode the parameters of a new session", |b| {
        b.iter(|| NewSession::from_payload(black_box(NEW_SESSION)));
    });
    let session = Session::from_record(SESSION).expect("a session");
    c.bench_function("write a session's record", |b| b.iter(|| black_box(&session).to_record()));
    c.bench_function("write a session for JavaScript", |b| {
        b.iter(|| black_box(&session).to_answer());
    });
}

fn lines(c: &mut Criterion) {
    c.bench_function("take a message", |b| b.iter(|| Message::from_payload(black_box(MESSAGE))));
    let line = line();
    c.bench_function("read a log line and answer its envelope", |b| {
        let mut text = String::new();
        b.iter(|| {
            text.clear();
            if let Ok(line) = LogLine::parse(black_box(line.as_bytes())) {
                line.messages().iter().for_each(|message| message.write_answer(&mut text));
            }
            text.len()
        });
    });
}

criterion_group!(benches, records, lines);
criterion_main!(benches);
