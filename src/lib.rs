//! lockblame: name the contended locks of a `perf.data` recording, who calls them, and what a patch changed.

pub mod text;
