//! What the engine writes and reads besides records: frames of the journal, the index file.
#![allow(clippy::expect_used, reason = "a benchmark without its files is none")]

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use namzu_native::{
    engine::{Entry, Op, RelPath, Table, bench},
    id::SessionId,
};

const KIND: u8 = b's';
/// About as long as a session's record, and as a line of a message log.
const RECORD_LEN: usize = 420;
const LINE_LEN: usize = 380;

fn path() -> RelPath {
    RelPath::of("projects").id(&SessionId::generate()).at("messages.jsonl")
}

/// An appended message, and a new session.
fn transactions() -> [(&'static str, Vec<Op>); 2] {
    let append = Op::Append { path: path(), offset: 123_456, bytes: vec![b'm'; LINE_LEN] };
    let put = Op::Put { path: path(), bytes: vec![b'r'; RECORD_LEN] };
    let locate = Op::Locate(Entry::add(KIND, "ses_bench0000000", "prj_bench0000000"));
    [("a message", vec![append]), ("a session", vec![put, locate])]
}

fn frames(c: &mut Criterion) {
    for (name, ops) in transactions() {
        let mut frame = Vec::new();
        bench::encode_frame(&mut frame, 7, &ops);
        let mut group = c.benchmark_group("journal frame");
        group.throughput(Throughput::Bytes(frame.len() as u64));
        group.bench_function(BenchmarkId::new("write", name), |b| {
            let mut bytes = Vec::with_capacity(frame.len());
            b.iter(|| {
                bytes.clear();
                bench::encode_frame(&mut bytes, 7, black_box(&ops));
                bytes.len()
            });
        });
        group.bench_function(BenchmarkId::new("read", name), |b| {
            b.iter(|| bench::decode_frame(black_box(&frame)));
        });
        group.finish();
    }
}

fn index(c: &mut Criterion) {
    let mut group = c.benchmark_group("index file");
    for entries in [100, 100_000] {
        let mut table = Table::default();
        for n in 0..entries {
            table.apply(&Entry::add(KIND, &format!("ses_{n:012}"), "prj_bench0000000"));
        }
        let file = bench::index_file(&table);
        group.sample_size(10);
        group.bench_function(BenchmarkId::new("load", entries), |b| {
            b.iter_batched(|| file.clone(), bench::load_index, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, frames, index);
criterion_main!(benches);
