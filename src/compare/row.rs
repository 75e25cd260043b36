//! One row of a comparison: figures of both sides, their difference, its interval, its p-value and a verdict.

use std::collections::BTreeMap;

use super::align::{Aligned, Subject};
use super::{LEVEL, Settings, SideRuns};
use crate::lock::site::SiteTable;
use crate::run::RunInfo;
use crate::stats::{Interval, Spread, benjamini_hochberg, mann_whitney, range_differs, welch};
use crate::units::Weight;

/// Which test decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Test {
    /// Welch's t.
    #[default]
    Welch,
    /// Mann-Whitney's U, exact; from four runs a side on.
    Rank,
    /// The kernel test robot's criterion on ranges.
    Range,
}

/// What a row's difference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Less of it, by more than noise.
    Better,
    /// More of it, by more than noise.
    Worse,
    /// A change as large as the smallest effect is excluded.
    Same,
    /// Neither a change nor its absence is shown.
    Unclear,
    /// A side has one run: nothing can be tested.
    SingleRun,
    /// It exists after only.
    New,
    /// It exists before only.
    Gone,
}

impl Verdict {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Same => "same",
            Verdict::Unclear => "unclear",
            Verdict::SingleRun => "single run",
            Verdict::New => "new",
            Verdict::Gone => "gone",
        }
    }
}

/// What an operation costs, in parts of all that an operation of the before side costs.
#[derive(Debug, Clone, PartialEq)]
pub struct PerOperation {
    /// By run before. The parts of all rows sum to 1 there.
    pub before: Spread,
    /// By run after.
    pub after: Spread,
    /// The change of the mean, as a part of before's; `None` where that is 0.
    pub change: Option<f64>,
    /// 95 %, of the difference.
    pub interval: Option<Interval>,
    /// Two-sided.
    pub p: Option<f64>,
    /// Adjusted over all rows of the table.
    pub p_adjusted: Option<f64>,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is about.
    pub subject: Subject,
    /// The share of each run's total, before.
    pub before: Spread,
    /// The share of each run's total, after.
    pub after: Spread,
    /// The difference of the means, as a part of the total (0.01 is a point).
    pub points: f64,
    /// The change of the mean, as a part of before's; `None` where that is 0.
    pub change: Option<f64>,
    /// 95 %, of the difference.
    pub interval: Option<Interval>,
    /// Two-sided.
    pub p: Option<f64>,
    /// Adjusted over all rows of the table.
    pub p_adjusted: Option<f64>,
    /// Weight for each second and CPU, before and after.
    pub rate: Option<(Spread, Spread)>,
    /// What an operation costs, where operations are known: it leads then.
    pub per_operation: Option<PerOperation>,
    /// What it means.
    pub verdict: Verdict,
}

/// What turns weights into costs of an operation.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Costs {
    /// Needs a positive number of operations for each run of both sides.
    pub fn of(before: &SideRuns, after: &SideRuns) -> Option<Self> {
        let valid = |side: &SideRuns| {
            let operations = side.operations.clone()?;
            (operations.len() == side.tables.len() && operations.iter().all(|&n| n > 0.0))
                .then_some(operations)
        };
        let (one, other) = (valid(before)?, valid(after)?);
        let whole: f64 = before.tables.iter().zip(&one).map(|(table, n)| table.total.0 as f64 / n).sum();
        let whole = whole / one.len().max(1) as f64;
        let scale = |operations: Vec<f64>| operations.into_iter().map(|n| 1.0 / (n * whole)).collect();
        (whole > 0.0).then(|| Self { before: scale(one), after: scale(other) })
    }
}

/// Rows of all subjects, the largest change first, with p adjusted over all of them.
pub(super) fn rows(
    aligned: Aligned,
    before: &SideRuns,
    after: &SideRuns,
    costs: &Option<Costs>,
    settings: &Settings,
) -> Vec<Row> {
    let rows = aligned
        .into_iter()
        .filter(|(_, (one, other))| one.iter().chain(other).any(|weight| weight.0 > 0))
        .map(|(subject, (one, other))| row(subject, (&one, &other), before, after, costs, settings))
        .collect();
    table(rows, settings)
}

/// Rows of one table, the largest change first.
fn table(mut rows: Vec<Row>, settings: &Settings) -> Vec<Row> {
    decide(&mut rows, settings);
    // Ties are broken by name, in which the rows stand.
    rows.sort_by(|a, b| leading(b).abs().total_cmp(&leading(a).abs()));
    rows
}

/// Adjusts p over all rows, and gives each its verdict.
fn decide(rows: &mut [Row], settings: &Settings) {
    adjust(rows, |row| row.p, |row, p| row.p_adjusted = Some(p));
    adjust(
        rows,
        |row| row.per_operation.as_ref().and_then(|cost| cost.p),
        |row, p| {
            if let Some(cost) = &mut row.per_operation {
                cost.p_adjusted = Some(p);
            }
        },
    );
    for row in rows {
        row.verdict = verdict(row, settings);
    }
}

/// Rows of shares alone, before and after, in the order that they come in, with p adjusted over all of them.
pub fn judge(shares: impl Iterator<Item = (Subject, Vec<f64>, Vec<f64>)>, settings: &Settings) -> Vec<Row> {
    let mut rows: Vec<Row> =
        shares.map(|(subject, before, after)| of_shares(subject, before, after, settings)).collect();
    decide(&mut rows, settings);
    rows
}

/// The difference that leads: of costs where operations are known, else of shares.
fn leading(row: &Row) -> f64 {
    row.per_operation.as_ref().map_or(row.points, |cost| cost.after.mean - cost.before.mean)
}

/// A row that stands for itself: its p is not adjusted.
pub(super) fn whole(
    subject: Subject,
    before: &SideRuns,
    after: &SideRuns,
    costs: &Option<Costs>,
    settings: &Settings,
    of: impl Fn(&SiteTable) -> Weight,
) -> Row {
    let weights = |side: &SideRuns| side.tables.iter().map(&of).collect::<Vec<_>>();
    let (one, other) = (weights(before), weights(after));
    let mut row = row(subject, (&one, &other), before, after, costs, settings);
    alone(&mut row, settings);
    row
}

/// Lets a row stand for itself: nothing to adjust its p for.
fn alone(row: &mut Row, settings: &Settings) {
    row.p_adjusted = row.p;
    if let Some(cost) = &mut row.per_operation {
        cost.p_adjusted = cost.p;
    }
    row.verdict = verdict(row, settings);
}

/// A row of shares alone.
pub(super) fn of_shares(subject: Subject, before: Vec<f64>, after: Vec<f64>, settings: &Settings) -> Row {
    let (interval, p) = test(&before, &after, settings.test);
    let (before, after) = (Spread::over(before), Spread::over(after));
    let mut row = Row {
        subject,
        points: after.mean - before.mean,
        change: change(&before, &after),
        before,
        after,
        interval,
        p,
        p_adjusted: p,
        rate: None,
        per_operation: None,
        verdict: Verdict::Unclear,
    };
    row.verdict = verdict(&row, settings);
    row
}

/// One row for several: their shares of a run add up, and so do their costs of an operation. `like` is any row of the
/// same comparison, for the number of runs where there is nothing to add. Its p stands for itself.
pub(super) fn sum(subject: Subject, rows: &[&Row], like: &Row, settings: &Settings) -> Row {
    let total = |of: &dyn Fn(&Row) -> Option<&Spread>| -> Vec<f64> {
        let n = of(like).map_or(0, |spread| spread.runs.len());
        (0..n).map(|run| rows.iter().filter_map(|row| of(row)?.runs.get(run)).sum()).collect()
    };
    let (before, after) = (total(&|row| Some(&row.before)), total(&|row| Some(&row.after)));
    let mut sum = of_shares(subject, before, after, settings);
    let cost_before = total(&|row| row.per_operation.as_ref().map(|cost| &cost.before));
    let cost_after = total(&|row| row.per_operation.as_ref().map(|cost| &cost.after));
    sum.per_operation =
        like.per_operation.is_some().then(|| per_operation(cost_before, cost_after, settings.test));
    let rates = |of: &dyn Fn(&Row) -> Option<&Spread>| of(like).map(|_| Spread::over(total(of)));
    sum.rate = rates(&|row| row.rate.as_ref().map(|rate| &rate.0))
        .zip(rates(&|row| row.rate.as_ref().map(|rate| &rate.1)));
    alone(&mut sum, settings);
    sum
}

/// Several such rows, with p adjusted over all of them.
pub(super) fn sums(groups: BTreeMap<Subject, Vec<&Row>>, like: &Row, settings: &Settings) -> Vec<Row> {
    let groups = groups.into_iter();
    table(groups.map(|(subject, rows)| sum(subject, &rows, like, settings)).collect(), settings)
}

fn row(
    subject: Subject,
    weights: (&[Weight], &[Weight]),
    before: &SideRuns,
    after: &SideRuns,
    costs: &Option<Costs>,
    settings: &Settings,
) -> Row {
    let shares = |weights: &[Weight], side: &SideRuns| -> Vec<f64> {
        weights.iter().zip(&side.tables).map(|(weight, table)| weight.share_of(table.total).0).collect()
    };
    let mut row = of_shares(subject, shares(weights.0, before), shares(weights.1, after), settings);
    let rates = |weights: &[Weight], side: &SideRuns| -> Option<Spread> {
        let rates: Option<Vec<f64>> = weights.iter().zip(&side.runs).map(|(&w, run)| rate(w, run)).collect();
        rates.map(Spread::over)
    };
    row.rate = rates(weights.0, before).zip(rates(weights.1, after));
    row.per_operation = costs.as_ref().map(|costs| {
        let cost = |weights: &[Weight], scale: &[f64]| -> Vec<f64> {
            weights.iter().zip(scale).map(|(weight, scale)| weight.0 as f64 * scale).collect()
        };
        per_operation(cost(weights.0, &costs.before), cost(weights.1, &costs.after), settings.test)
    });
    row
}

fn per_operation(before: Vec<f64>, after: Vec<f64>, by: Test) -> PerOperation {
    let (interval, p) = test(&before, &after, by);
    let (before, after) = (Spread::over(before), Spread::over(after));
    PerOperation { change: change(&before, &after), before, after, interval, p, p_adjusted: None }
}

/// Weight for each second and CPU of a run, where its recording tells both.
pub(super) fn rate(weight: Weight, run: &RunInfo) -> Option<f64> {
    let seconds = run.duration?.seconds();
    let cpus = f64::from(run.cpus?);
    run.weight?;
    (seconds > 0.0 && cpus > 0.0).then(|| weight.0 as f64 / seconds / cpus)
}

fn change(before: &Spread, after: &Spread) -> Option<f64> {
    (before.mean > 0.0).then(|| after.mean / before.mean - 1.0)
}

/// Interval and p. The interval is Welch's whichever test decides; the robot's criterion has no p.
fn test(before: &[f64], after: &[f64], test: Test) -> (Option<Interval>, Option<f64>) {
    let difference = welch(before, after);
    let p = match test {
        Test::Welch => difference.as_ref().and_then(|difference| difference.p),
        Test::Rank => mann_whitney(before, after).map(|rank| rank.p),
        Test::Range => None,
    };
    (difference.map(|difference| difference.interval), p)
}

fn adjust(rows: &mut [Row], p: impl Fn(&Row) -> Option<f64>, mut set: impl FnMut(&mut Row, f64)) {
    let tested: Vec<(usize, f64)> =
        rows.iter().enumerate().filter_map(|(at, row)| Some((at, p(row)?))).collect();
    let values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    for ((at, _), adjusted) in tested.iter().zip(benjamini_hochberg(&values).unwrap_or_default()) {
        set(&mut rows[*at], adjusted);
    }
}

/// The verdict rests on the adjusted p of what leads. A change that is proven, but smaller than the smallest effect
/// with all of its interval, is none that matters.
fn verdict(row: &Row, settings: &Settings) -> Verdict {
    let (before, after, interval, p) = match &row.per_operation {
        Some(cost) => (&cost.before, &cost.after, cost.interval, cost.p_adjusted.or(cost.p)),
        None => (&row.before, &row.after, row.interval, row.p_adjusted),
    };
    let exists = |spread: &Spread| spread.runs.iter().any(|&share| share > 0.0);
    match (exists(before), exists(after)) {
        (false, true) => return Verdict::New,
        (true, false) => return Verdict::Gone,
        _ => {}
    }
    if before.runs.len() < 2 || after.runs.len() < 2 {
        return Verdict::SingleRun;
    }
    let small = Interval { low: -settings.min_effect, high: settings.min_effect };
    if interval.is_some_and(|interval| interval.low > small.low && interval.high < small.high) {
        return Verdict::Same;
    }
    let is_proven = match settings.test {
        Test::Range => range_differs(&before.runs, &after.runs),
        Test::Welch | Test::Rank => p.is_some_and(|p| p < LEVEL),
    };
    match (is_proven, after.mean < before.mean) {
        (false, _) => Verdict::Unclear,
        (true, true) => Verdict::Better,
        (true, false) => Verdict::Worse,
    }
}
