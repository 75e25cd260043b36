//! A figure: what one side of a row is worth, and how much it varied from run to run.

/// One side of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// The value of each run, in order. No run at all is the same as [`Figure::Absent`].
    Runs(Vec<f64>),
    /// A figure as a table printed it: rounded, and with the deviation cut to whole percent.
    Stated {
        /// The printed value.
        value: f64,
        /// The printed deviation in percent of the value; `None` where the table left it blank.
        deviation: Option<f64>,
    },
    /// A figure computed from other figures, in full precision (a total).
    Derived {
        /// The value.
        value: f64,
        /// The deviation in percent of the value; `None` where it is not known.
        deviation: Option<f64>,
    },
    /// The side has no such metric: the row is `new` or `gone`.
    Absent,
}

impl Figure {
    /// The value: the mean of the runs, or what was stated.
    ///
    /// `None` when the side is absent or when anything in it is not finite; no other number leaves a figure.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Runs(runs) => mean(runs),
            Self::Stated { value, .. } | Self::Derived { value, .. } => Some(*value),
            Self::Absent => None,
        }
        .filter(|value| value.is_finite())
    }

    /// The deviation in percent of the value.
    ///
    /// For runs `x` with mean `m` it is the population deviation `100 * sqrt(sum((x - m)^2) / n) / |m|`, which
    /// is what the kernel test robot prints. `None` for a single run, for a mean of zero (no percentage
    /// exists), and where a stated figure has none.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        match self {
            Self::Runs(runs) => population_deviation(runs),
            Self::Stated { deviation, .. } | Self::Derived { deviation, .. } => *deviation,
            Self::Absent => None,
        }
        .filter(|deviation| deviation.is_finite() && *deviation >= 0.0)
    }
}

/// The arithmetic mean. Values so large that their sum overflows are divided first.
fn mean(runs: &[f64]) -> Option<f64> {
    if runs.is_empty() {
        return None;
    }
    let n = runs.len() as f64;
    let sum: f64 = runs.iter().sum();
    Some(if sum.is_finite() { sum / n } else { runs.iter().map(|x| x / n).sum() })
}

/// The population deviation in percent of the mean, from relative differences so that squares cannot overflow.
fn population_deviation(runs: &[f64]) -> Option<f64> {
    let mean = mean(runs).filter(|mean| *mean != 0.0 && runs.len() > 1)?;
    let squares: f64 = runs.iter().map(|x| ((x - mean) / mean).powi(2)).sum();
    Some(100.0 * (squares / runs.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_is_of_the_population_and_in_percent() {
        // The textbook set 2 4 4 4 5 5 7 9: mean 5, population deviation 2 (the sample deviation is 2.138).
        let figure = Figure::Runs(vec![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(figure.value(), Some(5.0));
        assert!((figure.deviation().unwrap() - 40.0).abs() < 1e-12);
    }

    #[test]
    fn a_negative_mean_has_a_positive_deviation() {
        assert_eq!(Figure::Runs(vec![-1.0, -3.0]).deviation(), Some(50.0));
    }

    #[test]
    fn no_deviation_of_one_run_or_around_zero() {
        assert_eq!(Figure::Runs(vec![3.0]).deviation(), None);
        assert_eq!(Figure::Runs(vec![-1.0, 1.0]).deviation(), None);
        assert_eq!(Figure::Runs(vec![]).value(), None);
    }

    #[test]
    fn large_values_do_not_overflow() {
        let figure = Figure::Runs(vec![1e308, 1.2e308, 1.4e308]);
        assert!((figure.value().unwrap() / 1.2e308 - 1.0).abs() < 1e-12);
        assert!((figure.deviation().unwrap() - 13.608_276).abs() < 1e-5);
    }

    #[test]
    fn what_is_not_finite_is_absent() {
        assert_eq!(Figure::Runs(vec![1.0, f64::NAN]).value(), None);
        assert_eq!(Figure::Stated { value: f64::INFINITY, deviation: Some(f64::NAN) }.value(), None);
    }
}
