//! Decides a condition over a comparison: which figure is held against the bound, and whether that is more than noise.

use super::explain;
use super::language::{Bound, Condition, Direction, Each, Proof, Scope, Sites};
use crate::compare::{Comparison, LEVEL, Row, Subject, Test};
use crate::error::{Error, Result};
use crate::lock::matcher::{base_name, fits};
use crate::stats::{MIN_RANGE_RUNS, MIN_RANK_RUNS, Spread, mean_interval, range_differs};

/// What became of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// The bound is not passed.
    Passed,
    /// The bound is passed, but that is not shown to be more than noise.
    Undecided,
    /// The condition is met.
    Tripped,
}

impl Decision {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Passed => "passed",
            Decision::Undecided => "undecided",
            Decision::Tripped => "tripped",
        }
    }
}

/// A condition with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The condition.
    pub condition: Condition,
    /// The answer: the worst of all rows that were tested.
    pub decision: Decision,
    /// The figures that explain it.
    pub sentence: String,
    /// How many rows were tested.
    pub tested: usize,
    /// The rows with that answer, the largest figure first; of a condition that passed, the one that came closest.
    pub findings: Vec<Finding>,
}

/// A row with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The row, tested as the condition asks.
    pub row: Row,
    /// The answer.
    pub decision: Decision,
    /// The figures that explain it.
    pub sentence: String,
}

/// Why a figure beyond its bound proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unproven {
    /// A side has fewer than two runs.
    SingleRun,
    /// The test needs more runs than there are.
    FewRuns,
    /// No run differs from another, so that there is nothing to hold the difference against.
    NoSpread,
    /// The difference is as small as chance makes it.
    Noise,
    /// The interval of the share has the bound in it.
    Straddles,
}

/// Decides a condition. The comparison's rows must be of call sites ([`crate::compare::RowsBy::Site`]) where callers are
/// asked for.
///
/// # Errors
/// Where the condition asks for what the comparison does not know: operations, callers, locks.
pub fn evaluate(condition: &Condition, comparison: &Comparison) -> Result<Outcome> {
    check_known(condition, comparison)?;
    let rows = rows(&condition.scope, comparison);
    let tested = rows.len();
    let mut findings: Vec<Finding> =
        rows.into_iter().map(|row| finding(row, condition, comparison, tested)).collect();
    let decision = findings.iter().map(|finding| finding.decision).max().unwrap_or(Decision::Passed);
    findings.retain(|finding| finding.decision == decision);
    // Equal figures stay in the order of the rows.
    let sign = if condition.direction == Direction::Above { 1.0 } else { -1.0 };
    let figure = |finding: &Finding| sign * figure(&finding.row, condition.bound);
    findings.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
    if decision == Decision::Passed {
        findings.truncate(1);
    }
    let sentence = explain::all(condition, decision, tested, &findings);
    Ok(Outcome { condition: condition.clone(), decision, sentence, tested, findings })
}

fn check_known(condition: &Condition, comparison: &Comparison) -> Result<()> {
    let wrong = |problem: &str| Error::new(format!("--fail-if '{}'", condition.text), problem);
    let (asks_lock, asks_caller) = match &condition.scope {
        Scope::Total => (false, false),
        Scope::Sites(sites) => (sites.lock.is_some(), sites.caller.is_some()),
        Scope::Each(each) => {
            (matches!(each, Each::Lock | Each::Site), matches!(each, Each::Caller | Each::Site))
        }
    };
    if matches!(condition.bound, Bound::PerOperation(_)) && comparison.contention.per_operation.is_none() {
        return Err(wrong("asks what an operation costs, and no operations are known")
            .remedy("give --ops-before and --ops-after, a number a run"));
    }
    let rows = &comparison.rows;
    if asks_lock && rows.iter().any(|row| matches!(row.subject, Subject::Family(_))) {
        return Err(wrong("asks for locks, and the rows are families"));
    }
    if asks_caller && !rows.is_empty() && rows.iter().all(|row| row.subject.caller().is_none()) {
        return Err(wrong("asks for callers, and no sample of a lock has one")
            .remedy("record callchains: perf record -g"));
    }
    Ok(())
}

/// The rows to test, p adjusted over them.
fn rows(scope: &Scope, comparison: &Comparison) -> Vec<Row> {
    match scope {
        Scope::Total => vec![comparison.contention.clone()],
        Scope::Sites(sites) => {
            let subject = Subject::Several(explain::sites(sites));
            vec![comparison.sum(subject, |row| takes(sites, &row.subject))]
        }
        Scope::Each(each) => comparison.regroup(|row| one_of(*each, &row.subject)),
    }
}

fn takes(sites: &Sites, subject: &Subject) -> bool {
    let any = |pattern: &Option<String>, name: &str| {
        // A compiler's clones are one function, however the pattern was copied.
        pattern.as_deref().is_none_or(|pattern| fits(base_name(pattern), name))
    };
    sites.family.is_none_or(|family| subject.family() == Some(family))
        && any(&sites.lock, subject.name())
        && any(&sites.caller, subject.caller().unwrap_or_default())
}

fn one_of(each: Each, subject: &Subject) -> Subject {
    match (each, subject) {
        (Each::Family, subject) => subject.family().map_or(subject.clone(), Subject::Family),
        (Each::Lock, Subject::Site { lock, .. }) => Subject::Lock(lock.clone()),
        (Each::Caller, subject) => Subject::Several(explain::caller(subject.caller())),
        (Each::Lock | Each::Site, subject) => subject.clone(),
    }
}

fn finding(row: Row, condition: &Condition, comparison: &Comparison, tested: usize) -> Finding {
    let figure = figure(&row, condition.bound);
    let is_beyond = match (condition.direction, condition.bound) {
        (Direction::Above, Bound::Points(b) | Bound::Share(b) | Bound::PerOperation(b)) => figure > b,
        (Direction::Below, Bound::Points(b) | Bound::Share(b) | Bound::PerOperation(b)) => figure < b,
    };
    let (decision, why) = match (is_beyond, condition.proof) {
        (false, _) => (Decision::Passed, None),
        (true, Proof::Dropped) => (Decision::Tripped, None),
        (true, Proof::Required) => match proof(&row, condition, comparison.settings.test) {
            None => (Decision::Tripped, None),
            why => (Decision::Undecided, why),
        },
    };
    let sentence = explain::finding(&row, condition, comparison, decision, why, tested);
    Finding { row, decision, sentence }
}

/// What is held against the bound, in the bound's unit. A cost that was nothing before and is something after has risen
/// by more than any bound.
pub(super) fn figure(row: &Row, bound: Bound) -> f64 {
    match (bound, &row.per_operation) {
        (Bound::Points(_), _) => 100.0 * row.points,
        (Bound::Share(_), _) => 100.0 * row.after.mean,
        (Bound::PerOperation(_), Some(cost)) if cost.before.mean > 0.0 => 100.0 * cost.change.unwrap_or(0.0),
        (Bound::PerOperation(_), Some(cost)) if cost.after.mean > 0.0 => f64::INFINITY,
        (Bound::PerOperation(_), _) => 0.0,
    }
}

/// The sides and the adjusted p that a change of this kind is tested with: shares, or costs of an operation.
pub(super) fn sides(row: &Row, bound: Bound) -> (&Spread, &Spread, Option<f64>) {
    match (bound, &row.per_operation) {
        (Bound::PerOperation(_), Some(cost)) => (&cost.before, &cost.after, cost.p_adjusted),
        _ => (&row.before, &row.after, row.p_adjusted),
    }
}

/// What is missing for a proof; `None` where it is complete. A change must be significant; a share's 95 % interval must
/// lie beyond the bound.
fn proof(row: &Row, condition: &Condition, test: Test) -> Option<Unproven> {
    if let Bound::Share(bound) = condition.bound {
        let Some(interval) = mean_interval(&row.after.runs) else { return Some(Unproven::SingleRun) };
        let is_beyond = match condition.direction {
            Direction::Above => 100.0 * interval.low > bound,
            Direction::Below => 100.0 * interval.high < bound,
        };
        return (!is_beyond).then_some(Unproven::Straddles);
    }
    let (before, after, p) = sides(row, condition.bound);
    let (n_before, n_after) = (before.runs.len(), after.runs.len());
    let (fewest, most) = (n_before.min(n_after), n_before.max(n_after));
    match (test, p) {
        _ if fewest < 2 => Some(Unproven::SingleRun),
        (Test::Range, _) if range_differs(&before.runs, &after.runs) => None,
        (Test::Range, _) if most < MIN_RANGE_RUNS => Some(Unproven::FewRuns),
        (Test::Range, _) => Some(Unproven::Noise),
        (_, Some(p)) if p < LEVEL => None,
        (_, Some(_)) => Some(Unproven::Noise),
        (Test::Rank, None) if fewest < MIN_RANK_RUNS => Some(Unproven::FewRuns),
        (_, None) => Some(Unproven::NoSpread),
    }
}
