//! Checks as text, a line a condition, and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::visible;
use super::json::{interval, warnings};
use crate::check::{Bound, Check, Direction, Finding, Outcome, Proof};
use crate::compare::{Row, Subject};
use crate::stats::Spread;

/// The headline of each comparison, and a line a condition; where several rows answer it, a line for each further one.
///
/// # Errors
/// Those of `out`.
pub fn text(checks: &[Check], out: &mut dyn Write) -> io::Result<()> {
    for (at, check) in checks.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        if checks.len() > 1 {
            write!(out, "{}: ", visible(&title(check)))?;
        }
        writeln!(out, "{}", visible(&check.headline))?;
        for outcome in &check.outcomes {
            let line = format!("{}: {}", outcome.condition.text, outcome.sentence);
            writeln!(out, "{:<9}  {}", outcome.decision.word(), visible(&line))?;
            for finding in outcome.findings.iter().skip(1) {
                writeln!(out, "{:<9}  {}", "", visible(&finding.sentence))?;
            }
        }
    }
    Ok(())
}

/// What is compared with what.
pub fn title(check: &Check) -> String {
    format!("{} -> {}", check.before, check.after)
}

/// The sentence of a condition, and those of its further rows, a line each.
pub(super) fn sentences(outcome: &Outcome) -> Vec<&str> {
    let further = outcome.findings.iter().skip(1).map(|finding| finding.sentence.as_str());
    std::iter::once(outcome.sentence.as_str()).chain(further).collect()
}

/// The object of checks.
pub fn object(checks: &[Check]) -> Value {
    json!({
        "schema": "lockblame/check/1",
        "tripped": checks.iter().any(Check::has_tripped),
        "comparisons": checks.iter().map(|check| json!({
            "before": check.before,
            "after": check.after,
            "headline": check.headline,
            "conditions": check.outcomes.iter().map(outcome).collect::<Vec<_>>(),
            "warnings": warnings(&check.warnings),
        })).collect::<Vec<_>>(),
    })
}

fn outcome(outcome: &Outcome) -> Value {
    let condition = &outcome.condition;
    let (measure, bound) = match condition.bound {
        Bound::Points(bound) => ("points", bound),
        Bound::Share(bound) => ("share_percent", bound),
        Bound::PerOperation(bound) => ("per_operation_percent", bound),
    };
    json!({
        "condition": condition.text,
        "measure": measure,
        "comparison": match condition.direction { Direction::Above => ">", Direction::Below => "<" },
        "bound": bound,
        "proof_required": condition.proof == Proof::Required,
        "decision": outcome.decision.word(),
        "text": outcome.sentence,
        "tested": outcome.tested,
        "rows": outcome.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let mut value = row(&finding.row);
    value["decision"] = json!(finding.decision.word());
    value["text"] = json!(finding.sentence);
    value
}

fn row(row: &Row) -> Value {
    let lock = match &row.subject {
        Subject::Lock(lock) | Subject::Site { lock, .. } => Some(&lock.name),
        _ => None,
    };
    json!({
        "subject": row.subject.name(),
        "family": row.subject.family().map(|family| family.word()),
        "lock": lock,
        "caller": row.subject.caller(),
        "before": spread(&row.before),
        "after": spread(&row.after),
        "difference": row.points,
        "change": row.change,
        "interval": interval(row.interval),
        "p": row.p,
        "p_adjusted": row.p_adjusted,
        "per_operation": row.per_operation.as_ref().map(|cost| json!({
            "before": spread(&cost.before),
            "after": spread(&cost.after),
            "change": cost.change,
            "interval": interval(cost.interval),
            "p": cost.p,
            "p_adjusted": cost.p_adjusted,
        })),
        "verdict": row.verdict.word(),
    })
}

fn spread(spread: &Spread) -> Value {
    json!({"mean": spread.mean, "stddev": spread.stddev, "runs": spread.runs})
}
