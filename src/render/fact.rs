//! Facts of runs for people: what was recorded, where, and how; of two sides, with what differs called out.

use crate::compare::comparability::workload;
use crate::run::{self, RunInfo};

/// Different values of one fact that are shown.
const VALUES: usize = 2;

/// What stands for a fact that is not known.
pub(super) const UNKNOWN: &str = "-";

/// A fact of two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    /// What it is.
    pub(super) label: &'static str,
    /// Before.
    pub(super) before: String,
    /// After.
    pub(super) after: String,
    /// Whether the sides should agree in it.
    pub(super) kind: Kind,
}

/// Whether the sides should agree in a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// They should.
    Condition,
    /// It is counted, and differs by nature.
    Count,
}

impl Fact {
    /// Whether the sides differ in what they should agree in.
    pub(super) fn differs(&self) -> bool {
        let is_known = self.before != UNKNOWN && self.after != UNKNOWN;
        self.kind == Kind::Condition && is_known && self.before != self.after
    }

    /// Both sides in one text.
    pub(super) fn text(&self) -> String {
        if self.before == self.after && self.kind == Kind::Condition {
            return self.before.clone();
        }
        let mark = if self.differs() { " (differs)" } else { "" };
        format!("{} before, {} after{mark}", self.before, self.after)
    }
}

/// Codes of warnings that say what [`Fact::differs`] calls out.
pub(super) const CALLED_OUT: [&str; 6] =
    ["rates-differ", "kernels-differ", "cpus-differ", "machines-differ", "commands-differ", "events-differ"];

/// The facts of two sides.
pub(super) fn of_sides(before: &[RunInfo], after: &[RunInfo]) -> Vec<Fact> {
    let sides = of_runs(before).into_iter().zip(of_runs(after));
    sides.map(|((label, kind, before), (_, _, after))| Fact { label, before, after, kind }).collect()
}

/// The facts of runs.
pub(super) fn of_runs(runs: &[RunInfo]) -> Vec<(&'static str, Kind, String)> {
    let known = |of: fn(&RunInfo) -> Option<String>| joined(runs, of);
    let count = |of: fn(&RunInfo) -> Option<u64>| {
        run::total(runs, of).map_or_else(|| UNKNOWN.to_owned(), |n| n.to_string())
    };
    let seconds = || {
        let sum: Option<f64> = runs.iter().map(|run| run.duration.map(|d| d.seconds())).sum();
        let mean = sum.filter(|_| !runs.is_empty()).map(|sum| sum / runs.len() as f64);
        mean.map_or_else(|| UNKNOWN.to_owned(), |mean| format!("{mean:.1}"))
    };
    // Counts of what is not whole are no totals.
    let parts = runs.iter().filter(|run| run.truncated.is_some()).count();
    let whole = match parts {
        0 => String::new(),
        n => format!(" ({n} not whole)"),
    };
    vec![
        ("kernel", Kind::Condition, known(|run| run.kernel.clone())),
        ("machine", Kind::Condition, known(machine)),
        ("CPUs", Kind::Condition, known(|run| run.cpus.map(|n| n.to_string()))),
        ("event", Kind::Condition, known(|run| Some(event(run)))),
        ("command", Kind::Condition, known(|run| run.command.as_deref().map(workload))),
        ("s/run", Kind::Count, seconds()),
        ("samples", Kind::Count, count(|run| run.samples)),
        ("lost", Kind::Count, count(|run| run.samples.map(|_| run.lost))),
        ("runs", Kind::Count, format!("{}{whole}", runs.len())),
    ]
}

fn machine(run: &RunInfo) -> Option<String> {
    match (&run.cpu_model, &run.arch) {
        (Some(model), Some(arch)) => Some(format!("{model}, {arch}")),
        (model, arch) => model.clone().or(arch.clone()),
    }
}

fn event(run: &RunInfo) -> String {
    match run.rate {
        Some(rate) => format!("{}, {rate}", run.event),
        None => run.event.clone(),
    }
}

/// The different values in the order of the runs.
fn joined(runs: &[RunInfo], of: fn(&RunInfo) -> Option<String>) -> String {
    let mut values: Vec<String> = Vec::new();
    for value in runs.iter().filter_map(of) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    match values.len() {
        0 => UNKNOWN.to_owned(),
        n if n <= VALUES => values.join(" and "),
        n => format!("{} and {} more", values[..VALUES].join(", "), n - VALUES),
    }
}
