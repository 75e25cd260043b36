//! The difference of two sides: Welch's t.

use super::{Interval, Summary, UPPER, finite, summarize, t_quantile, t_two_sided_p};

/// Standard errors up to this many rounding errors of the larger mean are no spread but rounding.
const ROUNDING: f64 = 10.0 * f64::EPSILON;

/// The difference of the means of two sides, after - before, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Mean after minus mean before.
    pub diff: f64,
    /// The standard error of the difference; zero if neither side varies.
    pub stderr: f64,
    /// The 95 % interval of the difference; a point if neither side varies.
    pub interval: Interval,
    /// Welch's t, diff / stderr; `None` if neither side varies.
    pub t: Option<f64>,
    /// The Welch-Satterthwaite degrees of freedom, not whole as a rule; `None` if neither side varies.
    pub df: Option<f64>,
    /// The two-sided p-value of "no difference". If neither side varies: 1 for equal means, else `None`.
    pub p: Option<f64>,
}

/// Compares two sides by Welch's t, which does not assume that they vary alike.
///
/// t = (m2 - m1) / se with se^2 = s1^2/n1 + s2^2/n2, and the degrees of freedom of Welch and Satterthwaite:
/// df = se^4 / ((s1^2/n1)^2/(n1-1) + (s2^2/n2)^2/(n2-1)). The interval is diff +- t(0.975, df) * se.
/// Sources: Welch 1947, Biometrika 34:28; Satterthwaite 1946, Biometrics Bulletin 2:110.
///
/// `None` if a side has fewer than two runs, or if a value or a result is not finite.
///
/// If neither side varies, or only by rounding, there is nothing to measure the difference against: t would be
/// infinite and p zero, which would claim certainty from as few as two runs that a coarse counter made equal. So
/// the difference is given as a point and p is `None`, "cannot be tested". Equal means are the one case in which
/// the data speak plainly for "no difference", and p is 1.
pub fn welch(before: &[f64], after: &[f64]) -> Option<Difference> {
    let (before, after) = (summarize(before)?, summarize(after)?);
    let diff = finite(after.mean - before.mean)?;
    let spread = spread(&before, &after)?;
    let rounding = ROUNDING * f64::max(before.mean.abs(), after.mean.abs());
    if spread.stderr <= rounding {
        let p = (diff.abs() <= rounding).then_some(1.0);
        let interval = Interval::around(diff, 0.0)?;
        return Some(Difference { diff, stderr: 0.0, interval, t: None, df: None, p });
    }
    let t = finite(diff / spread.stderr)?;
    let p = t_two_sided_p(t, spread.df)?;
    let interval = Interval::around(diff, t_quantile(UPPER, spread.df)? * spread.stderr)?;
    Some(Difference { diff, stderr: spread.stderr, interval, t: Some(t), df: Some(spread.df), p: Some(p) })
}

/// How far the difference of two means varies by chance.
pub(super) struct Spread {
    /// The standard error of the difference.
    pub(super) stderr: f64,
    /// The Welch-Satterthwaite degrees of freedom; 0 if neither side varies.
    pub(super) df: f64,
}

/// The spread of the difference of two sides; `None` if one has a single run.
pub(super) fn spread(before: &Summary, after: &Summary) -> Option<Spread> {
    let (one, two) = (before.squared_error()?, after.squared_error()?);
    let squared = finite(one + two)?;
    if squared == 0.0 {
        return Some(Spread { stderr: 0.0, df: 0.0 });
    }
    // In parts of the whole, no square can underflow.
    let (one, two) = (one / squared, two / squared);
    let df = 1.0 / (one * one / (before.n - 1) as f64 + two * two / (after.n - 1) as f64);
    Some(Spread { stderr: squared.sqrt(), df: finite(df)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_without_spread_differ_but_are_not_tested() {
        let same = welch(&[0.1; 3], &[0.1; 4]).expect("equal constants");
        assert_eq!((same.diff, same.p, same.t, same.df), (0.0, Some(1.0), None, None));
        let other = welch(&[2.0; 3], &[5.0; 3]).expect("other constants");
        assert_eq!((other.diff, other.p, other.stderr), (3.0, None, 0.0));
        assert_eq!(other.interval, Interval { low: 3.0, high: 3.0 });
    }

    #[test]
    fn rounding_is_not_taken_for_spread() {
        let noisy = [0.3, 0.1 + 0.2, 0.3];
        let difference = welch(&noisy, &[0.7; 3]).expect("constants");
        assert_eq!(difference.p, None);
        assert_eq!(welch(&noisy, &[0.3; 3]).and_then(|difference| difference.p), Some(1.0));
    }

    #[test]
    fn one_side_without_spread_is_tested_against_the_other() {
        let difference = welch(&[0.0; 5], &[0.9, 1.0, 1.1]).expect("a difference");
        assert_eq!(difference.df, Some(2.0));
        assert!(difference.p.is_some_and(|p| p < 0.01));
    }

    #[test]
    fn one_run_on_a_side_is_no_comparison() {
        assert_eq!(welch(&[1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(welch(&[1.0, 2.0, 3.0], &[1.0]), None);
        assert_eq!(welch(&[], &[]), None);
    }

    #[test]
    fn the_order_of_the_sides_turns_the_sign_only() {
        let (one, two) = ([1.0, 2.0, 4.0, 3.5], [2.0, 5.0, 9.0]);
        let (there, back) = (welch(&one, &two).expect("there"), welch(&two, &one).expect("back"));
        assert_eq!((there.diff, there.p, there.df), (-back.diff, back.p, back.df));
        assert_eq!((there.interval.low, there.interval.high), (-back.interval.high, -back.interval.low));
    }

    #[test]
    fn tiny_and_huge_units_give_the_same_test() {
        let (one, two) = ([1.0, 2.0, 4.0, 3.5], [2.0, 5.0, 9.0]);
        let p = welch(&one, &two).and_then(|difference| difference.p).expect("a p-value");
        for unit in [1e-120, 1e-9, 1e120] {
            let scaled = |side: &[f64]| side.iter().map(|value| value * unit).collect::<Vec<f64>>();
            let other = welch(&scaled(&one), &scaled(&two)).and_then(|difference| difference.p);
            assert!(other.is_some_and(|other| (other / p - 1.0).abs() < 1e-9), "{unit}: {other:?}");
        }
        assert_eq!(welch(&[1e200, 2e200], &[1e200, 3e200]), None, "the variance overflows");
        assert_eq!(welch(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }
}
