//! The most that removing a part of the work can gain.

use super::finite;

/// The largest speed-up of a CPU-bound workload from removing a part of its busy time: 1 / (1 - share).
///
/// `busy_share` is that part as a fraction, 0..1, of the busy weight; the result is a factor, 1 for "no gain".
/// `None` for a share outside 0..1, or so near to 1 that nothing is left. Source: Amdahl 1967, AFIPS Conference
/// Proceedings 30:483.
pub fn ceiling(busy_share: f64) -> Option<f64> {
    if !(0.0..1.0).contains(&busy_share) {
        return None;
    }
    finite(1.0 / (1.0 - busy_share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_of_amdahl() {
        assert_eq!(ceiling(0.0), Some(1.0));
        assert_eq!(ceiling(0.5), Some(2.0));
        // The example that textbooks give: 95 % removed, at most 20 times as fast.
        assert!(ceiling(0.95).is_some_and(|factor| (factor - 20.0).abs() < 1e-9));
    }

    #[test]
    fn no_ceiling_outside_of_shares() {
        for bad in [1.0, 1.5, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(ceiling(bad), None, "{bad}");
        }
    }
}
