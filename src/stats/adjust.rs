//! Many sites at once: p-values adjusted for the false discovery rate.

/// Adjusts p-values for their number, after Benjamini and Hochberg, in the order of the input.
///
/// For the i-th smallest of m: min over j >= i of m * p(j) / j, at most 1. Calling those sites changed whose
/// adjusted p is below 5 % keeps the expected share of false ones among them below 5 %. All sites that were tested
/// belong in, shown or not: leaving out the dull ones makes the rest look better than they are. Source: Benjamini
/// and Hochberg 1995, JRSS B 57:289.
///
/// `None` if a value is not a probability.
pub fn benjamini_hochberg(p: &[f64]) -> Option<Vec<f64>> {
    if !p.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &two| p[one].total_cmp(&p[two]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0;
    for (below, &site) in order.iter().enumerate().rev() {
        least = f64::min(least, p[site] * (p.len() as f64 / (below + 1) as f64));
        adjusted[site] = least;
    }
    Some(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_values_keep_the_order_and_stay_probabilities() {
        let p = [0.9, 0.01, 0.02, 1.0, 0.0, 0.03, 0.03];
        let adjusted = benjamini_hochberg(&p).expect("probabilities");
        for (one, adjusted_one) in p.iter().zip(&adjusted) {
            assert!(adjusted_one >= one && *adjusted_one <= 1.0);
            for (two, adjusted_two) in p.iter().zip(&adjusted) {
                assert!(one > two || adjusted_one <= adjusted_two, "{one} {two}");
            }
        }
        assert_eq!(adjusted[5], adjusted[6]);
    }

    #[test]
    fn a_single_test_needs_no_adjustment() {
        assert_eq!(benjamini_hochberg(&[0.04]), Some(vec![0.04]));
        assert_eq!(benjamini_hochberg(&[]), Some(vec![]));
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            assert_eq!(benjamini_hochberg(&[0.5, bad]), None);
        }
    }
}
