//! The gate over comparisons whose answer is known from how they were made, and what is written of it.

mod formats;
mod sides;

use lockblame::check::Decision::{self, Passed, Tripped, Undecided};
use lockblame::check::{evaluate, parse};
use lockblame::compare::{Comparison, RowsBy, Subject, Test, compare};
use sides::{IRQ, MUTEX, Row, SPIN, check, compared, regression, settings, side};

#[track_caller]
fn decides(comparison: &Comparison, cases: &[(&str, Decision)]) {
    for (condition, decision) in cases {
        let outcome = check(condition, comparison);
        assert_eq!(outcome.decision, *decision, "{condition}: {}", outcome.sentence);
    }
}

#[test]
fn a_proven_change_trips_beyond_its_bound_only() {
    decides(
        &regression(),
        &[
            ("spinlock > +3.9pt", Tripped),
            ("spinlock > +4.1pt", Passed),
            ("family spinlock < -1pt", Passed),
            ("mutex < -1.9pt", Tripped),
            ("mutex < -2.1pt", Passed),
            ("total > +1.9pt", Tripped),
            ("total > +2.1pt", Passed),
            ("lock _raw_spin_lock > +1.9pt", Tripped),
            ("lock _raw_spin_lock > +2.1pt", Passed),
            ("lock _raw_spin_lock* > +3.9pt", Tripped),
            ("lock _raw_spin_lock_irqsave from dput > +1.9pt", Tripped),
            ("lock _raw_spin_lock_irqsave from wake_up > +0pt", Passed),
            ("spinlock from dput > +3.9pt", Tripped),
            ("caller dput > +3.9pt", Tripped),
            ("caller dput > +4.1pt", Passed),
            ("caller pipe_* < -1.9pt", Tripped),
        ],
    );
}

#[test]
fn a_share_is_held_against_its_bound_with_its_interval() {
    // After: 3 %, deviation 0.1, three runs: t(0.975, 2) = 4.303, so the interval is 3 +- 0.248.
    let comparison = regression();
    decides(
        &comparison,
        &[
            ("lock _raw_spin_lock > 2.74%", Tripped),
            ("lock _raw_spin_lock > 2.76%", Undecided),
            ("lock _raw_spin_lock > 2.76% even if unproven", Tripped),
            ("lock _raw_spin_lock > 3.1%", Passed),
            ("lock _raw_spin_lock < 3.26%", Tripped),
            ("lock _raw_spin_lock < 3.24%", Undecided),
            ("lock _raw_spin_lock < 2.9%", Passed),
            ("total > 8%", Tripped),
            ("any lock > 3.5%", Tripped),
            ("any lock > 5%", Passed),
        ],
    );
    let outcome = check("lock _raw_spin_lock > 2.76%", &comparison);
    assert_eq!(
        outcome.sentence,
        "`_raw_spin_lock` takes 3.00 % of cycles after (n=3, 95 % interval 2.75 % to 3.25 %), more than 2.76%, but the \
         bound lies in the interval"
    );
}

#[test]
fn a_change_within_noise_is_undecided() {
    let comparison = compared(&[(SPIN, "dput", &[100, 500, 300])], &[(SPIN, "dput", &[400, 700, 550])]);
    decides(
        &comparison,
        &[
            ("spinlock > +1pt", Undecided),
            ("spinlock > +1pt even if unproven", Tripped),
            ("spinlock > +3pt", Passed),
            ("any lock > +1pt", Undecided),
        ],
    );
    // Welch by hand: difference 250, variances 40000 and 22500 over 3, t = 250 / 144.34 = 1.732, 3.7 degrees: p = 0.164.
    let outcome = check("spinlock > +1pt", &comparison);
    assert_eq!(
        outcome.sentence,
        "`spinlock` rises from 3.00 % to 5.50 % of cycles (+2.50 points, n=3+3, p=0.164), more than +1pt, but that is \
         within noise"
    );
}

#[test]
fn one_run_a_side_proves_nothing() {
    for (before, after) in [(&[100][..], &[900, 910, 890][..]), (&[100, 110, 90], &[900]), (&[100], &[900])] {
        let comparison = compared(&[(SPIN, "dput", before)], &[(SPIN, "dput", after)]);
        decides(
            &comparison,
            &[
                ("spinlock > +1pt", Undecided),
                ("any site > +1pt", Undecided),
                ("total > +1pt", Undecided),
                ("spinlock > +9pt", Passed),
                ("spinlock > +1pt even if unproven", Tripped),
            ],
        );
        let sentence = check("spinlock > +1pt", &comparison).sentence;
        assert!(
            sentence
                .ends_with("but a side has fewer than two runs, so that nothing can be tested: record more")
        );
    }
    let comparison = compared(&[(SPIN, "dput", &[100])], &[(SPIN, "dput", &[900])]);
    decides(&comparison, &[("spinlock > 5%", Undecided), ("spinlock > 5% even if unproven", Tripped)]);
}

#[test]
fn runs_that_do_not_vary_prove_nothing() {
    let comparison = compared(&[(SPIN, "dput", &[100, 100])], &[(SPIN, "dput", &[900, 900])]);
    decides(&comparison, &[("spinlock > +1pt", Undecided)]);
    assert!(check("spinlock > +1pt", &comparison).sentence.contains("no run differs"));
}

#[test]
fn the_other_tests_decide_where_they_are_asked_for() {
    let with = |test, before: &[u64], after: &[u64]| {
        let (before, after) = (side("b", &[(SPIN, "dput", before)]), side("a", &[(SPIN, "dput", after)]));
        compare(&before, &after, &settings(test, RowsBy::Site))
    };
    let (three, four) = ([100, 110, 90], [100, 110, 90, 105]);
    let (more, most) = ([900, 910, 890], [900, 910, 890, 905]);
    // Three against three cannot reach 5 % by ranks; four against four: 0.029.
    decides(&with(Test::Rank, &three, &more), &[("spinlock > +1pt", Undecided)]);
    decides(&with(Test::Rank, &four, &most), &[("spinlock > +1pt", Tripped)]);
    decides(&with(Test::Range, &three, &more), &[("spinlock > +1pt", Tripped)]);
    decides(&with(Test::Range, &[100, 700, 90], &[300, 310, 800]), &[("spinlock > +1pt", Undecided)]);
    let few = with(Test::Range, &[100, 110], &[900, 910]);
    decides(&few, &[("spinlock > +1pt", Undecided)]);
    assert!(check("spinlock > +1pt", &few).sentence.ends_with("but the range test needs 3 runs on a side"));
}

#[test]
fn new_and_gone_locks_count_from_and_to_nothing() {
    let comparison = compared(&[(MUTEX, "pipe_read", &[300, 310, 290])], &[(SPIN, "dput", &[500, 510, 490])]);
    decides(
        &comparison,
        &[
            ("spinlock > +4.9pt", Tripped),
            ("spinlock > +5.1pt", Passed),
            ("mutex < -2.9pt", Tripped),
            ("mutex < -3.1pt", Passed),
            ("mutex < 1%", Tripped),
            ("any lock > +4.9pt", Tripped),
            ("total > +1.9pt", Tripped),
            ("lock nowhere > +0pt", Passed),
            ("lock nowhere < 1%", Tripped),
        ],
    );
    let sentence = check("lock nowhere > +0pt", &comparison).sentence;
    assert_eq!(sentence, "there is no sample of `nowhere` on either side: not more than +0pt");
}

#[test]
fn a_moved_lock_leaves_the_total_and_is_found_one_by_one() {
    let comparison = compared(
        &[(SPIN, "dput", &[500, 510, 490]), (MUTEX, "pipe_read", &[0, 0, 0])],
        &[(SPIN, "dput", &[200, 210, 190]), (MUTEX, "pipe_read", &[300, 310, 290])],
    );
    decides(&comparison, &[("total > +1pt", Passed)]);
    for (condition, name) in [
        ("any lock > +1pt", "`mutex_lock`"),
        ("any family > +1pt", "`mutex`"),
        ("any caller > +1pt", "all locks from `pipe_read`"),
        ("any site > +1pt", "`mutex_lock` from `pipe_read`"),
    ] {
        let outcome = check(condition, &comparison);
        assert_eq!(
            (outcome.decision, outcome.tested, outcome.findings.len()),
            (Tripped, 2, 1),
            "{condition}"
        );
        assert!(outcome.sentence.starts_with("1 of 2 "), "{}", outcome.sentence);
        assert!(
            outcome.sentence.contains(&format!(": {name} rises from 0.00 % to 3.00 %")),
            "{}",
            outcome.sentence
        );
        assert!(outcome.sentence.contains("adjusted for 2 tests"), "{}", outcome.sentence);
    }
}

/// Benjamini and Hochberg over what is tested: the same rows prove less among many that do not move.
#[test]
fn any_pays_for_the_number_of_its_tests() {
    let callers: Vec<String> = (0..40).map(|n| format!("f{n:02}")).collect();
    let rows = |moving: &'static [u64; 3]| -> Vec<Row> {
        let others = callers.iter().map(|name| (IRQ, name.as_str(), &[100, 160, 130][..]));
        std::iter::once((SPIN, "dput", &moving[..])).chain(others).collect()
    };
    let comparison = compared(&rows(&[100, 160, 130]), &rows(&[230, 290, 260]));
    // t = 130 / sqrt(2 * 900 / 3) = 5.31 with 4 degrees: p = 0.006; times 41 it is no proof.
    decides(
        &comparison,
        &[
            ("lock _raw_spin_lock > +1pt", Tripped),
            ("any site > +1pt", Undecided),
            ("any lock > +1pt", Tripped),
        ],
    );
    assert_eq!(check("any site > +1pt", &comparison).tested, 41);
}

/// Twice the work at the same shares: each operation costs half. And the other way round.
#[test]
fn per_operation_looks_at_costs_instead_of_shares() {
    let rows: [Row; 1] = [(SPIN, "dput", &[400, 410, 390])];
    let with = |before: f64, after: f64| {
        let (mut one, mut other) = (side("b", &rows), side("a", &rows));
        one.operations = Some(vec![before; 3]);
        other.operations = Some(vec![after; 3]);
        compare(&one, &other, &settings(Test::Welch, RowsBy::Site))
    };
    decides(
        &with(100.0, 50.0),
        &[
            ("spinlock > +99% per-op", Tripped),
            ("spinlock > +101% per-op", Passed),
            ("total > +99% per-op", Tripped),
            ("any lock > +99% per-op", Tripped),
            ("spinlock > +1pt", Passed),
        ],
    );
    decides(
        &with(50.0, 100.0),
        &[
            ("spinlock < -49% per-op", Tripped),
            ("spinlock < -51% per-op", Passed),
            ("spinlock > +0% per-op", Passed),
        ],
    );
    let sentence = check("spinlock > +99% per-op", &with(100.0, 50.0)).sentence;
    assert!(sentence.starts_with(
        "the cost of an operation in `spinlock` rises from 4.00 % to 8.00 % of what one cost before (+100.0 %, n=3+3, p<0.001)"
    ));
}

#[test]
fn a_cost_out_of_nothing_is_beyond_any_bound() {
    let (mut one, mut other) =
        (side("b", &[(MUTEX, "x", &[10, 11, 12])]), side("a", &[(SPIN, "dput", &[400, 410, 390])]));
    one.operations = Some(vec![10.0; 3]);
    other.operations = Some(vec![10.0; 3]);
    let comparison = compare(&one, &other, &settings(Test::Welch, RowsBy::Site));
    decides(
        &comparison,
        &[
            ("spinlock > +5000% per-op", Tripped),
            ("mutex < -99% per-op", Tripped),
            ("rwsem > +0% per-op", Passed),
        ],
    );
    assert!(check("spinlock > +1% per-op", &comparison).sentence.contains("(new, "));
}

#[test]
fn what_the_comparison_does_not_know_is_an_error() {
    let error = |condition: &str, comparison: &Comparison| {
        let condition = parse(condition).expect("valid");
        evaluate(&condition, comparison).expect_err("unknown").to_string()
    };
    assert_eq!(
        error("spinlock > +1% per-op", &regression()),
        "--fail-if 'spinlock > +1% per-op': asks what an operation costs, and no operations are known; give --ops-before \
         and --ops-after, a number a run"
    );
    let flat = compared(&[(SPIN, "", &[100])], &[(SPIN, "", &[100])]);
    assert_eq!(
        error("any caller > +1pt", &flat),
        "--fail-if 'any caller > +1pt': asks for callers, and no sample of a lock has one; record callchains: perf record -g"
    );
    let (one, other) = (side("b", &[(SPIN, "dput", &[100])]), side("a", &[(SPIN, "dput", &[100])]));
    let families = compare(&one, &other, &settings(Test::Welch, RowsBy::Family));
    let message = error("lock _raw_spin_lock > +1pt", &families);
    assert!(message.ends_with("asks for locks, and the rows are families"), "{message}");
}

#[test]
fn no_lock_at_all_is_no_error() {
    let comparison = compared(&[], &[]);
    decides(
        &comparison,
        &[("any lock > +1pt", Passed), ("total > +1pt", Passed), ("caller x > +1pt", Passed)],
    );
}

/// A sum of rows is what the comparison by a coarser subject says of it.
#[test]
fn sums_of_rows_are_the_rows_of_coarser_comparisons() {
    let fine = regression();
    let before = side(
        "b",
        &[
            (SPIN, "dput", &[100, 110, 90]),
            (IRQ, "dput", &[200, 210, 190]),
            (IRQ, "wake_up", &[10, 11, 9]),
            (MUTEX, "pipe_read", &[400, 410, 390]),
        ],
    );
    let after = side(
        "a",
        &[
            (SPIN, "dput", &[300, 310, 290]),
            (IRQ, "dput", &[400, 410, 390]),
            (IRQ, "wake_up", &[10, 11, 9]),
            (MUTEX, "pipe_read", &[200, 210, 190]),
        ],
    );
    let coarse = compare(&before, &after, &settings(Test::Welch, RowsBy::Family));
    let sums = fine.regroup(|row| row.subject.family().map_or(row.subject.clone(), Subject::Family));
    assert_eq!(sums.len(), coarse.rows.len());
    for (sum, row) in sums.iter().zip(&coarse.rows) {
        assert_eq!((&sum.subject, sum.verdict), (&row.subject, row.verdict));
        let near = |a: Option<f64>, b: Option<f64>| (a.unwrap_or(2.0) - b.unwrap_or(2.0)).abs() < 1e-9;
        assert!(near(Some(sum.points), Some(row.points)));
        assert!(near(sum.p_adjusted, row.p_adjusted));
    }
}
