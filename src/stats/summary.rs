//! One side in a few numbers: mean, deviation, range, median, and the interval of the mean.

use super::{Interval, UPPER, all_finite, finite, t_quantile};

/// The runs of one side, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Number of runs, at least one.
    pub n: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation, with n - 1 in the denominator; `None` for a single run, which has no
    /// spread to speak of.
    pub stddev: Option<f64>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The middle value, or the mean of the two in the middle.
    pub median: f64,
}

impl Summary {
    /// The standard deviation in percent of the mean: 100 * s / |m|. `None` for a single run or a mean of zero.
    pub fn relative_deviation(&self) -> Option<f64> {
        finite(100.0 * self.stddev? / self.mean.abs())
    }

    /// The squared standard error of the mean, s^2 / n.
    pub(super) fn squared_error(&self) -> Option<f64> {
        let stddev = self.stddev?;
        finite(stddev * stddev / self.n as f64)
    }
}

/// Summarizes the runs of one side; `None` if there are none or if a value or a result is not finite.
///
/// Equal values have a deviation of exactly zero, although their sum divided by n may be a bit off.
pub fn summarize(values: &[f64]) -> Option<Summary> {
    if values.is_empty() || !all_finite(values) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (n, min, max) = (sorted.len(), sorted[0], sorted[sorted.len() - 1]);
    let mean = finite(sorted.iter().sum::<f64>() / n as f64)?.clamp(min, max);
    let stddev = match n {
        1 => None,
        _ => Some(finite((squared_deviations(&sorted, mean) / (n - 1) as f64).sqrt())?),
    };
    let median = finite((sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0)?;
    Some(Summary { n, mean, stddev, min, max, median })
}

/// The sum of the squared deviations from the mean.
pub(super) fn squared_deviations(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|value| (value - mean) * (value - mean)).sum()
}

/// The 95 % interval of the mean of one side: m +- t(0.975, n - 1) * s / sqrt(n).
///
/// `None` for fewer than two runs or values that are not finite. Without any spread it is a point. Source:
/// Student 1908, Biometrika 6:1.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let side = summarize(values)?;
    let error = side.squared_error()?.sqrt();
    let t = t_quantile(UPPER, (side.n - 1) as f64)?;
    Interval::around(side.mean, t * error)
}

/// The geometric mean, exp(mean of the logarithms), which is what rates of several benchmarks are averaged by.
///
/// Zero if a value is zero; `None` if there are no values or if one is negative or not finite. Source: Fleming
/// and Wallace 1986, Communications of the ACM 29:218.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite() && *value >= 0.0) {
        return None;
    }
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    finite((logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_run_has_a_mean_but_no_spread() {
        let side = summarize(&[4.0]).expect("one run");
        assert_eq!(side, Summary { n: 1, mean: 4.0, stddev: None, min: 4.0, max: 4.0, median: 4.0 });
        assert_eq!(side.relative_deviation(), None);
        assert_eq!(mean_interval(&[4.0]), None);
    }

    #[test]
    fn equal_values_have_no_spread_at_all() {
        // 0.1 + 0.1 + 0.1 is not 0.3, so a careless mean lies off every one of the values.
        let side = summarize(&[0.1; 3]).expect("three runs");
        assert_eq!((side.mean, side.stddev), (0.1, Some(0.0)));
        assert_eq!(mean_interval(&[0.1; 3]), Some(Interval { low: 0.1, high: 0.1 }));
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        assert_eq!(summarize(&[9.0, 1.0, 2.0, 4.0]).map(|side| side.median), Some(3.0));
        assert_eq!(summarize(&[9.0, 1.0, 2.0]).map(|side| side.median), Some(2.0));
    }

    #[test]
    fn the_relative_deviation_needs_a_mean_other_than_zero() {
        assert_eq!(summarize(&[-1.0, 1.0]).and_then(|side| side.relative_deviation()), None);
        assert_eq!(summarize(&[0.0, 0.0]).and_then(|side| side.relative_deviation()), None);
        let negative = summarize(&[-9.0, -11.0]).and_then(|side| side.relative_deviation());
        assert!(negative.is_some_and(|percent| (percent - 14.142_135_6).abs() < 1e-6));
    }

    #[test]
    fn what_is_not_finite_is_not_summarized() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(summarize(&[1.0, bad]), None);
            assert_eq!(mean_interval(&[1.0, bad]), None);
            assert_eq!(geometric_mean(&[1.0, bad]), None);
        }
        assert_eq!(summarize(&[]), None);
        assert_eq!(summarize(&[f64::MAX, f64::MAX]), None, "their sum overflows");
        assert_eq!(summarize(&[-1e200, 1e200]), None, "their variance overflows");
    }

    #[test]
    fn the_geometric_mean_of_rates() {
        assert!(geometric_mean(&[1.0, 10.0, 100.0]).is_some_and(|mean| (mean - 10.0).abs() < 1e-12));
        assert_eq!(geometric_mean(&[0.0, 5.0]), Some(0.0));
        assert_eq!(geometric_mean(&[-1.0, 5.0]), None);
        assert_eq!(geometric_mean(&[]), None);
    }
}
