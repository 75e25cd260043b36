//! Puts the figures of a check into sentences: before, after, change, runs, p, and the bound.

use super::evaluate::{Decision, Finding, Unproven, figure, sides};
use super::language::{Bound, Condition, Direction, Each, Proof, Scope, Sites};
use crate::compare::{Comparison, Row, Subject, Test};
use crate::run;
use crate::stats::{MIN_RANGE_RUNS, MIN_RANK_RUNS, Spread, mean_interval};

/// `_raw_spin_lock` from `dput`, in the words of the language.
pub(super) fn sites(sites: &Sites) -> String {
    let lock = match (&sites.lock, sites.family) {
        (Some(lock), _) => Some(lock.as_str()),
        (None, Some(family)) => Some(family.word()),
        (None, None) => None,
    };
    match (lock, sites.caller.as_deref()) {
        (Some(lock), Some(caller)) => format!("`{lock}` from `{caller}`"),
        (Some(lock), None) => format!("`{lock}`"),
        (None, Some(name)) => caller(Some(name)),
        (None, None) => "all locks".to_owned(),
    }
}

/// All locks of one caller.
pub(super) fn caller(name: Option<&str>) -> String {
    name.map_or_else(|| "all locks without a caller".to_owned(), |name| format!("all locks from `{name}`"))
}

fn subject(row: &Row) -> String {
    match &row.subject {
        Subject::AllLocks => "all locks".to_owned(),
        Subject::Several(name) => name.clone(),
        Subject::Site { lock, caller: Some(caller), .. } => format!("`{}` from `{caller}`", lock.name),
        Subject::Site { lock, caller: None, .. } => format!("`{}` without a caller", lock.name),
        subject => format!("`{}`", subject.name()),
    }
}

/// One row: "`spinlock` rises from 3.10 % to 5.40 % of cycles (+2.30 points, n=3+3, p=0.003), more than +1pt".
pub(super) fn finding(
    row: &Row,
    condition: &Condition,
    comparison: &Comparison,
    decision: Decision,
    why: Option<Unproven>,
    tested: usize,
) -> String {
    let whole = run::whole(comparison.after.runs.iter().chain(&comparison.before.runs));
    let exists = |spread: &Spread| spread.runs.iter().any(|&share| share > 0.0);
    if !exists(&row.before) && !exists(&row.after) {
        let not = if decision == Decision::Passed { "not " } else { "" };
        return format!("there is no sample of {} on either side: {not}{}", subject(row), beyond(condition));
    }
    let figures = match condition.bound {
        Bound::Points(_) => points(row, &whole, tested),
        Bound::Share(_) => share(row, &whole),
        Bound::PerOperation(_) => cost(row, condition.bound, tested),
    };
    let not = if decision == Decision::Passed { "not " } else { "" };
    let test = comparison.settings.test;
    let reason = match (why, condition.proof, decision) {
        (Some(why), ..) => format!(", but {}", reason(why, test)),
        (None, Proof::Dropped, Decision::Tripped) => ", and no proof was asked for".to_owned(),
        _ => String::new(),
    };
    format!("{figures}, {not}{}{reason}", beyond(condition))
}

/// All rows of a condition together.
pub(super) fn all(condition: &Condition, decision: Decision, tested: usize, findings: &[Finding]) -> String {
    let kind = match &condition.scope {
        Scope::Each(each) => plural(*each),
        Scope::Total | Scope::Sites(_) => {
            return findings.first().map_or_else(String::new, |finding| finding.sentence.clone());
        }
    };
    let Some(first) = findings.first() else {
        return format!("there is no sample of a lock on either side: not {}", beyond(condition));
    };
    let n = findings.len();
    match decision {
        Decision::Passed => format!("none of {tested} {kind}; the closest: {}", first.sentence),
        _ if n == 1 => format!("1 of {tested} {kind}: {}", first.sentence),
        _ => format!("{n} of {tested} {kind}, the first of them: {}", first.sentence),
    }
}

fn plural(each: Each) -> &'static str {
    match each {
        Each::Family => "families",
        Each::Lock => "locks",
        Each::Caller => "callers",
        Each::Site => "call sites",
    }
}

fn beyond(condition: &Condition) -> String {
    let word = match (condition.direction, condition.bound) {
        (Direction::Above, _) => "more than",
        (Direction::Below, Bound::Share(_)) => "less than",
        // "less than -5pt" is a riddle; "beyond" is what a fall is.
        (Direction::Below, _) => "beyond",
    };
    format!("{word} {}", condition.bound)
}

fn reason(why: Unproven, test: Test) -> String {
    match why {
        Unproven::SingleRun => {
            "a side has fewer than two runs, so that nothing can be tested: record more".to_owned()
        }
        Unproven::FewRuns => match test {
            Test::Range => format!("the range test needs {MIN_RANGE_RUNS} runs on a side"),
            Test::Rank | Test::Welch => format!("the rank test needs {MIN_RANK_RUNS} runs on both sides"),
        },
        Unproven::NoSpread => {
            "no run differs from another on its side, so that nothing can be tested".to_owned()
        }
        Unproven::Noise => "that is within noise".to_owned(),
        Unproven::Straddles => "the bound lies in the interval".to_owned(),
    }
}

fn points(row: &Row, whole: &str, tested: usize) -> String {
    format!(
        "{} {} {whole} ({:+.2} points, {})",
        subject(row),
        moves(&row.before, &row.after),
        100.0 * row.points,
        evidence(row, Bound::Points(0.0), tested)
    )
}

fn cost(row: &Row, bound: Bound, tested: usize) -> String {
    let (before, after, _) = sides(row, bound);
    let change = match figure(row, bound) {
        change if change.is_finite() => format!("{change:+.1} %"),
        _ => "new".to_owned(),
    };
    format!(
        "the cost of an operation in {} {} what one cost before ({change}, {})",
        subject(row),
        moves(before, after),
        evidence(row, bound, tested)
    )
}

/// "rises from 3.10 % to 5.40 % of".
fn moves(before: &Spread, after: &Spread) -> String {
    let verb = match after.mean.total_cmp(&before.mean) {
        std::cmp::Ordering::Less => "falls",
        std::cmp::Ordering::Greater => "rises",
        std::cmp::Ordering::Equal => return format!("stays at {:.2} % of", 100.0 * after.mean),
    };
    format!("{verb} from {:.2} % to {:.2} % of", 100.0 * before.mean, 100.0 * after.mean)
}

fn share(row: &Row, whole: &str) -> String {
    let interval = mean_interval(&row.after.runs).map_or_else(String::new, |interval| {
        format!(", 95 % interval {:.2} % to {:.2} %", 100.0 * interval.low, 100.0 * interval.high)
    });
    format!(
        "{} takes {:.2} % of {whole} after (n={}{interval})",
        subject(row),
        100.0 * row.after.mean,
        row.after.runs.len()
    )
}

/// `n=3+3, p=0.003`; where several rows were tested, p is adjusted for that.
fn evidence(row: &Row, bound: Bound, tested: usize) -> String {
    let (before, after, p) = sides(row, bound);
    let mut text = format!("n={}+{}", before.runs.len(), after.runs.len());
    match p {
        Some(p) if p < 0.001 => text.push_str(", p<0.001"),
        Some(p) => text.push_str(&format!(", p={p:.3}")),
        None => {}
    }
    if p.is_some() && tested > 1 {
        text.push_str(&format!(" adjusted for {tested} tests"));
    }
    text
}
