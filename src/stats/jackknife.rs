//! The error of a share within one run: the delete-one jackknife over blocks of time.

use super::summary::squared_deviations;
use super::{Interval, UPPER, finite, t_quantile};

/// One of the equal blocks of time into which a run is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// The weight of the part whose share is asked for.
    pub part: f64,
    /// The weight of the whole; zero for a block in which nothing was sampled, never negative.
    pub whole: f64,
}

/// A ratio with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The ratio itself: sum of the parts / sum of the wholes.
    pub value: f64,
    /// The jackknife's estimate of how far `value` lies above the truth on average. It is not subtracted from
    /// `value`; it is worth a look where it exceeds a quarter of the standard error.
    pub bias: f64,
    /// The standard error of `value`.
    pub stderr: f64,
    /// The 95 % interval, value +- t(0.975, blocks with weight - 1) * stderr. It may leave 0..1.
    pub interval: Interval,
}

/// Estimates a ratio, sum(part) / sum(whole), and its error from what each block of time contributes.
///
/// With r(i) the ratio without block i and r(.) their mean, over n blocks: stderr^2 = (n-1)/n * sum (r(i) - r(.))^2
/// and bias = (n-1) * (r(.) - value). Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, ch. 11
/// (error) and section 10.5 (bias).
///
/// Blocks rather than samples are left out because contention comes in convoys: samples that are close in time go
/// together, so that the binomial error is far too small. The result is the error *within* this run and says
/// nothing about how far the next run will be off.
///
/// A block without weight is a block of time like any other: deleting it changes nothing. But it tells nothing
/// about the share either, so that the degrees of freedom count the blocks with weight only.
///
/// `None` if fewer than two blocks have weight, if a whole is negative, or if a number is not finite.
pub fn jackknife_ratio(blocks: &[Block]) -> Option<Estimate> {
    let valid = |block: &Block| block.part.is_finite() && block.whole.is_finite() && block.whole >= 0.0;
    let weighted = blocks.iter().filter(|block| block.whole > 0.0).count();
    if weighted < 2 || !blocks.iter().all(valid) {
        return None;
    }
    let n = blocks.len() as f64;
    let value = ratio(blocks.iter())?;
    let without: Vec<f64> = (0..blocks.len())
        .map(|left_out| ratio(blocks[..left_out].iter().chain(&blocks[left_out + 1..])))
        .collect::<Option<_>>()?;
    let mean = without.iter().sum::<f64>() / n;
    let stderr = finite(((n - 1.0) / n * squared_deviations(&without, mean)).sqrt())?;
    let bias = finite((n - 1.0) * (mean - value))?;
    let interval = Interval::around(value, t_quantile(UPPER, (weighted - 1) as f64)? * stderr)?;
    Some(Estimate { value, bias, stderr, interval })
}

fn ratio<'a>(blocks: impl Iterator<Item = &'a Block>) -> Option<f64> {
    let (part, whole) = blocks.fold((0.0, 0.0), |sum, block| (sum.0 + block.part, sum.1 + block.whole));
    finite(part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(pairs: &[(f64, f64)]) -> Vec<Block> {
        pairs.iter().map(|&(part, whole)| Block { part, whole }).collect()
    }

    #[test]
    fn a_share_that_never_changes_has_no_error() {
        let steady = jackknife_ratio(&blocks(&[(1.0, 4.0), (2.0, 8.0), (0.5, 2.0)])).expect("an estimate");
        assert_eq!((steady.value, steady.stderr, steady.bias), (0.25, 0.0, 0.0));
        assert_eq!(steady.interval, Interval { low: 0.25, high: 0.25 });
    }

    #[test]
    fn an_empty_block_keeps_the_share_and_widens_nothing_but_the_counts() {
        let full = [(1.0, 4.0), (3.0, 8.0), (0.5, 2.0)];
        let dense = jackknife_ratio(&blocks(&full)).expect("an estimate");
        let sparse = jackknife_ratio(&blocks(&[full[0], (0.0, 0.0), full[1], full[2]])).expect("an estimate");
        assert_eq!(sparse.value, dense.value);
        assert!(sparse.stderr >= dense.stderr);
        let width = |estimate: Estimate| (estimate.interval.high - estimate.value) / estimate.stderr;
        assert!((width(sparse) - width(dense)).abs() < 1e-9, "both have two degrees of freedom");
    }

    #[test]
    fn fewer_than_two_blocks_with_weight_give_no_error() {
        for few in [&[][..], &[(1.0, 2.0)], &[(1.0, 2.0), (0.0, 0.0)], &[(0.0, 0.0), (0.0, 0.0)]] {
            assert_eq!(jackknife_ratio(&blocks(few)), None, "{few:?}");
        }
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        for bad in [(f64::NAN, 1.0), (1.0, f64::INFINITY), (1.0, -1.0)] {
            assert_eq!(jackknife_ratio(&blocks(&[(1.0, 2.0), (1.0, 3.0), bad])), None);
        }
        assert_eq!(jackknife_ratio(&blocks(&[(f64::MAX, 1e-300), (f64::MAX, 1e-300)])), None);
    }
}
