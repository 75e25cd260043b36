//! Sides written in code: locks, callers, and their weights by run.

use lockblame::check::{Outcome, evaluate, parse};
use lockblame::compare::{Comparison, RowsBy, Settings, SideRuns, Test, compare};
use lockblame::lock::choice::Choice;
use lockblame::lock::family::Family;
use lockblame::lock::site::{Function, Lock, Site, SiteTable, SiteWeight};
use lockblame::run::RunInfo;
use lockblame::units::Weight;

/// The total of every run: a point is 100.
pub(crate) const TOTAL: u64 = 10_000;

pub(crate) const SPIN: (Family, &str) = (Family::Spinlock, "_raw_spin_lock");
pub(crate) const IRQ: (Family, &str) = (Family::Spinlock, "_raw_spin_lock_irqsave");
pub(crate) const MUTEX: (Family, &str) = (Family::Mutex, "mutex_lock");

/// A lock, its caller, and its weight by run.
pub(crate) type Row<'a> = ((Family, &'a str), &'a str, &'a [u64]);

pub(crate) fn side(name: &str, rows: &[Row]) -> SideRuns {
    let n = rows.iter().map(|(_, _, weights)| weights.len()).max().unwrap_or(1);
    let run = |at: usize| {
        let total = SiteTable { total: Weight(TOTAL), busy_total: Weight(TOTAL), ..SiteTable::default() };
        rows.iter().fold(total, |mut table, ((family, lock), caller, weights)| {
            let weight = Weight(weights[at]);
            let module = "[kernel.kallsyms]".to_owned();
            let caller = (!caller.is_empty()).then(|| Function { name: (*caller).to_owned(), module });
            let lock = Lock { name: (*lock).to_owned(), family: *family, mode: None };
            let site = Site { lock, caller, through: Vec::new() };
            table.sites.insert(site, SiteWeight { weight, busy: weight, ..SiteWeight::default() });
            table
        })
    };
    let info = |at: usize| RunInfo {
        samples: Some(TOTAL),
        weight: Some(Weight(TOTAL)),
        counting: lockblame::run::Counting::Counted,
        ..RunInfo::of_event(&format!("{name}{at}"), "cycles")
    };
    SideRuns {
        name: name.to_owned(),
        runs: (0..n).map(info).collect(),
        tables: (0..n).map(run).collect(),
        operations: None,
    }
}

pub(crate) fn settings(test: Test, by: RowsBy) -> Settings {
    Settings { test, min_effect: 0.01, choice: Choice::default(), by }
}

pub(crate) fn compared(before: &[Row], after: &[Row]) -> Comparison {
    compare(&side("before", before), &side("after", after), &settings(Test::Welch, RowsBy::Site))
}

pub(crate) fn check(condition: &str, comparison: &Comparison) -> Outcome {
    let condition = parse(condition).unwrap_or_else(|e| panic!("{condition}: {e}"));
    evaluate(&condition, comparison).unwrap_or_else(|e| panic!("{e}"))
}

/// Spinlocks gain four points, over two locks; the mutex falls by two.
pub(crate) fn regression() -> Comparison {
    compared(
        &[
            (SPIN, "dput", &[100, 110, 90]),
            (IRQ, "dput", &[200, 210, 190]),
            (IRQ, "wake_up.isra.0", &[10, 11, 9]),
            (MUTEX, "pipe_read", &[400, 410, 390]),
        ],
        &[
            (SPIN, "dput", &[300, 310, 290]),
            (IRQ, "dput", &[400, 410, 390]),
            (IRQ, "wake_up.isra.4", &[10, 11, 9]),
            (MUTEX, "pipe_read", &[200, 210, 190]),
        ],
    )
}
