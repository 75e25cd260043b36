//! The object of a comparison: shares, points too, are fractions; what is absent is null.

use serde_json::{Value, json};

use super::super::json::{interval, run, warnings};
use super::super::total::shown;
use crate::compare::{Comparison, PerOperation, Row, RowsBy, Settings, Side, Subject, Test};
use crate::metric::{Change, Figure, MetricTable};
use crate::report::difference::Difference;
use crate::stats::Spread;

/// The object of a comparison.
pub fn object(difference: &Difference) -> Value {
    let comparison = &difference.comparison;
    let all = &comparison.contention;
    let moved = comparison.symbols.iter().filter(|row| row.points != 0.0);
    json!({
        "schema": "lockblame/diff/1",
        "headline": difference.headline,
        "before": side(&comparison.before, &all.before, &comparison.busy.before),
        "after": side(&comparison.after, &all.after, &comparison.busy.after),
        "contention": row(all),
        "busy_contention": row(&comparison.busy),
        "rows": shown(difference).iter().map(row).collect::<Vec<_>>(),
        "cut": difference.cut().map(|(rows, before, after)| json!({
            "rows": rows,
            "before": spread(&before),
            "after": spread(&after),
        })),
        "families": comparison.families.iter().map(row).collect::<Vec<_>>(),
        "metrics": difference.metrics.as_ref().map(metrics),
        "symbols": moved.map(row).collect::<Vec<_>>(),
        "detectable": comparison.detectable,
        "throughput": comparison.throughput.map(|throughput| json!({
            "ratio": throughput.ratio,
            "p": throughput.p,
        })),
        "ceiling": comparison.ceiling,
        "settings": settings(comparison),
        "warnings": warnings(&difference.warnings),
    })
}

/// The benchmark's own figures. A change is a fraction of before, or of points where the metric is a percentage.
fn metrics(table: &MetricTable) -> Vec<Value> {
    let figure = |figure: &Figure| json!({"mean": figure.value(), "deviation_percent": figure.deviation()});
    let rows = table.sections.iter().flat_map(|section| &section.rows);
    rows.map(|row| {
        let (change, points) = match row.change() {
            Change::Percent(percent) => (Some(percent / 100.0), None),
            Change::Points(points) => (None, Some(points / 100.0)),
        };
        json!({
            "metric": row.label(),
            "before": figure(&row.before),
            "after": figure(&row.after),
            "change": change,
            "points": points,
        })
    })
    .collect()
}

fn side(side: &Side, contention: &Spread, busy: &Spread) -> Value {
    let mut shares = spread(contention);
    shares["busy"] = spread(busy);
    json!({
        "name": side.name,
        "runs": side.runs.iter().map(run).collect::<Vec<_>>(),
        "contention": shares,
        "rate": side.rate.as_ref().map(spread),
        "operations": side.operations.as_ref().map(spread),
    })
}

fn spread(spread: &Spread) -> Value {
    let mean = (!spread.runs.is_empty()).then_some(spread.mean);
    json!({"mean": mean, "stddev": spread.stddev, "n": spread.runs.len(), "runs": spread.runs})
}

/// A row with the keys of its subject: those of a lock, or those of a function.
fn row(row: &Row) -> Value {
    let mut value = json!({
        "before": spread(&row.before),
        "after": spread(&row.after),
        "points": row.points,
        "change": row.change,
        "interval": interval(row.interval),
        "p": row.p,
        "p_adjusted": row.p_adjusted,
        "verdict": row.verdict.word(),
        "per_op_change": row.per_operation.as_ref().and_then(|cost| cost.change),
        "per_op": row.per_operation.as_ref().map(per_operation),
        "rate": row.rate.as_ref().map(|(before, after)| json!({
            "before": spread(before),
            "after": spread(after),
        })),
    });
    if let Subject::Symbol(function) = &row.subject {
        value["symbol"] = json!(function.name);
        value["module"] = json!(function.module);
        return value;
    }
    let (lock, through) = match &row.subject {
        Subject::Site { lock, through, .. } => (Some(lock), Some(through)),
        Subject::Lock(lock) => (Some(lock), None),
        _ => (None, None),
    };
    value["lock"] = json!(lock.map(|lock| &lock.name));
    value["mode"] = json!(lock.and_then(|lock| lock.mode).map(|mode| mode.letter()));
    value["family"] = json!(row.subject.family().map(|family| family.word()));
    value["caller"] = json!(row.subject.caller());
    value["through"] = json!(through);
    value
}

fn per_operation(cost: &PerOperation) -> Value {
    json!({
        "before": spread(&cost.before),
        "after": spread(&cost.after),
        "change": cost.change,
        "interval": interval(cost.interval),
        "p": cost.p,
        "p_adjusted": cost.p_adjusted,
    })
}

fn settings(comparison: &Comparison) -> Value {
    let Settings { test, min_effect, choice, by } = &comparison.settings;
    json!({
        "test": match test {
            Test::Welch => "welch",
            Test::Rank => "rank",
            Test::Range => "range",
        },
        "level": crate::compare::LEVEL,
        "min_effect": min_effect,
        "by": match by {
            RowsBy::Site => "site",
            RowsBy::Lock => "lock",
            RowsBy::Family => "family",
        },
        "families": choice.families.iter().map(|family| family.word()).collect::<Vec<_>>(),
        "locks": choice.locks,
        "callers": choice.callers,
    })
}
