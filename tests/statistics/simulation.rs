//! What the tests promise about chance, tried out on thousands of comparisons with a fixed seed.
//!
//! A rate found in n trials has a binomial error of its own; each bound below is about three of those.

use lockblame::stats::{
    Block, EXACT_RUNS, benjamini_hochberg, jackknife_ratio, mann_whitney, population_stddev_percent,
    range_differs, summarize, t_quantile, t_two_sided_p, welch,
};

use super::assert_near;

const LEVEL: f64 = 0.05;

/// splitmix64 (Steele, Lea and Flood 2014), with normal numbers by Box and Muller (1958).
struct Chance(u64);

impl Chance {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform, above 0 and at most 1.
    fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn side(&mut self, n: usize, mean: f64, stddev: f64) -> Vec<f64> {
        (0..n).map(|_| mean + stddev * self.normal()).collect()
    }
}

/// The first outputs of splitmix64 from seed 1234567, as published with its reference implementation.
#[test]
fn the_generator_is_splitmix64() {
    let mut chance = Chance(1_234_567);
    assert_eq!(chance.bits(), 6_457_827_717_110_365_317);
    assert_eq!(chance.bits(), 3_203_168_211_198_807_973);
    let side = summarize(&chance.side(20_000, 3.0, 2.0)).expect("a summary");
    assert_near(side.mean, 3.0, 0.05);
    assert_near(side.stddev.expect("a deviation"), 2.0, 0.05);
}

/// The share of `trials` for which `event` holds.
fn rate(trials: usize, mut event: impl FnMut() -> bool) -> f64 {
    (0..trials).filter(|_| event()).count() as f64 / trials as f64
}

#[test]
fn welch_raises_false_alarms_at_its_level() {
    for (n1, n2, stddev) in [(5, 5, 1.0), (10, 10, 1.0), (5, 15, 3.0), (15, 5, 3.0)] {
        let mut chance = Chance(42);
        let alarms = rate(2_000, || {
            let (before, after) = (chance.side(n1, 30.0, 1.0), chance.side(n2, 30.0, stddev));
            let difference = welch(&before, &after).expect("a difference");
            let alarm = difference.p.expect("p") < LEVEL;
            assert_eq!(alarm, !difference.interval.contains(0.0), "interval and p contradict each other");
            alarm
        });
        assert_near(alarms, LEVEL, 0.015);
    }
}

/// Cohen 1988, table 2.3: nine runs a side see 1.4 standard deviations with 80 % power.
#[test]
fn welch_sees_a_change_as_often_as_cohens_tables_say() {
    let mut chance = Chance(43);
    let seen = rate(2_000, || {
        let difference = welch(&chance.side(9, 30.0, 1.0), &chance.side(9, 31.4, 1.0)).expect("a difference");
        difference.p.expect("p") < LEVEL
    });
    assert_near(seen, 0.80, 0.03);
}

#[test]
fn the_exact_rank_test_never_exceeds_its_level() {
    let mut chance = Chance(44);
    let alarms = rate(2_000, || {
        // Shares that are rounded to a percent, so that there are ties.
        let mut side =
            |n: usize| chance.side(n, 30.0, 3.0).iter().map(|value| value.round()).collect::<Vec<f64>>();
        mann_whitney(&side(6), &side(9)).expect("a test").p < LEVEL
    });
    assert!(alarms > 0.02 && alarms <= LEVEL + 0.015, "{alarms}");
}

/// Twenty sites without any change: with unadjusted p, 1 - 0.95^20 = 64 % of all comparisons would raise an alarm.
#[test]
fn many_sites_without_a_change_raise_no_more_alarms_than_one() {
    let mut chance = Chance(45);
    let mut unadjusted = 0;
    let trials = 2_000;
    let alarms = rate(trials, || {
        let p: Vec<f64> = (0..20)
            .map(|_| {
                welch(&chance.side(5, 1.0, 0.1), &chance.side(5, 1.0, 0.1))
                    .and_then(|site| site.p)
                    .expect("p")
            })
            .collect();
        unadjusted += usize::from(p.iter().any(|p| *p < LEVEL));
        benjamini_hochberg(&p).expect("probabilities").iter().any(|p| *p < LEVEL)
    });
    assert!(alarms <= LEVEL + 0.015, "{alarms}");
    assert!(alarms > 0.01, "it must be able to raise one: {alarms}");
    assert!(unadjusted as f64 / trials as f64 > 0.5, "{unadjusted}");
}

/// Five of twenty sites change a lot: among those called changed, the share of false ones is 5 % of 15/20.
#[test]
fn of_the_sites_called_changed_few_are_false() {
    let mut chance = Chance(46);
    let trials = 1_000;
    let (mut false_share, mut found) = (0.0, 0);
    for _ in 0..trials {
        let mut p_of = |mean: f64| {
            let difference =
                welch(&chance.side(6, 1.0, 0.1), &chance.side(6, mean, 0.1)).expect("a difference");
            difference.p.expect("p")
        };
        let p: Vec<f64> = (0..20).map(|site| p_of(if site < 5 { 1.6 } else { 1.0 })).collect();
        let adjusted = benjamini_hochberg(&p).expect("probabilities");
        let called = adjusted.iter().filter(|p| **p < LEVEL).count();
        let wrong = adjusted[5..].iter().filter(|p| **p < LEVEL).count();
        false_share += wrong as f64 / called.max(1) as f64;
        found += called - wrong;
    }
    let false_share = false_share / f64::from(trials);
    assert!(false_share <= LEVEL, "{false_share}");
    assert!(found as f64 / f64::from(5 * trials) > 0.95, "{found}");
}

/// Contention that comes in convoys: in each of 20 blocks the lock is either hot (60 %) or not (5 %).
#[test]
fn the_jackknife_sees_convoys_that_the_binomial_error_does_not() {
    let mut chance = Chance(47);
    let per_block = 200;
    let (mut shares, mut stderrs) = (Vec::new(), Vec::new());
    for _ in 0..500 {
        let blocks: Vec<Block> = (0..20)
            .map(|_| {
                let hot = if chance.uniform() < 0.3 { 0.60 } else { 0.05 };
                let part = (0..per_block).filter(|_| chance.uniform() < hot).count();
                Block { part: part as f64, whole: f64::from(per_block) }
            })
            .collect();
        let estimate = jackknife_ratio(&blocks).expect("an estimate");
        shares.push(estimate.value);
        stderrs.push(estimate.stderr);
    }
    let truth = summarize(&shares).expect("shares");
    let deviation = truth.stddev.expect("a deviation");
    let stderr = summarize(&stderrs).expect("errors").mean;
    assert_near(stderr / deviation, 1.0, 0.1);
    let binomial = (truth.mean * (1.0 - truth.mean) / f64::from(20 * per_block)).sqrt();
    assert!(binomial < deviation / 5.0, "{binomial} and {deviation}");
}

/// The robot's rule has no level of its own; this is what it amounts to with three runs on each side.
#[test]
fn the_robots_rule_raises_more_false_alarms_than_the_level() {
    let mut chance = Chance(48);
    let alarms = rate(4_000, || range_differs(&chance.side(3, 1.0, 0.1), &chance.side(3, 1.0, 0.1)));
    // Of the 20 orders of 3 and 3 runs, AAABBB and AABABB qualify, each way round: 4 / 20.
    assert_near(alarms, 0.20, 0.02);
}

#[test]
fn nothing_that_leaves_is_nan_or_infinite() {
    let odd =
        [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 1e154];
    let mut chance = Chance(49);
    for _ in 0..20_000 {
        let mut side = || {
            let n = chance.bits() % 6;
            (0..n).map(|_| odd[(chance.bits() % odd.len() as u64) as usize]).collect::<Vec<f64>>()
        };
        let (before, after) = (side(), side());
        let mut numbers = Vec::new();
        if let Some(found) = welch(&before, &after) {
            numbers.extend([found.diff, found.stderr, found.interval.low, found.interval.high]);
            numbers.extend([found.t, found.df, found.p].into_iter().flatten());
            assert!(
                found.interval.low <= found.diff && found.diff <= found.interval.high,
                "{before:?} {after:?}"
            );
        }
        let blocks: Vec<Block> =
            before.iter().zip(&after).map(|(&part, &whole)| Block { part, whole }).collect();
        if let Some(found) = jackknife_ratio(&blocks) {
            numbers.extend([found.value, found.bias, found.stderr, found.interval.low, found.interval.high]);
        }
        if let Some(found) = summarize(&before) {
            numbers.extend([found.mean, found.min, found.max, found.median]);
            numbers.extend([found.stddev, found.relative_deviation()].into_iter().flatten());
        }
        numbers.extend(mann_whitney(&before, &after).into_iter().flat_map(|found| [found.u, found.p]));
        numbers.extend(lockblame::stats::detectable(&before, &after));
        numbers.extend(lockblame::stats::geometric_mean(&before));
        numbers.extend(population_stddev_percent(&before));
        for (&one, &two) in before.iter().zip(&after) {
            numbers.extend([t_quantile(one, two), t_two_sided_p(one, two)].into_iter().flatten());
            numbers.extend(lockblame::stats::ceiling(one));
        }
        assert!(numbers.iter().all(|number| number.is_finite()), "{before:?} {after:?}: {numbers:?}");
    }
    let many = vec![1.0; EXACT_RUNS];
    assert!(mann_whitney(&many, &many).is_some_and(|found| found.p == 1.0));
}
