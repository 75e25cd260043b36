//! What one run is: the facts of a recording, and what to know about its data.

use crate::units::{Nanos, Unit, Weight};

/// What one recording is, for the facts of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInfo {
    /// As the user named it.
    pub file: String,
    /// The event that is reported.
    pub event: String,
    /// What its weight counts.
    pub unit: Unit,
    /// Samples of the event; `None` where a text does not tell.
    pub samples: Option<u64>,
    /// Their weight; `None` where a text does not tell.
    pub weight: Option<Weight>,
    /// Records or samples that were lost.
    pub lost: u64,
    /// From the first sample to the last.
    pub duration: Option<Nanos>,
    /// `uname -n`.
    pub host: Option<String>,
    /// `uname -r`.
    pub kernel: Option<String>,
    /// `uname -m`.
    pub arch: Option<String>,
    /// CPUs online.
    pub cpus: Option<u32>,
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// What was run, as the recorder was told.
    pub command: Option<String>,
    /// Period or frequency of the event.
    pub rate: Option<Rate>,
    /// The recorder did not finish, or the file's end is missing.
    pub truncated: bool,
    /// The part of frames without a name.
    pub unnamed_share: f64,
    /// Whether weights and samples of rows are counts, or a text told shares only.
    pub counting: Counting,
}

/// Whether a run's rows have weights of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// They do.
    Counted,
    /// A text told shares only.
    SharesOnly,
}

/// How often an event was sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Every so many.
    Period(u64),
    /// So many times a second.
    Frequency(u64),
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rate::Period(n) => write!(f, "period {n}"),
            Rate::Frequency(n) => write!(f, "{n} Hz"),
        }
    }
}

/// A warning about the data: a stable code, and cause and remedy in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// Stable, for scripts.
    pub code: &'static str,
    /// Cause and remedy.
    pub text: String,
}
