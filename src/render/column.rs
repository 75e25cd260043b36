//! The columns of a comparison: head, cell and formula of each, which all text formats share.

use std::collections::BTreeMap;

use crate::compare::{Comparison, Row, RowsBy, Subject, Test, Verdict};
use crate::report::difference::probability;
use crate::run;
use crate::stats::{Interval, Spread};

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The change of what an operation costs.
    PerOperation,
    /// The share before.
    Before,
    /// The share after.
    After,
    /// Their difference.
    Points,
    /// Its 95 % interval.
    Interval,
    /// The adjusted p.
    P,
    /// The verdict.
    Verdict,
    /// The adjusted p of a change, and else the verdict: both in the width of one.
    Proof,
}

/// The columns of a text with room for all; what leads comes first, and verdicts stand right before names.
pub(super) const ALL: [Column; 7] = [
    Column::PerOperation,
    Column::Before,
    Column::After,
    Column::Points,
    Column::Interval,
    Column::P,
    Column::Verdict,
];

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Notation {
    /// The sign before a deviation.
    pub(super) plus_minus: &'static str,
    /// Digits behind the point, of shares and of points.
    pub(super) decimals: usize,
    /// What stands for a value that is not there.
    pub(super) absent: &'static str,
}

impl Notation {
    /// For a terminal or a page.
    pub(super) const PAGE: Notation = Notation { plus_minus: "±", decimals: 2, absent: "" };
    /// For a mail.
    pub(super) const MAIL: Notation = Notation { plus_minus: "+-", decimals: 1, absent: "-" };
}

/// The columns among these that a comparison has: without operations there is no cost of one, without tests no p.
pub(super) fn columns(comparison: &Comparison, wanted: &[Column]) -> Vec<Column> {
    let row = &comparison.contention;
    let has = |column: &&Column| match column {
        Column::PerOperation => row.per_operation.is_some(),
        Column::Interval => has_runs(row),
        Column::P => comparison.settings.test != Test::Range && has_runs(row),
        _ => true,
    };
    wanted.iter().filter(has).copied().collect()
}

/// The columns of functions: more of one that is no lock is neither better nor worse.
pub(super) fn without_verdict(columns: &[Column]) -> Vec<Column> {
    columns.iter().copied().filter(|column| *column != Column::Verdict).collect()
}

fn has_runs(row: &Row) -> bool {
    row.before.runs.len() > 1 && row.after.runs.len() > 1
}

impl Column {
    /// What stands above it.
    pub(super) fn head(self) -> &'static str {
        match self {
            Column::PerOperation => "per-op",
            Column::Before => "before",
            Column::After => "after",
            Column::Points => "points",
            Column::Interval => "95 % in",
            Column::P | Column::Proof => "p",
            Column::Verdict => "verdict",
        }
    }

    /// The cell of a row.
    pub(super) fn cell(self, row: &Row, notation: Notation) -> String {
        let absent = || notation.absent.to_owned();
        match self {
            Column::PerOperation => {
                row.per_operation.as_ref().and_then(|cost| cost.change).map_or_else(absent, change)
            }
            Column::Before => figure(&row.before, notation),
            Column::After => figure(&row.after, notation),
            Column::Points => points(row.points, notation),
            Column::Interval => row.interval.map_or_else(absent, |i| interval(i, notation)),
            Column::P => leading_p(row).map_or_else(absent, p),
            Column::Verdict => row.verdict.word().to_owned(),
            Column::Proof => match (row.verdict, leading_p(row)) {
                (Verdict::Better | Verdict::Worse, Some(value)) => p(value),
                (Verdict::SingleRun, _) => "1 run".to_owned(),
                (verdict, _) => verdict.word().to_owned(),
            },
        }
    }

    /// How it is computed, in one line.
    pub(super) fn formula(self, comparison: &Comparison, notation: Notation) -> Option<String> {
        let row = &comparison.contention;
        match self {
            Column::PerOperation => {
                Some("per-op = (weight / ops after) / (weight / ops before) - 1".to_owned())
            }
            Column::Before => {
                let (whole, sign) = (whole(comparison), notation.plus_minus);
                let sign = if has_runs(row) { format!("; {sign} s / mean, in %") } else { String::new() };
                Some(format!("before, after = mean of (weight / all {whole}), in %{sign}"))
            }
            Column::Points => Some("points = after - before, in percentage points".to_owned()),
            Column::Interval => Some("95 % in = interval of the points, Welch's t".to_owned()),
            Column::P | Column::Proof if !has_runs(row) => Some("1 run = one on a side: no test".to_owned()),
            Column::P | Column::Proof => {
                let of = if row.per_operation.is_some() { " (of per-op)" } else { "" };
                Some(match comparison.settings.test {
                    Test::Welch => format!("p{of} = two-sided Welch's t, adjusted by Benjamini-Hochberg"),
                    Test::Rank => format!("p{of} = Mann-Whitney's U, adjusted by Benjamini-Hochberg"),
                    Test::Range => {
                        format!("better, worse{of} = min above median and median above max of the other side")
                    }
                })
            }
            Column::After | Column::Verdict => None,
        }
    }
}

/// What shares are of: `cycles`.
pub(super) fn whole(comparison: &Comparison) -> String {
    run::whole(comparison.before.runs.iter().chain(&comparison.after.runs))
}

/// The p on which the verdict rests.
pub(super) fn leading_p(row: &Row) -> Option<f64> {
    match &row.per_operation {
        Some(cost) => cost.p_adjusted.or(cost.p),
        None => row.p_adjusted,
    }
}

/// `71.3 +-8%`: a mean of shares in percent, and its deviation in percent of it.
pub(super) fn figure(spread: &Spread, notation: Notation) -> String {
    if spread.runs.is_empty() {
        return notation.absent.to_owned();
    }
    let decimals = notation.decimals;
    format!("{:.decimals$}{}", 100.0 * spread.mean, deviation(spread, notation))
}

/// ` +-8%`: the deviation in percent of the mean; nothing for one run, or a mean of zero.
pub(super) fn deviation(spread: &Spread, notation: Notation) -> String {
    match spread.stddev.filter(|_| spread.mean > 0.0) {
        Some(stddev) => format!(" {}{:.0}%", notation.plus_minus, 100.0 * stddev / spread.mean),
        None => String::new(),
    }
}

pub(super) fn points(difference: f64, notation: Notation) -> String {
    let decimals = notation.decimals;
    format!("{:+.decimals$}", 100.0 * difference)
}

fn interval(interval: Interval, notation: Notation) -> String {
    format!("{}..{}", points(interval.low, notation), points(interval.high, notation))
}

/// `p<0.001`, `p=0.012`.
fn p(value: f64) -> String {
    probability(value)
}

/// `-97.1%`, and from eleven times on the factor: `x12`.
pub(super) fn change(change: f64) -> String {
    match change {
        _ if change < 10.0 => format!("{:+.1}%", 100.0 * change),
        _ if change < 1e5 => format!("x{:.0}", 1.0 + change),
        _ => format!("x{:.0e}", 1.0 + change),
    }
}

/// What rows are made of, for the head of their names.
pub(super) fn rows_head(by: RowsBy) -> &'static str {
    match by {
        RowsBy::Site => "lock, <- caller",
        RowsBy::Lock => "lock",
        RowsBy::Family => "family",
    }
}

/// Rows by lock, locks in the order of their first row; rows of something else each on their own.
pub(super) fn by_lock(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    let mut known = BTreeMap::new();
    for row in rows {
        match &row.subject {
            Subject::Site { lock, .. } => {
                let at = *known.entry(lock).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                groups[at].push(row);
            }
            _ => groups.push(vec![row]),
        }
    }
    groups
}
