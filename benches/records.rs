//! Records and log lines: decoding what files hold, writing what files and JavaScript get.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use namzu_native::{
    id,
    model::{
        Entity as _, LogLine, Message, NewSession, Project, Record as _, Session, SubSession,
        Summary,
    },
    timestamp::Timestamp,
};

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

const PROJECT: &str = r#"{
  "id": "prj_bench0000000",
  "tenantId": "tnt_bench",
  "name": "bench",
  "config": {
    "maxDelegationDepth": 4,
    "maxDelegationWidth": 8,
    "maxInterventionDepth": 10
  },
  "createdAt": "2026-01-02T03:04:05.678Z",
  "updatedAt": "2026-01-02T03:04:05.678Z"
}"#;

const EDGE: &str = r#"{
  "id": "sub_bench0000000",
  "parentSessionId": "ses_bench0000000",
  "childSessionId": "ses_bench0000001",
  "tenantId": "tnt_bench",
  "kind": "agent_spawn",
  "status": "idle",
  "spawnedBy": {
    "kind": "agent",
    "agentId": "agt_bench",
    "tenantId": "tnt_bench"
  },
  "spawnedAt": "2026-01-02T03:04:05.678Z",
  "failureMode": "delegate",
  "completionMode": "summary_ref",
  "workspaceId": null,
  "updatedAt": "2026-01-02T03:04:05.678Z"
}"#;

const SUMMARY: &str = r#"{
  "id": "sum_bench0000000",
  "sessionRef": "ses_bench0000000",
  "tenantId": "tnt_bench",
  "outcome": { "status": "succeeded", "verdict": "rebooked" },
  "deliverables": [
    {
      "kind": "file",
      "id": "del_bench",
      "path": "out/ticket.pdf",
      "contentHash": "ab12",
      "sizeBytes": 9
    }
  ],
  "agentSummary": "Rebooked the passenger on the morning flight and confirmed the seat.",
  "keyDecisions": [{ "at": "2026-01-02T03:04:05.678Z", "summary": "chose the direct flight" }],
  "at": "2026-01-02T03:04:05.678Z",
  "materializedBy": "kernel"
}"#;

const NEW_SESSION: &str = r#"{"projectId":"prj_bench0000000","currentActor":{"kind":"agent","agentId":"agt_bench","tenantId":"tnt_bench"}}"#;

const MESSAGE: &str =
    r#"{"role":"user","content":"The reservation can be changed.","timestamp":1750000000000}"#;

fn line() -> String {
    format!(
        r#"{{"id":"msg_bench0000000","sessionId":"ses_bench0000000","tenantId":"tnt_bench","message":{MESSAGE},"at":"2026-01-02T03:04:05.678Z"}}"#
    )
}

/// Reads a record and writes it again, for its file and for JavaScript.
macro_rules! record {
    ($criterion:expr, $name:literal, $type:ty, $text:expr) => {
        let mut group = $criterion.benchmark_group($name);
        group.bench_function("decode", |b| b.iter(|| <$type>::from_record(black_box($text))));
        let value = <$type>::from_record($text).expect("a record");
        group.bench_function("write", |b| b.iter(|| black_box(&value).to_record()));
        group.bench_function("answer", |b| b.iter(|| black_box(&value).to_answer()));
        group.finish();
    };
}

fn records(c: &mut Criterion) {
    record!(c, "project", Project, PROJECT);
    record!(c, "session", Session, SESSION);
    record!(c, "edge", SubSession, EDGE);
    record!(c, "summary", Summary, SUMMARY);
    c.bench_function("decode the parameters of a new session", |b| {
        b.iter(|| NewSession::from_payload(black_box(NEW_SESSION)));
    });
}

fn lines(c: &mut Criterion) {
    c.bench_function("take a message", |b| b.iter(|| Message::from_payload(black_box(MESSAGE))));
    let line = line();
    c.bench_function("read a log line and answer its envelope", |b| {
        let mut text = String::new();
        b.iter(|| {
            text.clear();
            answer_envelopes(black_box(line.as_bytes()), &mut text);
            text.len()
        });
    });
    let log = format!("{line}\n").repeat(1000);
    c.bench_function("read a log of 1,000 lines and answer its envelopes", |b| {
        let mut text = String::new();
        b.iter(|| {
            text.clear();
            for line in black_box(log.as_bytes()).split(|byte| *byte == b'\n') {
                answer_envelopes(line, &mut text);
            }
            text.len()
        });
    });
}

fn answer_envelopes(line: &[u8], text: &mut String) {
    if let Ok(line) = LogLine::parse(line) {
        line.messages().iter().for_each(|message| message.write_answer(text));
    }
}

fn fields(c: &mut Criterion) {
    c.bench_function("mint an id", |b| b.iter(|| id::generate(black_box("ses_"))));
    let text = "2026-01-02T03:04:05.678Z";
    c.bench_function("read a timestamp", |b| b.iter(|| Timestamp::parse(black_box(text))));
    let at = Timestamp::parse(text);
    c.bench_function("write a timestamp", |b| b.iter(|| black_box(at).map(|at| at.to_string())));
    c.bench_function("ask for the time", |b| b.iter(Timestamp::now));
}

criterion_group!(benches, records, lines, fields);
criterion_main!(benches);
