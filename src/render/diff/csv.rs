//! One row a lock and call site, both sides in it, in full precision; all shares, points too, are fractions.

use std::io::{self, Write};

use super::super::csv::records;
use super::super::escape::cell;
use super::super::total::shown;
use crate::compare::{Row, Subject};
use crate::report::difference::Difference;
use crate::stats::Spread;

/// One row a lock and call site.
///
/// # Errors
/// Those of `out`.
pub fn csv(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let run = comparison.before.runs.first().or(comparison.after.runs.first());
    let unit = run.map_or("weight", |run| run.unit.word());
    records(std::iter::once(heads(unit)).chain(shown(difference).iter().map(record)), out)
}

fn heads(unit: &str) -> [String; 27] {
    let rate = |side: &str| format!("rate_{side}_{unit}_per_second_and_cpu");
    let (before, after) = (rate("before"), rate("after"));
    [
        "family",
        "lock",
        "mode",
        "caller",
        "through",
        "before_mean_fraction",
        "before_stddev_fraction",
        "before_runs",
        "after_mean_fraction",
        "after_stddev_fraction",
        "after_runs",
        "points_fraction",
        "change_fraction",
        "interval_low_fraction",
        "interval_high_fraction",
        "p",
        "p_adjusted",
        "per_op_before_fraction",
        "per_op_after_fraction",
        "per_op_change_fraction",
        "per_op_interval_low_fraction",
        "per_op_interval_high_fraction",
        "per_op_p",
        "per_op_p_adjusted",
        &before,
        &after,
        "verdict",
    ]
    .map(str::to_owned)
}

fn record(row: &Row) -> [String; 27] {
    let text = |text: &str| cell(text).into_owned();
    let (lock, through) = match &row.subject {
        Subject::Site { lock, through, .. } => (Some(lock), through.join(" < ")),
        Subject::Lock(lock) => (Some(lock), String::new()),
        _ => (None, String::new()),
    };
    let mode = lock.and_then(|lock| lock.mode).map_or("", |mode| mode.letter());
    let cost = row.per_operation.as_ref();
    let interval = cost.and_then(|cost| cost.interval);
    [
        row.subject.family().map_or_else(String::new, |family| family.word().to_owned()),
        lock.map_or_else(String::new, |lock| text(&lock.name)),
        mode.to_owned(),
        row.subject.caller().map_or_else(String::new, text),
        text(&through),
        mean(&row.before),
        number(row.before.stddev),
        row.before.runs.len().to_string(),
        mean(&row.after),
        number(row.after.stddev),
        row.after.runs.len().to_string(),
        number(Some(row.points)),
        number(row.change),
        number(row.interval.map(|interval| interval.low)),
        number(row.interval.map(|interval| interval.high)),
        number(row.p),
        number(row.p_adjusted),
        cost.map_or_else(String::new, |cost| mean(&cost.before)),
        cost.map_or_else(String::new, |cost| mean(&cost.after)),
        number(cost.and_then(|cost| cost.change)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(cost.and_then(|cost| cost.p)),
        number(cost.and_then(|cost| cost.p_adjusted)),
        row.rate.as_ref().map_or_else(String::new, |(before, _)| mean(before)),
        row.rate.as_ref().map_or_else(String::new, |(_, after)| mean(after)),
        row.verdict.word().to_owned(),
    ]
}

fn mean(spread: &Spread) -> String {
    number((!spread.runs.is_empty()).then_some(spread.mean))
}

/// An absent number, and one that no reader could take, is an empty cell.
fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}
