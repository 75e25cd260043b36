//! How small a difference an experiment could have seen.

use super::welch::spread;
use super::{UPPER, finite, summarize, t_quantile};

/// The power that is asked for: the probability of seeing a difference that is there.
const POWER: f64 = 0.80;

/// The smallest difference of means that these runs would have shown with 80 % power in a two-sided test at 5 %.
///
/// (t(0.975, df) + t(0.80, df)) * se, with Welch's standard error and degrees of freedom, in the unit of the values
/// and never negative. Sources: Bloom 1995, Evaluation Review 19:547 (the minimum detectable effect); Cohen 1988,
/// Statistical Power Analysis, ch. 2 (the choice of 80 %).
///
/// It depends on the spread of the runs and on their number, not on the difference that was found, so it tells an
/// experiment that saw nothing from one that could not have seen anything.
///
/// `None` if a side has fewer than two runs, if neither side varies (the spread is then unknown, not zero), or if a
/// value is not finite.
pub fn detectable(before: &[f64], after: &[f64]) -> Option<f64> {
    let spread = spread(&summarize(before)?, &summarize(after)?)?;
    if spread.stderr == 0.0 {
        return None;
    }
    finite((t_quantile(UPPER, spread.df)? + t_quantile(POWER, spread.df)?) * spread.stderr)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_depend_on_what_was_found() {
        let before = [10.0, 11.0, 12.0];
        let near = detectable(&before, &[10.5, 11.5, 12.5]).expect("near");
        let far = detectable(&before, &[90.5, 91.5, 92.5]).expect("far");
        assert!((near - far).abs() < 1e-9);
    }

    #[test]
    fn more_runs_see_less() {
        let side = [10.0, 11.0, 12.0, 10.0, 11.0, 12.0];
        let few = detectable(&side[..3], &side[3..]).expect("few");
        let many = detectable(&side, &side).expect("many");
        assert!(many < few);
    }

    #[test]
    fn without_runs_or_spread_it_is_unknown() {
        assert_eq!(detectable(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(detectable(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(detectable(&[1.0, f64::NAN], &[2.0, 3.0]), None);
    }
}
