//! The index in memory, which answers where a session is: a look-up may not depend on its size.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use namzu_native::engine::{Entry, Table};

const KIND: u8 = b's';

fn filled(entries: usize) -> Table {
    let mut table = Table::default();
    for n in 0..entries {
        table.apply(&Entry::add(KIND, &format!("ses_{n:012}"), "prj_bench0000000"));
    }
    table
}

fn look_up(c: &mut Criterion) {
    let mut group = c.benchmark_group("look a session up");
    for entries in [100, 100_000] {
        let table = filled(entries);
        let keys: Vec<String> = (0..entries).step_by(7).map(|n| format!("ses_{n:012}")).collect();
        group.bench_function(BenchmarkId::from_parameter(entries), |b| {
            let mut keys = keys.iter().cycle();
            b.iter(|| keys.next().map(|key| table.get(KIND, black_box(key)).len()));
        });
    }
    group.finish();
}

fn fill(c: &mut Criterion) {
    c.bench_function("fill an index with 10,000 sessions", |b| b.iter(|| filled(10_000)));
}

criterion_group!(benches, look_up, fill);
criterion_main!(benches);
