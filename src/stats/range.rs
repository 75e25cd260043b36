//! The numbers of the kernel test robot: its deviation, its median, and its rule for a change.

use super::summary::squared_deviations;
use super::{all_finite, finite, summarize};

/// The fewest runs that at least one of the sides needs.
pub const MIN_RANGE_RUNS: usize = 3;

/// The population standard deviation, with n in the denominator, in percent of the mean.
///
/// Only the `lkp` format shows it, because the robot does; it is smaller than the sample deviation. `None` for
/// fewer than two runs, a mean of zero, or values that are not finite.
pub fn population_stddev_percent(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = summarize(values)?.mean;
    let variance = squared_deviations(values, mean) / values.len() as f64;
    finite(100.0 * variance.sqrt() / mean.abs())
}

/// The median as the robot takes it: of an even number of runs, the larger of the two in the middle.
///
/// `None` if there are no values or one is not finite.
pub fn upper_median(values: &[f64]) -> Option<f64> {
    if !all_finite(values) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// Whether two sides differ by the robot's rule: one side's minimum is above the other's median, and its median is
/// above the other's maximum.
///
/// The median is the [`upper_median`]. At least one side must have three runs; else, and if a value is not finite,
/// the answer is no. The rule states no level: it is kept because readers of the robot's mails know it. Source:
/// the comparison of lkp-tests, which this does not extend by its rules for single metrics.
pub fn range_differs(before: &[f64], after: &[f64]) -> bool {
    if before.len().max(after.len()) < MIN_RANGE_RUNS {
        return false;
    }
    let (Some(before), Some(after)) = (Range::of(before), Range::of(after)) else {
        return false;
    };
    after.lies_above(&before) || before.lies_above(&after)
}

struct Range {
    min: f64,
    median: f64,
    max: f64,
}

impl Range {
    fn of(values: &[f64]) -> Option<Range> {
        let median = upper_median(values)?;
        let min = values.iter().copied().fold(median, f64::min);
        let max = values.iter().copied().fold(median, f64::max);
        Some(Range { min, median, max })
    }

    fn lies_above(&self, other: &Range) -> bool {
        self.min > other.median && self.median > other.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_the_rule_are_needed() {
        assert!(range_differs(&[1.0, 2.0, 3.0], &[2.5, 4.0, 5.0]), "ranges may overlap");
        assert!(!range_differs(&[1.0, 2.0, 3.0], &[2.5, 2.9, 5.0]), "median not above the maximum");
        assert!(!range_differs(&[1.0, 2.0, 3.0], &[1.9, 4.0, 5.0]), "minimum not above the median");
        assert!(!range_differs(&[1.0, 2.0, 3.0], &[2.0, 3.0, 5.0]), "equal is not above");
    }

    #[test]
    fn the_rule_works_both_ways() {
        assert!(range_differs(&[2.5, 4.0, 5.0], &[1.0, 2.0, 3.0]));
    }

    #[test]
    fn one_side_needs_three_runs() {
        assert!(!range_differs(&[1.0, 1.0], &[9.0, 9.0]));
        assert!(range_differs(&[1.0], &[8.0, 9.0, 9.0]));
        assert!(range_differs(&[1.0, 1.0, 2.0], &[9.0]));
        assert!(!range_differs(&[], &[8.0, 9.0, 9.0]));
    }

    #[test]
    fn of_an_even_number_the_larger_middle_counts() {
        assert_eq!(upper_median(&[4.0, 1.0, 3.0, 2.0]), Some(3.0));
        assert_eq!(upper_median(&[4.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(upper_median(&[]), None);
        assert!(!range_differs(&[1.0, 2.0, 3.0, 4.0], &[2.7, 9.0, 9.0]), "2.7 is above 2.5, not above 3");
    }

    #[test]
    fn the_deviation_is_that_of_the_population() {
        // 2 4 4 4 5 5 7 9: mean 5, population deviation 2.
        let percent = population_stddev_percent(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert!(percent.is_some_and(|percent| (percent - 40.0).abs() < 1e-12));
        assert_eq!(population_stddev_percent(&[5.0]), None);
        assert_eq!(population_stddev_percent(&[-1.0, 1.0]), None);
        assert_eq!(population_stddev_percent(&[f64::NAN, 1.0]), None);
    }

    #[test]
    fn what_is_not_finite_differs_from_nothing() {
        assert!(!range_differs(&[1.0, 1.0, f64::NAN], &[9.0, 9.0, 9.0]));
        assert!(!range_differs(&[1.0, 1.0, 1.0], &[9.0, 9.0, f64::INFINITY]));
    }
}
