//! JSON: one object, stable, as docs/json.md has it. Shares are fractions, times nanoseconds, absent values null.

use crate::error::is_active;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::report::{CallerRow, LockRow, Report};
use crate::run::{RunInfo, Warning};
use crate::stats::{Interval, Spread};

/// Writes a value, and a line's end.
///
/// # Errors
/// Those of `out`.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    if !text.chars().any(|c| c != '\n' && is_active(c)) {
        return writeln!(out, "{text}");
    }
    // The format lets them stand, a terminal does not. They stand in strings only, and below U+FFFF.
    for c in text.chars() {
        match c {
            c if c != '\n' && is_active(c) => write!(out, "\\u{:04x}", u32::from(c))?,
            c => write!(out, "{c}")?,
        }
    }
    writeln!(out)
}

/// The object of a report.
pub fn report(report: &Report) -> Value {
    let contention = &report.contention;
    json!({
        "schema": "lockblame/report/1",
        "headline": report.headline,
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
        "contention": {
            "share": contention.share.mean,
            "stddev": contention.share.stddev,
            "busy_share": contention.busy_share.mean,
            "weight": report.counted(contention.weight.0),
            "samples": report.counted(contention.samples),
        },
        "idle": spread(&report.idle),
        "unlock": report.unlock.iter().map(|(family, share)| {
            let mut value = spread(share);
            value["family"] = json!(family.word());
            value
        }).collect::<Vec<_>>(),
        "locks": report.locks.iter().map(|row| lock(report, row)).collect::<Vec<_>>(),
        "cut": report.cut.as_ref().map(|cut| json!({"rows": cut.rows, "share": cut.share.mean})),
        "symbols": report.symbols.iter().map(|row| json!({
            "symbol": row.function.name,
            "module": row.function.module,
            "self_share": row.share.mean,
            "stddev": row.share.stddev,
            "self_weight": report.counted(row.weight.0),
            "samples": report.counted(row.samples),
        })).collect::<Vec<_>>(),
        "functions": report.functions.iter().map(|row| json!({
            "symbol": row.function.name,
            "module": row.function.module,
            "share": row.share.mean,
            "stddev": row.share.stddev,
            "weight": report.counted(row.weight.0),
            "samples": report.counted(row.samples),
        })).collect::<Vec<_>>(),
        "groups": report.groups.iter().map(|row| json!({
            "by": report.by.head(),
            "label": row.label,
            "share": row.share.mean,
            "stddev": row.share.stddev,
            "weight": report.counted(row.weight.0),
            "samples": report.counted(row.samples),
        })).collect::<Vec<_>>(),
        "warnings": warnings(&report.warnings),
    })
}

/// A run.
pub fn run(run: &RunInfo) -> Value {
    json!({
        "file": run.file,
        "event": run.event,
        "unit": run.unit.word(),
        "samples": run.samples,
        "weight": run.weight.map(|w| w.0),
        "lost": run.lost,
        "duration_ns": run.duration.map(|d| d.0),
        "host": run.host,
        "kernel": run.kernel,
        "arch": run.arch,
        "cpus": run.cpus,
        "cpu_model": run.cpu_model,
        "command": run.command,
        "rate": run.rate.map(|rate| rate.to_string()),
        "truncated": run.truncated.is_some(),
        "truncated_at": run.truncated,
        "unresolved_share": run.unnamed_share,
    })
}

/// Warnings.
pub fn warnings(warnings: &[Warning]) -> Value {
    warnings.iter().map(|warning| json!({"code": warning.code, "text": warning.text})).collect()
}

/// An interval as its two ends.
pub fn interval(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |i| json!([i.low, i.high]))
}

fn spread(share: &Spread) -> Value {
    json!({"share": share.mean, "stddev": share.stddev})
}

fn lock(report: &Report, row: &LockRow) -> Value {
    json!({
        "lock": row.lock.name,
        "family": row.lock.family.word(),
        "mode": row.lock.mode.map(|mode| mode.letter()),
        "share": row.share.mean,
        "stddev": row.share.stddev,
        "busy_share": row.busy_share.mean,
        "weight": report.counted(row.weight.0),
        "samples": report.counted(row.samples),
        "interval": interval(row.interval),
        "callers": row.callers.iter().map(|row| caller(report, row)).collect::<Vec<_>>(),
        "phases": row.phases.iter().map(|(symbol, weight)| json!({"symbol": symbol, "weight": report.counted(weight.0)})).collect::<Vec<_>>(),
        "inner": row.inner.iter().map(|(lock, weight)| json!({"lock": lock, "weight": report.counted(weight.0)})).collect::<Vec<_>>(),
    })
}

fn caller(report: &Report, row: &CallerRow) -> Value {
    json!({
        "caller": row.caller.as_ref().map(|c| &c.name),
        "module": row.caller.as_ref().map(|c| &c.module),
        "source": Value::Null,
        "share": row.share.mean,
        "stddev": row.share.stddev,
        "weight": report.counted(row.weight.0),
        "samples": report.counted(row.samples),
        "through": row.through,
    })
}
