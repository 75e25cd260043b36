//! What the integration tests share: recordings and symbol lists written in code.

#![allow(
    dead_code,
    unused_imports,
    reason = "each integration test compiles this module anew and uses only a part of it"
)]
#![allow(unreachable_pub, reason = "in a test, `pub` says what the other tests may use")]

pub mod cut;
pub mod kallsyms;
pub mod mail_rules;
pub mod perf_script;
pub mod perfdata;
pub mod reading;
pub mod shared;
pub mod sides;
pub mod written;
