//! The shape of `perf report --stdio`, both sides in a row: locks, and their call sites as branches.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::super::column::by_lock;
use super::super::escape::visible;
use super::super::label::short;
use super::super::total::shown;
use crate::compare::comparability::workload;
use crate::compare::{Comparison, Row, Subject};
use crate::report::difference::Difference;

/// Branches below this part of their lock on both sides are summed up, as perf does.
const LIMIT: f64 = 0.005;
/// The longest name that the kernel gives a thread.
const COMM: usize = 15;

/// Shares of the total before and after.
type Shares = (f64, f64);

/// The shape of `perf report --stdio`, both sides in a row. Percentages of branches are of their lock.
///
/// # Errors
/// Those of `out`.
pub fn perf(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let comm = comm(comparison);
    writeln!(out, "# {}\n#", visible(&difference.headline))?;
    let command = "Command";
    let width = comm.chars().count().max(command.len());
    writeln!(out, "#  Before    After   Points  {command:width$}  {:17}  Symbol", "Shared Object")?;
    writeln!(out, "#")?;
    let shown: BTreeSet<&Subject> = shown(difference).iter().map(|row| &row.subject).collect();
    let is_shown = |row: &Row| shown.contains(&row.subject);
    for group in by_lock(&comparison.rows) {
        // A lock with a shown site is shown with the sum of all its sites.
        if !group.iter().any(|row| is_shown(row)) {
            continue;
        }
        let whole = sum(&group);
        let name = match &group[0].subject {
            Subject::Site { lock, .. } => lock.name.clone(),
            subject => subject.name().to_owned(),
        };
        let is_user = group[0].subject.family().is_some_and(|family| family.is_user());
        let (object, space) = if is_user { ("[user]", '.') } else { ("[kernel.kallsyms]", 'k') };
        writeln!(out)?;
        writeln!(
            out,
            "{:>8.2}% {:>7.2}%  {:>+7.2}  {comm:width$}  {object:17}  [{space}] {}",
            100.0 * whole.0,
            100.0 * whole.1,
            100.0 * (whole.1 - whole.0),
            visible(&name)
        )?;
        if matches!(group[0].subject, Subject::Site { .. }) {
            branches(&group, whole, is_shown, out)?;
        }
    }
    Ok(())
}

fn branches(
    group: &[&Row],
    whole: Shares,
    is_shown: impl Fn(&Row) -> bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let reaches = |of: f64, whole: f64| of > 0.0 && of >= LIMIT * whole;
    let is_large = |row: &Row| reaches(row.before.mean, whole.0) || reaches(row.after.mean, whole.1);
    let (own, rest): (Vec<&Row>, Vec<&Row>) =
        group.iter().copied().partition(|&row| is_shown(row) && is_large(row));
    let mut lines: Vec<(String, Shares)> =
        own.iter().map(|row| (short(&row.subject).text(), (row.before.mean, row.after.mean))).collect();
    if !rest.is_empty() {
        lines.push(("[...]".to_owned(), sum(&rest)));
    }
    let blank = " ".repeat(12);
    writeln!(out, "{blank}|")?;
    let last = lines.len().saturating_sub(1);
    for (at, (name, shares)) in lines.into_iter().enumerate() {
        let corner = if at == last { ' ' } else { '|' };
        let (before, after) = (part(shares.0, whole.0), part(shares.1, whole.1));
        writeln!(out, "{blank}{corner}--{before} -> {after}-- {name}")?;
    }
    Ok(())
}

fn sum(rows: &[&Row]) -> Shares {
    (rows.iter().map(|row| row.before.mean).sum(), rows.iter().map(|row| row.after.mean).sum())
}

/// `48.79%`, and `none` where the lock itself is not there.
fn part(of: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.2}%", 100.0 * of / whole) } else { "none".to_owned() }
}

/// What the threads of the workload are called unless they choose a name: its program.
fn comm(comparison: &Comparison) -> String {
    let run = comparison.before.runs.first().or(comparison.after.runs.first());
    let command = run.and_then(|run| run.command.as_deref()).filter(|command| command.contains(" -- "));
    let program = command.map(workload).unwrap_or_default();
    let program = program.split_whitespace().next().and_then(|path| path.rsplit('/').next());
    let name: String = program.unwrap_or("-").chars().take(COMM).collect();
    visible(&name).into_owned()
}
