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
    /// The first offset of the file from which on something is missing: the recorder did not finish, the end is missing,
    /// or what stands there is damaged. What the run counts is of the rest.
    pub truncated: Option<u64>,
    /// The part of frames without a name.
    pub unnamed_share: f64,
    /// Whether weights and samples of rows are counts, or a text told shares only.
    pub counting: Counting,
}

impl RunInfo {
    /// A run of which nothing but its event is known.
    pub fn of_event(file: &str, event: &str) -> Self {
        Self {
            file: file.to_owned(),
            event: event.to_owned(),
            unit: Unit::of_event(event),
            samples: None,
            weight: None,
            lost: 0,
            duration: None,
            host: None,
            kernel: None,
            arch: None,
            cpus: None,
            cpu_model: None,
            command: None,
            rate: None,
            truncated: None,
            unnamed_share: 0.0,
            counting: Counting::SharesOnly,
        }
    }
}

/// How a sentence names the whole that shares of these runs are of: "89.9 % of cycles", or of those that could be read.
pub fn whole<'a>(runs: impl IntoIterator<Item = &'a RunInfo>) -> String {
    let mut runs = runs.into_iter().peekable();
    let first = runs.peek().map_or_else(|| "events".to_owned(), |run| run.unit.whole(&run.event));
    match runs.any(|run| run.truncated.is_some()) {
        true => format!("{first} that could be read"),
        false => first,
    }
}

/// What weights of these runs count.
pub fn unit<'a>(runs: impl IntoIterator<Item = &'a RunInfo>) -> &'static str {
    runs.into_iter().next().map_or("events", |run| run.unit.word())
}

/// The sum of a count over runs; `None` where one does not tell it, and without any run.
pub fn total(runs: &[RunInfo], of: impl Fn(&RunInfo) -> Option<u64>) -> Option<u64> {
    let sum = runs.iter().map(of).try_fold(0_u64, |sum, count| Some(sum.saturating_add(count?)));
    sum.filter(|_| !runs.is_empty())
}

/// A count over runs, where all of them have counts; a text that was mailed tells shares only.
pub fn counted<'a>(runs: impl IntoIterator<Item = &'a RunInfo>, count: u64) -> Option<u64> {
    runs.into_iter().all(|run| run.counting == Counting::Counted).then_some(count)
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
