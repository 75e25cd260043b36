//! lockblame: name the contended locks of a `perf.data` recording, who calls them, and what a patch changed.
//!
//! Data flows one way: bytes ([`perf`]) to a profile of addresses, of symbols, to attributed locks, to rows, to text.

pub mod app;
pub mod check;
pub mod cli;
pub mod compare;
pub mod error;
pub mod file;
pub mod graph;
pub mod id;
pub mod ingest;
pub mod lock;
pub mod metric;
pub mod perf;
pub mod profile;
pub mod render;
pub mod report;
pub mod run;
pub mod stats;
pub mod symbol;
pub mod text;
pub mod transcript;
pub mod units;
