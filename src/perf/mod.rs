//! Bytes to typed records: file, pipe, compressed and directory recordings of any perf version.
//!
//! A gate checks every offset before anything is read ([`gate`]); the feature sections go through `linux-perf-data`
//! ([`feature`]); records and samples are decoded here, without copies ([`record`], [`sample`], [`sideband`]); what is damaged is
//! stepped over (`resync`).

pub mod attr;
pub mod block;
pub mod bytes;
mod contents;
pub mod event;
pub mod feature;
pub mod gate;
pub mod hybrid;
pub mod record;
pub mod recording;
mod resync;
pub mod sample;
pub mod sideband;
pub mod simpleperf;
pub mod tracing;
pub mod zstd;

pub use recording::{Mode, Recording, begins_recording, is_recording};
