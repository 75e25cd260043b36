//! The difference of two sides by ranks alone: the Mann-Whitney U.

use statrs::distribution::{ContinuousCDF, Normal};

use super::all_finite;

/// The fewest runs on a side with which ranks are offered: with 3 against 3, no outcome whatever reaches 5 %.
pub const MIN_RANK_RUNS: usize = 4;

/// Up to this many runs on both sides together, p is exact. C(50, 25), the largest number of ways to split them,
/// is below 2^47, so that counting in integers cannot overflow.
pub const EXACT_RUNS: usize = 50;

/// The outcome of a rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankTest {
    /// Number of pairs of one run before and one run after in which the one after is larger; ties count half.
    /// Between 0 and the product of the numbers of runs.
    pub u: f64,
    /// The two-sided p-value of "no difference".
    pub p: f64,
    /// How p was found.
    pub method: RankMethod,
}

/// How the p-value of a rank test was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankMethod {
    /// By counting all ways to split the runs into two sides, with the ties as they are.
    Exact,
    /// By the normal approximation, corrected for ties and for continuity.
    Normal,
}

/// Compares two sides by the ranks of their values: the Mann-Whitney U, also known as Wilcoxon's rank sum.
///
/// Equal values share the mean of their ranks (midranks). Up to [`EXACT_RUNS`] runs in all, p is the share of all
/// splits of the observed midranks into two sides whose U is at least as far from its mean, n1 n2 / 2, as the
/// observed one; this is exact with and without ties. Beyond, U is taken as normal with variance
/// n1 n2 / 12 * (N + 1 - sum(t^3 - t) / (N (N - 1))), t being the sizes of the groups of ties, and with half a
/// unit of continuity correction. Sources: Mann and Whitney 1947, Annals of Mathematical Statistics 18:50;
/// Lehmann 1975, Nonparametrics, ch. 1.
///
/// `None` if a side has fewer than [`MIN_RANK_RUNS`] runs or a value is not finite.
pub fn mann_whitney(before: &[f64], after: &[f64]) -> Option<RankTest> {
    if before.len().min(after.len()) < MIN_RANK_RUNS || !all_finite(before) || !all_finite(after) {
        return None;
    }
    let ranks = Ranks::of(before, after);
    let (n1, n2) = (before.len(), after.len());
    let u = (ranks.sum_after - n2 * (n2 + 1)) as f64 / 2.0;
    let (p, method) = if n1 + n2 <= EXACT_RUNS {
        (ranks.exact_p(n2), RankMethod::Exact)
    } else {
        (normal_p(u, n1 as f64, n2 as f64, ranks.tied)?, RankMethod::Normal)
    };
    Some(RankTest { u, p, method })
}

/// The midranks of two sides together, doubled so that they are whole.
struct Ranks {
    /// Twice the midrank of each run, in ascending order.
    doubled: Vec<usize>,
    /// The sum of those of the side after.
    sum_after: usize,
    /// The sum of t^3 - t over the groups of ties.
    tied: f64,
}

impl Ranks {
    fn of(before: &[f64], after: &[f64]) -> Ranks {
        let mut runs: Vec<(f64, bool)> = before.iter().map(|&value| (value, false)).collect();
        runs.extend(after.iter().map(|&value| (value, true)));
        runs.sort_by(|one, two| one.0.total_cmp(&two.0));
        let mut ranks = Ranks { doubled: Vec::with_capacity(runs.len()), sum_after: 0, tied: 0.0 };
        for group in runs.chunk_by(|one, two| one.0 == two.0) {
            let first = ranks.doubled.len() + 1;
            let doubled = 2 * first + group.len() - 1;
            ranks.sum_after += doubled * group.iter().filter(|run| run.1).count();
            ranks.doubled.extend(group.iter().map(|_| doubled));
            let size = group.len() as f64;
            ranks.tied += size * size * size - size;
        }
        ranks
    }

    /// The share of all choices of `n_after` of the ranks whose sum is at least as far from its mean.
    ///
    /// `ways[k][s]` counts the choices of k of the ranks seen so far that sum to s.
    fn exact_p(&self, n_after: usize) -> f64 {
        let largest: usize = self.doubled.iter().rev().take(n_after).sum();
        let mut ways = vec![vec![0_u64; largest + 1]; n_after + 1];
        ways[0][0] = 1;
        for (seen, &rank) in self.doubled.iter().enumerate() {
            for k in (1..=n_after.min(seen + 1)).rev() {
                let (fewer, more) = ways.split_at_mut(k);
                for (sum, count) in fewer[k - 1][..=largest - rank].iter().enumerate() {
                    more[0][sum + rank] += count;
                }
            }
        }
        let mean = n_after * (self.doubled.len() + 1);
        let distance = mean.abs_diff(self.sum_after);
        let (mut all, mut extreme) = (0, 0);
        for (sum, count) in ways[n_after].iter().enumerate() {
            all += count;
            if mean.abs_diff(sum) >= distance {
                extreme += count;
            }
        }
        extreme as f64 / all as f64
    }
}

/// The two-sided p of U by the normal approximation; 1 if all runs are equal.
fn normal_p(u: f64, n1: f64, n2: f64, tied: f64) -> Option<f64> {
    let n = n1 + n2;
    let variance = n1 * n2 / 12.0 * (n + 1.0 - tied / (n * (n - 1.0)));
    let distance = ((u - n1 * n2 / 2.0).abs() - 0.5).max(0.0);
    if variance <= 0.0 || distance == 0.0 {
        return Some(1.0);
    }
    let standard = Normal::new(0.0, 1.0).ok()?;
    Some((2.0 * standard.sf(distance / variance.sqrt())).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All splits one by one, for a handful of runs.
    fn by_enumeration(before: &[f64], after: &[f64]) -> f64 {
        let pooled: Vec<f64> = before.iter().chain(after).copied().collect();
        let u = |chosen: u32| {
            let side = |mask: u32| (0..pooled.len()).filter(move |run| mask >> run & 1 == 1);
            let pairs = side(!chosen).flat_map(|one| side(chosen).map(move |two| (one, two)));
            pairs
                .map(|(one, two)| {
                    1.0 + (pooled[two] - pooled[one]).signum()
                        * f64::from(u8::from(pooled[two] != pooled[one]))
                })
                .sum::<f64>()
                / 2.0
        };
        let centre = (before.len() * after.len()) as f64 / 2.0;
        let observed = (u(((1 << after.len()) - 1) << before.len()) - centre).abs();
        let splits = (0..1_u32 << pooled.len()).filter(|mask| mask.count_ones() as usize == after.len());
        let far: Vec<bool> = splits.map(|mask| (u(mask) - centre).abs() >= observed).collect();
        far.iter().filter(|far| **far).count() as f64 / far.len() as f64
    }

    #[test]
    fn counting_agrees_with_enumeration_with_and_without_ties() {
        let cases: [(&[f64], &[f64]); 5] = [
            (&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]),
            (&[1.0, 5.0, 3.0, 9.0, 2.0], &[4.0, 6.0, 7.0, 8.0]),
            (&[1.0, 1.0, 1.0, 2.0, 2.0], &[2.0, 2.0, 3.0, 3.0, 3.0, 3.0]),
            (&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], &[0.0, 0.0, 2.0, 2.0]),
            (&[-0.0, 0.0, 1.0, 1.0], &[0.0, 1.0, 1.0, 1.0, 1.0]),
        ];
        for (before, after) in cases {
            let test = mann_whitney(before, after).expect("a test");
            assert_eq!(test.method, RankMethod::Exact);
            let expected = by_enumeration(before, after);
            assert!((test.p - expected).abs() < 1e-12, "{before:?} {after:?}: {} not {expected}", test.p);
            let back = mann_whitney(after, before).expect("the test turned round");
            assert_eq!(back.p, test.p);
            assert_eq!(back.u + test.u, (before.len() * after.len()) as f64);
        }
    }

    #[test]
    fn equal_runs_show_no_difference() {
        for n in [4, 25, 40] {
            let test = mann_whitney(&vec![7.0; n], &vec![7.0; n]).expect("a test");
            assert_eq!((test.u, test.p), ((n * n) as f64 / 2.0, 1.0));
        }
    }

    #[test]
    fn exact_and_normal_meet_where_one_gives_way_to_the_other() {
        let side = |n: usize, shift: f64| (0..n).map(|run| run as f64 + shift).collect::<Vec<f64>>();
        for shift in [0.5, 4.5, 9.5] {
            let exact = mann_whitney(&side(25, 0.0), &side(25, shift)).expect("exact");
            let ranks = Ranks::of(&side(25, 0.0), &side(25, shift));
            let normal = normal_p(exact.u, 25.0, 25.0, ranks.tied).expect("normal");
            assert!((exact.p - normal).abs() < 0.005, "{shift}: {} and {normal}", exact.p);
        }
    }

    #[test]
    fn hundreds_of_runs_are_labelled_as_approximated() {
        let before: Vec<f64> = (0..400).map(f64::from).collect();
        let after: Vec<f64> = (0..400).map(|run| f64::from(run) + 60.5).collect();
        let test = mann_whitney(&before, &after).expect("a test");
        assert_eq!(test.method, RankMethod::Normal);
        assert!(test.p < 1e-4);
    }

    #[test]
    fn three_runs_are_too_few_and_nan_has_no_rank() {
        assert_eq!(mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(mann_whitney(&[1.0, 2.0, 3.0, f64::NAN], &[4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(mann_whitney(&[1.0, 2.0, 3.0, 4.0], &[4.0, 5.0, 6.0, f64::INFINITY]), None);
    }
}
