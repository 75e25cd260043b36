//! One figure over the runs of a side.

use super::{Summary, summarize};

/// A figure over runs: a share, or what it costs an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// One value a run, in the order of the runs.
    pub runs: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Their sample deviation (n - 1); `None` for one run.
    pub stddev: Option<f64>,
}

impl Spread {
    /// Over the values of runs.
    pub fn over(runs: Vec<f64>) -> Self {
        let summary = summarize(&runs);
        let mean = summary.map_or(0.0, |s: Summary| s.mean);
        Self { mean, stddev: summary.and_then(|s| s.stddev), runs }
    }
}
