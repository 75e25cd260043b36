//! The totals that no comparison goes without: all locks, what was cut, what shares are of, and what was done.

use super::column::{self, Column, Notation};
use crate::compare::{Comparison, Row};
use crate::report::difference::{Difference, probability};
use crate::run;
use crate::stats::Spread;

/// A share of busy time that differs by less from that of the total is not shown.
const BUSY_MATTERS: f64 = 0.005;

/// The rows of a comparison that are shown.
pub(super) fn shown(difference: &Difference) -> &[Row] {
    let rows = &difference.comparison.rows;
    &rows[..difference.shown.min(rows.len())]
}

/// Functions that gained, and that lost, each with what stands above them, where there are any.
pub(super) fn movers(difference: &Difference) -> impl Iterator<Item = (&'static str, &[Row])> {
    let (gained, lost) = &difference.movers;
    let both = [("functions that gained share", &gained[..]), ("functions that lost share", &lost[..])];
    both.into_iter().filter(|(_, rows)| !rows.is_empty())
}

/// The rows that close a table: the sum of those that are not shown, and all locks.
pub(super) fn rows(
    difference: &Difference,
    columns: &[Column],
    notation: Notation,
) -> Vec<(String, Vec<String>)> {
    let comparison = &difference.comparison;
    let mut rows = Vec::new();
    if let Some((n, before, after)) = difference.cut() {
        let cell = |column: &Column| match column {
            Column::Before => column::figure(&before, notation),
            Column::After => column::figure(&after, notation),
            Column::Points => column::points(after.mean - before.mean, notation),
            _ => notation.absent.to_owned(),
        };
        rows.push((format!("{n} more"), columns.iter().map(cell).collect()));
    }
    let (all, busy) = (&comparison.contention, &comparison.busy);
    rows.push(("all locks".to_owned(), columns.iter().map(|column| column.cell(all, notation)).collect()));
    let differs = |one: &Spread, other: &Spread| (one.mean - other.mean).abs() >= BUSY_MATTERS;
    if differs(&all.before, &busy.before) || differs(&all.after, &busy.after) {
        let cell = |column: &Column| match column {
            // Its p is that of shares, beside others of costs.
            Column::P | Column::Verdict | Column::Proof if all.per_operation.is_some() => {
                notation.absent.to_owned()
            }
            _ => column.cell(busy, notation),
        };
        rows.push(("all locks, of busy time".to_owned(), columns.iter().map(cell).collect()));
    }
    rows
}

/// What the shares are of, the operations, and what the experiment could have seen: a label and a text each.
pub(super) fn lines(comparison: &Comparison, notation: Notation) -> Vec<(&'static str, String)> {
    let (before, after) = (&comparison.before, &comparison.after);
    let unit = run::unit(before.runs.iter().chain(&after.runs));
    let mut lines = vec![(
        "total",
        format!("{}, in {unit} per second and CPU", sides(&before.rate, &after.rate, None, notation)),
    )];
    if before.operations.is_some() || after.operations.is_some() {
        let p = comparison.throughput.and_then(|throughput| throughput.p);
        lines.push(("operations", sides(&before.operations, &after.operations, p, notation)));
    }
    if let Some(ceiling) = comparison.ceiling {
        let measured = comparison
            .throughput
            .map_or_else(String::new, |throughput| format!("; measured: {:.2} times", throughput.ratio));
        lines.push((
            "ceiling",
            format!("without this contention, at most {ceiling:.2} times the operations (Amdahl){measured}"),
        ));
    }
    if let Some(least) = comparison.detectable {
        lines.push(("detectable", format!("{:.1} points of all locks, four times in five", 100.0 * least)));
    }
    lines
}

fn sides(before: &Option<Spread>, after: &Option<Spread>, p: Option<f64>, notation: Notation) -> String {
    let side = |spread: &Option<Spread>| match spread {
        Some(spread) => format!("{}{}", count(spread.mean), column::deviation(spread, notation)),
        None => "-".to_owned(),
    };
    let change = match (before, after) {
        (Some(one), Some(other)) if one.mean > 0.0 => {
            let p = p.map_or_else(String::new, |p| format!(", {}", probability(p)));
            format!(" ({}{p})", column::change(other.mean / one.mean - 1.0))
        }
        _ => String::new(),
    };
    format!("{} before, {} after{change}", side(before), side(after))
}

/// A count with four digits: `2.310e9`, `12346`, `3.21`.
fn count(number: f64) -> String {
    match number {
        _ if number >= 1e6 => format!("{number:.3e}"),
        _ if number >= 1000.0 => format!("{number:.0}"),
        _ => format!("{number:.2}"),
    }
}
