//! Bytes to typed records: file, pipe, compressed and directory recordings of any perf version.
//!
//! A gate checks every offset before anything is read ([`gate`]); the feature sections go through `linux-perf-data`
//! ([`feature`]); records and samples are decoded here, without copies ([`record`], [`sample`], [`sideband`]).

pub mod attr;
pub mod block;
pub mod bytes;
pub mod event;
pub mod feature;
pub mod gate;

pub mod record;
pub mod recording;
pub mod sample;
pub mod sideband;
pub mod simpleperf;
pub mod tracing;

pub use recording::{Mode, Recording, is_recording};
