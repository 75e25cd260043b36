//! perf, the peer: whether it is here, what is compared with it, and where its names are no functions.

#![allow(dead_code, reason = "each integration test compiles this module anew and uses only a part of it")]
#![allow(unreachable_pub, reason = "in a test, `pub` says what the other tests may use")]

use std::process::Command;

use crate::shared;

/// Recordings of one run each, one of every kind.
pub const FIXTURES: [&str; 8] = [
    "latencytop-before",
    "latencytop-after",
    "dup-before",
    "dup-fixed",
    "mmap-before",
    "getcwd-fixed",
    "user-mutex",
    "control",
];

/// What perf prints for an address, and the function that is there (docs/peers.md).
pub const NO_FUNCTIONS: [(&str, &str); 2] =
    [("__lock_text_start", "_raw_spin_lock_irqsave"), ("__irqentry_text_end", "common_interrupt_return")];

/// The function that perf means.
pub fn real(name: &str) -> &str {
    NO_FUNCTIONS.iter().find(|(mark, _)| *mark == name).map_or(name, |(_, function)| function)
}

/// Whether perf is here. Absent it lets the test be skipped, unless it is required.
pub fn has_perf() -> bool {
    let found = Command::new("perf").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        shared::skip("perf");
    }
    found
}
