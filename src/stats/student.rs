//! Student's t distribution: its quantiles, and the p-value of a t.

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

use super::finite;

/// The fewest degrees of freedom that are taken; no test in this module has fewer than one.
const MIN_DF: f64 = 0.01;

/// More degrees of freedom than these count as these. From here on t is normal to about six digits, while the
/// incomplete beta function loses digits.
const MAX_DF: f64 = 1e6;

/// Steps of the search for a quantile. Bisection alone settles the bits of any `f64` between 0 and 1 in fewer.
const MAX_STEPS: usize = 1_200;

/// The quantile of Student's t: the t below which a share `p` of the distribution lies.
///
/// `df` are the degrees of freedom, whole or not. `None` unless `0 < p < 1`, `df` is finite and at least 0.01, and
/// the square of the quantile is finite. Found by Newton's method on the distribution function, kept in a bracket that
/// shrinks with each step, so that it always ends. Source of the distribution: Student 1908, Biometrika 6:1.
pub fn t_quantile(p: f64, df: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let student = distribution(df)?;
    if p == 0.5 {
        return Some(0.0);
    }
    // The upper half is the mirror image of the lower: only the small tail keeps its digits.
    let tail = p.min(1.0 - p);
    let magnitude = upper_quantile(&student, tail)?;
    Some(if p < 0.5 { -magnitude } else { magnitude })
}

/// The two-sided p-value of `t`: the probability of a t at least as far from zero on either side.
///
/// `None` unless both are finite and `df` is at least 0.01.
pub fn t_two_sided_p(t: f64, df: f64) -> Option<f64> {
    let student = distribution(df)?;
    let p = 2.0 * student.sf(finite(t)?.abs());
    finite(p.clamp(0.0, 1.0))
}

fn distribution(df: f64) -> Option<StudentsT> {
    if !(df.is_finite() && df >= MIN_DF) {
        return None;
    }
    StudentsT::new(0.0, 1.0, df.min(MAX_DF)).ok()
}

/// The t above which a share `tail < 0.5` of the distribution lies.
fn upper_quantile(student: &StudentsT, tail: f64) -> Option<f64> {
    let mut high = 1.0;
    while student.sf(high) > tail {
        high *= 2.0;
        finite(high * high)?;
    }
    let mut low = if high > 1.0 { high / 2.0 } else { 0.0 };
    let mut t = low + (high - low) / 2.0;
    for _ in 0..MAX_STEPS {
        let excess = student.sf(t) - tail;
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t + excess / student.pdf(t);
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        if (next - t).abs() <= 4.0 * f64::EPSILON * t.abs() || next <= low || next >= high {
            return finite(next);
        }
        t = next;
    }
    finite(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_and_p_value_are_inverse_to_each_other() {
        for df in [0.7, 1.0, 1.5, 2.0, 3.3, 8.0, 17.8, 99.0, 1e3, 1e5] {
            for p in [1e-9, 1e-4, 0.01, 0.2, 0.499, 0.6, 0.975, 0.9999] {
                let t = t_quantile(p, df).expect("a quantile");
                let back = t_two_sided_p(t, df).expect("a p-value");
                let expected = 2.0 * f64::min(p, 1.0 - p);
                assert!((back / expected - 1.0).abs() < 1e-9, "df {df}, p {p}: t {t}, back {back}");
                assert_eq!(t > 0.0, p > 0.5, "df {df}, p {p}");
            }
        }
    }

    #[test]
    fn one_degree_of_freedom_is_the_cauchy_distribution() {
        for p in [0.55, 0.75, 0.9, 0.975, 0.999, 0.999_999] {
            let cauchy = (std::f64::consts::PI * (p - 0.5)).tan();
            let t = t_quantile(p, 1.0).expect("a quantile");
            assert!((t / cauchy - 1.0).abs() < 1e-9, "{p}: {t} and {cauchy}");
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_distribution() {
        for df in [1e6, 1e9, 1e15, f64::MAX] {
            let t = t_quantile(0.975, df).expect("a quantile");
            assert!((t - 1.959_964).abs() < 5e-6, "{df}: {t}");
            let p = t_two_sided_p(1.959_964, df).expect("a p-value");
            assert!((p - 0.05).abs() < 1e-6, "{df}: {p}");
        }
    }

    #[test]
    fn what_is_no_probability_or_no_degree_of_freedom_has_no_quantile() {
        for p in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(t_quantile(p, 5.0), None, "{p}");
        }
        for df in [0.0, 5e-324, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(t_quantile(0.9, df), None, "{df}");
            assert_eq!(t_two_sided_p(1.0, df), None, "{df}");
        }
        assert_eq!(t_two_sided_p(f64::NAN, 5.0), None);
        assert_eq!(t_quantile(0.999_999, 0.01), None, "its square exceeds every finite number");
        assert_eq!(t_two_sided_p(1e300, 5.0), Some(0.0));
        assert_eq!(t_two_sided_p(0.0, 5.0), Some(1.0));
    }
}
