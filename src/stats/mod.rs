//! Pure numbers: how large a difference is, and whether it is more than noise.
//!
//! Nothing here knows of locks, runs or reports: a side is a slice of `f64`, one number for each run. Each
//! function states its formula and its source; `docs/statistics.md` gathers them. Three rules hold throughout:
//!
//! 1. **The run is the unit.** A slice holds one number per run. Samples within a run are not replicates; their
//!    error is what [`jackknife_ratio`] estimates, and it never decides a verdict.
//! 2. **NaN and infinity never leave.** An input that is not finite, and a result that would not be, is `None`.
//! 3. **No spread, no test.** Where the runs do not vary at all, there is a difference but no p-value.
//!
//! The distributions come from `statrs`, which is used in this module only.

mod adjust;
mod amdahl;
mod interval;
mod jackknife;
mod power;
mod range;
mod rank;
mod spread;
mod student;
mod summary;
mod welch;

pub use adjust::benjamini_hochberg;
pub use amdahl::ceiling;
pub use interval::Interval;
pub use jackknife::{Block, Estimate, jackknife_ratio};
pub use power::detectable;
pub use range::{MIN_RANGE_RUNS, population_stddev_percent, range_differs, upper_median};
pub use rank::{EXACT_RUNS, MIN_RANK_RUNS, RankMethod, RankTest, mann_whitney};
pub use spread::Spread;
pub use student::{t_quantile, t_two_sided_p};
pub use summary::{Summary, geometric_mean, mean_interval, summarize};
pub use welch::{Difference, welch};

/// The level of every interval: two-sided 95 %, so this is the quantile at its upper end.
const UPPER: f64 = 0.975;

/// The value, unless it is NaN or infinite.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Whether every value is finite.
fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}
