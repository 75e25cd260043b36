//! What must hold for any bytes: one module a target, each with a `check` that panics where it does not.
//!
//! The fuzzer calls these functions (`targets/`), and so does `tests/fuzz_corpus.rs` with what the fuzzer has kept, on
//! any toolchain.

#![allow(missing_docs, unreachable_pub, reason = "no program but the fuzzer's and one test's uses these")]

pub mod gate;
pub mod kallsyms;
pub mod packed;
pub mod recording;
pub mod samples;
pub mod text;
pub mod trace_formats;

#[path = "../../tests/support/heap.rs"]
pub mod heap;

/// Panics where something does not hold for the bytes.
pub type Check = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: &[(&str, Check)] = &[
    ("gate", gate::check),
    ("kallsyms", kallsyms::check),
    ("packed", packed::check),
    ("recording", recording::check),
    ("samples", samples::check),
    ("text", text::check),
    ("trace_formats", trace_formats::check),
];

/// Runs `act` and checks what it held at its peak.
#[track_caller]
fn within<T>(bytes: &[u8], act: impl FnOnce() -> T) -> T {
    let (value, peak) = heap::peak_of(act);
    assert_bounded(peak, bytes.len(), 0);
    value
}

/// So much heap for any input, so many times its size, and `more`.
#[track_caller]
fn assert_bounded(peak: usize, size: usize, more: usize) {
    const ANY: usize = 64 << 20;
    const TIMES: usize = 8;
    let most = ANY + TIMES * size + more;
    assert!(peak <= most, "{size} bytes of input took {peak} bytes of heap, more than {most}");
}

/// A message that a user reads: one line that no terminal acts on, and not endless.
#[track_caller]
fn assert_one_line(line: &str) {
    assert!(!line.is_empty() && line.chars().count() <= 600, "{} characters: {line:?}", line.len());
    assert!(!line.chars().any(char::is_control), "{line:?}");
}
