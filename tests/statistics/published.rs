//! Each function against a published table or a worked example, with its source.

use lockblame::stats::{
    Block, RankMethod, benjamini_hochberg, detectable, jackknife_ratio, mann_whitney, mean_interval,
    summarize, t_quantile, t_two_sided_p, welch,
};

use super::assert_near;

/// Degrees of freedom, then t at 0.90, 0.95, 0.975, 0.99, 0.995: NIST/SEMATECH e-Handbook of Statistical Methods,
/// section 1.3.6.7.2. Last t at 0.999: Federighi 1959, JASA 54:683; the Handbook's column is off in the last digit
/// in some rows.
const STUDENT: &str = "
    1 3.078 6.314 12.706 31.821 63.657 318.309
    2 1.886 2.920 4.303 6.965 9.925 22.327
    3 1.638 2.353 3.182 4.541 5.841 10.214
    4 1.533 2.132 2.776 3.747 4.604 7.173
    5 1.476 2.015 2.571 3.365 4.032 5.893
    6 1.440 1.943 2.447 3.143 3.707 5.208
    7 1.415 1.895 2.365 2.998 3.499 4.785
    8 1.397 1.860 2.306 2.896 3.355 4.501
    9 1.383 1.833 2.262 2.821 3.250 4.297
    10 1.372 1.812 2.228 2.764 3.169 4.144
    11 1.363 1.796 2.201 2.718 3.106 4.025
    12 1.356 1.782 2.179 2.681 3.055 3.930
    13 1.350 1.771 2.160 2.650 3.012 3.852
    14 1.345 1.761 2.145 2.624 2.977 3.787
    15 1.341 1.753 2.131 2.602 2.947 3.733
    16 1.337 1.746 2.120 2.583 2.921 3.686
    17 1.333 1.740 2.110 2.567 2.898 3.646
    18 1.330 1.734 2.101 2.552 2.878 3.610
    19 1.328 1.729 2.093 2.539 2.861 3.579
    20 1.325 1.725 2.086 2.528 2.845 3.552
    22 1.321 1.717 2.074 2.508 2.819 3.505
    24 1.318 1.711 2.064 2.492 2.797 3.467
    26 1.315 1.706 2.056 2.479 2.779 3.435
    28 1.313 1.701 2.048 2.467 2.763 3.408
    30 1.310 1.697 2.042 2.457 2.750 3.385
    40 1.303 1.684 2.021 2.423 2.704 3.307
    60 1.296 1.671 2.000 2.390 2.660 3.232
    100 1.290 1.660 1.984 2.364 2.626 3.174
";

#[test]
fn student_quantiles_and_p_values_agree_with_the_table() {
    let mut compared = 0;
    for row in STUDENT.lines().filter(|row| !row.trim().is_empty()) {
        let numbers: Vec<f64> =
            row.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        for (p, expected) in [0.90, 0.95, 0.975, 0.99, 0.995, 0.999].into_iter().zip(&numbers[1..]) {
            assert_near(t_quantile(p, numbers[0]).expect("a quantile"), *expected, 0.000_6);
            assert_near(t_quantile(1.0 - p, numbers[0]).expect("a quantile"), -expected, 0.000_6);
            // The p-value at the ends of the rounded t must lie on either side of the exact one.
            let p_of = |t: f64| t_two_sided_p(t, numbers[0]).expect("a p-value");
            assert!(p_of(expected + 0.000_6) < 2.0 * (1.0 - p) && 2.0 * (1.0 - p) < p_of(expected - 0.000_6));
            compared += 1;
        }
    }
    assert_eq!(compared, 28 * 6);
}

/// Student's sleep data (1908, Biometrika 6:1), additional hours of sleep by two drugs.
const SLEEP: [[f64; 10]; 2] = [
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
];

/// The example of R's `t.test`: `t.test(extra ~ group, data = sleep)`, which subtracts the other way round.
#[test]
fn welch_agrees_with_the_example_of_the_sleep_data() {
    let sleep = welch(&SLEEP[0], &SLEEP[1]).expect("a difference");
    assert_near(sleep.diff, 2.33 - 0.75, 1e-12);
    assert_near(sleep.t.expect("t"), 1.8608, 0.000_05);
    assert_near(sleep.df.expect("df"), 17.776, 0.000_5);
    assert_near(sleep.p.expect("p"), 0.07939, 0.000_005);
    assert_near(sleep.interval.low, -0.205_483_2, 5e-8);
    assert_near(sleep.interval.high, 3.365_483_2, 5e-8);
}

/// "Welch's Two Sample T-tests in R", statscodes.com, first example: sides of 6 and 8.
#[test]
fn welch_agrees_with_an_example_of_unequal_sides() {
    let before = [5.1, 2.0, 4.1, 6.2, 7.1, 8.3];
    let after = [1.5, 6.4, 3.3, 5.8, 4.8, 7.2, 5.6, 4.5];
    let example = welch(&before, &after).expect("a difference");
    assert_near(example.t.expect("t"), -0.51703, 0.000_005);
    assert_near(example.df.expect("df"), 9.48, 0.005);
    assert_near(example.p.expect("p"), 0.617, 0.000_5);
    assert_near(example.interval.low, -3.093_754, 5e-7);
    assert_near(example.interval.high, 1.935_420, 5e-7);
}

/// Efron and Tibshirani 1993, An Introduction to the Bootstrap, table 2.1: survival of mice in days.
const MICE_TREATED: [f64; 7] = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];
const MICE_CONTROL: [f64; 9] = [52.0, 104.0, 146.0, 10.0, 51.0, 30.0, 40.0, 27.0, 46.0];

/// Means 86.86 and 56.22, standard errors 25.24 and 14.14 (table 2.1). With wholes of 1 the ratio is the mean, for
/// which the jackknife gives the textbook standard error exactly (ch. 11). The book's nine control values give
/// 14.16 rather than the 14.14 that it prints, hence the wider tolerance.
#[test]
fn the_jackknife_of_a_mean_is_its_standard_error() {
    for (days, mean, stderr) in [(&MICE_TREATED[..], 86.86, 25.24), (&MICE_CONTROL[..], 56.22, 14.14)] {
        let blocks: Vec<Block> = days.iter().map(|&part| Block { part, whole: 1.0 }).collect();
        let estimate = jackknife_ratio(&blocks).expect("an estimate");
        assert_near(estimate.value, mean, 0.005);
        assert_near(estimate.stderr, stderr, 0.02);
        assert_near(estimate.bias, 0.0, 1e-9);
        let interval = mean_interval(days).expect("an interval");
        assert_near(estimate.interval.low, interval.low, 1e-9);
        assert_near(estimate.interval.high, interval.high, 1e-9);
        let side = summarize(days).expect("a summary");
        assert_near(side.stddev.expect("a deviation") / (side.n as f64).sqrt(), estimate.stderr, 1e-9);
    }
}

/// Efron and Tibshirani 1993, sections 10.3 and 10.5, the patch data: (new - old, old - placebo) of eight patients.
/// The ratio is -0.0713 and its jackknife bias 0.0080; the book's bootstrap standard error is 0.105.
#[test]
fn the_jackknife_of_a_ratio_agrees_with_the_patch_data() {
    let patch = [
        (-1200.0, 8406.0),
        (2601.0, 2342.0),
        (-2705.0, 8187.0),
        (1982.0, 8459.0),
        (-1290.0, 4795.0),
        (351.0, 3516.0),
        (-638.0, 4796.0),
        (-2719.0, 10238.0),
    ];
    let estimate = jackknife_ratio(&patch.map(|(part, whole)| Block { part, whole })).expect("an estimate");
    assert_near(estimate.value, -0.0713, 0.000_05);
    assert_near(estimate.bias, 0.0080, 0.000_05);
    assert_near(estimate.stderr, 0.105, 0.001);
}

/// Hollander and Wolfe 1973, p. 69, permeability of a membrane at term and before: W = 35, one-sided p = 0.1272
/// (the example of R's `wilcox.test`). Without ties the two-sided p is twice that.
#[test]
fn mann_whitney_agrees_with_hollander_and_wolfe() {
    let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
    let test = mann_whitney(&earlier, &term).expect("a test");
    assert_eq!((test.u, test.method), (35.0, RankMethod::Exact));
    assert_near(test.p, 2.0 * 0.1272, 0.000_1);
}

/// Bergmann, Ludbrook and Spooren 2000, The American Statistician 54:72: rats on a rotating cylinder, at most 300
/// seconds, so that 19 of 24 values tie. Exact two-sided p = 0.0373; the approximation without ties in mind fails.
#[test]
fn mann_whitney_is_exact_with_many_ties() {
    let control = [300.0; 12];
    let treated = [22.0, 300.0, 75.0, 271.0, 300.0, 18.0, 300.0, 300.0, 163.0, 300.0, 300.0, 300.0];
    let test = mann_whitney(&control, &treated).expect("a test");
    assert_eq!(test.method, RankMethod::Exact);
    assert_near(test.p, 0.0373, 0.000_05);
}

/// The example of R's `wilcox.test`: ozone in New York in May and August 1973 (Chambers et al. 1983), 26 days each
/// with ties. W = 127.5, p = 0.0001208 by the normal approximation with both corrections.
#[test]
fn mann_whitney_beyond_exact_agrees_with_the_ozone_data() {
    let may = [
        41.0, 36.0, 12.0, 18.0, 28.0, 23.0, 19.0, 8.0, 7.0, 16.0, 11.0, 14.0, 18.0, 14.0, 34.0, 6.0, 30.0,
        11.0, 1.0, 11.0, 4.0, 32.0, 23.0, 45.0, 115.0, 37.0,
    ];
    let august = [
        39.0, 9.0, 16.0, 78.0, 35.0, 66.0, 122.0, 89.0, 110.0, 44.0, 28.0, 65.0, 22.0, 59.0, 23.0, 31.0,
        44.0, 21.0, 9.0, 45.0, 168.0, 73.0, 76.0, 118.0, 84.0, 85.0,
    ];
    let test = mann_whitney(&august, &may).expect("a test");
    assert_eq!((test.u, test.method), (127.5, RankMethod::Normal));
    assert_near(test.p, 0.000_120_8, 5e-8);
}

/// Number of runs on one side, then the largest U that is significant at 5 %, two-sided, against 5 to 20 runs on the
/// other: Auble 1953, as textbooks reprint it (Siegel 1956, Nonparametric Statistics, table K).
const CRITICAL: [(usize, [usize; 16]); 6] = [
    (5, [2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 20]),
    (6, [3, 5, 6, 8, 10, 11, 13, 14, 16, 17, 19, 21, 22, 24, 25, 27]),
    (7, [5, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34]),
    (8, [6, 8, 10, 13, 15, 17, 19, 22, 24, 26, 29, 31, 34, 36, 38, 41]),
    (9, [7, 10, 12, 15, 17, 20, 23, 26, 28, 31, 34, 37, 39, 42, 45, 48]),
    (10, [8, 11, 14, 17, 20, 23, 26, 29, 33, 36, 39, 42, 45, 48, 52, 55]),
];

/// Sides of n1 and n2 runs without ties in which the run after is the larger in u pairs.
fn sides_with(n1: usize, n2: usize, u: usize) -> (Vec<f64>, Vec<f64>) {
    let before = (1..=n1).map(|run| run as f64).collect();
    let below = |run: usize| u.saturating_sub(run * n1).min(n1) as f64;
    let after = (0..n2).map(|run| below(run) + 0.5 - run as f64 / 100.0).collect();
    (before, after)
}

#[test]
fn mann_whitney_agrees_with_the_table_of_critical_values() {
    for (n1, row) in CRITICAL {
        for (n2, critical) in (5..=20).zip(row) {
            let p = |u: usize| {
                let (before, after) = sides_with(n1, n2, u);
                let test = mann_whitney(&before, &after).expect("a test");
                assert_eq!(test.u, u as f64);
                test.p
            };
            assert!(p(critical) <= 0.05, "{n1} and {n2}: {}", p(critical));
            assert!(p(critical + 1) > 0.05, "{n1} and {n2}: {}", p(critical + 1));
        }
    }
}

/// Benjamini and Hochberg 1995, section 4.1: 15 p-values, of which the procedure rejects the first four at 5 % where
/// Bonferroni's rejects three. The adjusted values are those of the documentation of scipy's
/// `false_discovery_control`.
#[test]
fn benjamini_hochberg_agrees_with_its_paper() {
    let p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
        0.6528, 0.7590, 1.000,
    ];
    let expected = [
        0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714, 0.06385714, 0.0645, 0.0765, 0.486, 0.58118182,
        0.714875, 0.75323077, 0.81321429, 1.0,
    ];
    let adjusted = benjamini_hochberg(&p).expect("probabilities");
    assert_eq!(adjusted.iter().filter(|p| **p <= 0.05).count(), 4);
    for (value, expected) in adjusted.iter().zip(expected) {
        assert_near(*value, expected, 1e-8);
    }
    // The order of the input is kept, whatever it is.
    let reversed: Vec<f64> = p.iter().rev().copied().collect();
    let back: Vec<f64> = benjamini_hochberg(&reversed).expect("probabilities").into_iter().rev().collect();
    assert_eq!(back, adjusted);
}

/// Cohen 1988, Statistical Power Analysis, tables 2.3 and 2.4: runs per side that see a difference of d standard
/// deviations with 80 % power at 5 %, two-sided.
#[test]
fn the_detectable_difference_agrees_with_cohens_tables() {
    let table = [
        (1.4, 9),
        (1.2, 12),
        (1.0, 17),
        (0.8, 26),
        (0.7, 33),
        (0.6, 45),
        (0.5, 64),
        (0.4, 100),
        (0.3, 175),
        (0.2, 393),
    ];
    for (d, n) in table {
        let side = side_of_deviation_one(n);
        assert_near(detectable(&side, &side).expect("a difference"), d, 0.015 * d);
    }
}

/// n values of mean 0 and sample standard deviation 1.
fn side_of_deviation_one(n: usize) -> Vec<f64> {
    let pairs = n / 2;
    let size = ((n - 1) as f64 / (2 * pairs) as f64).sqrt();
    let mut side = vec![size; pairs];
    side.extend(vec![-size; pairs]);
    side.extend(vec![0.0; n % 2]);
    side
}
