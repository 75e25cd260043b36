//! From the bytes of a fixture's recording to the text of its report.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;
use std::path::Path;

use clap::Parser as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lockblame::cli::Cli;

/// The words behind `lockblame`, on a fixture's recording.
fn command(words: &str, fixture: &str) -> (Cli, u64) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture).join("perf.data");
    let size = file.metadata().map_or(0, |meta| meta.len());
    let words = std::iter::once("lockblame").chain(words.split(' ')).map(std::ffi::OsString::from);
    (Cli::parse_from(words.chain([file.into_os_string()])), size)
}

fn run(cli: &Cli) -> Vec<u8> {
    let mut out = Vec::new();
    lockblame::app::run(cli, &mut out, &mut std::io::sink()).expect("fixtures are sound");
    out
}

fn reports(criterion: &mut Criterion) {
    let cases = [
        ("table", "report -q"),
        ("json", "report -q --format json"),
        ("path", "report -q --by path"),
        ("inspect", "inspect -q"),
    ];
    for fixture in ["latencytop-before", "mmap-before", "user-mutex"] {
        let mut group = criterion.benchmark_group(fixture);
        for (name, words) in cases {
            let (cli, size) = command(words, fixture);
            group.throughput(Throughput::Bytes(size));
            group.bench_function(name, |bencher| bencher.iter(|| run(black_box(&cli))));
        }
        group.finish();
    }
}

criterion_group!(benches, reports);
criterion_main!(benches);
