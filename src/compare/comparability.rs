//! Whether two sides can be compared at all: what differs besides the change.

use std::collections::BTreeSet;

use super::{Comparison, Side};
use crate::run::{RunInfo, Warning};

/// Parts of durations, totals and frames that may differ without a word.
const DURATION: f64 = 0.2;
const TOTAL: f64 = 0.05;
const UNNAMED: f64 = 0.1;
const LOST: f64 = 0.01;

/// The events of both sides, where they are not the same.
pub fn different_events(comparison: &Comparison) -> Option<(String, String)> {
    let events = |side: &Side| values(side, |run| Some(base(&run.event).to_owned()));
    let (before, after) = (events(&comparison.before), events(&comparison.after));
    (before != after).then(|| (join(&before), join(&after)))
}

/// An event without the recorder's modifiers: `cycles:P` and `cycles` count the same.
pub fn base(event: &str) -> &str {
    match event.rsplit_once(':') {
        Some((base, modifier))
            if !base.contains(':') && modifier.chars().all(|c| "ukhHGpPSDWeb".contains(c)) =>
        {
            base
        }
        _ => event,
    }
}

/// Each difference that is not the change itself.
pub fn warnings(comparison: &Comparison) -> Vec<Warning> {
    let (before, after) = (&comparison.before, &comparison.after);
    let mut found = Vec::new();
    let mut differ = |code: &'static str, what: &str, of: fn(&RunInfo) -> Option<String>| {
        let (one, other) = (values(before, of), values(after, of));
        if one != other && !one.is_empty() && !other.is_empty() {
            found.push(warning(
                code,
                format!("{what} differs: {} before, {} after", join(&one), join(&other)),
            ));
        }
    };
    differ("rates-differ", "the sampling rate", |run| run.rate.map(|rate| rate.to_string()));
    differ("kernels-differ", "the kernel", |run| run.kernel.clone());
    differ("cpus-differ", "the number of CPUs", |run| run.cpus.map(|n| n.to_string()));
    differ("machines-differ", "the machine", |run| run.cpu_model.clone());
    differ("commands-differ", "the command", |run| run.command.as_deref().map(workload));
    if let Some((one, other)) = different_events(comparison) {
        found.push(warning("events-differ", format!("the event differs: {one} before, {other} after")));
    }
    found.extend(numbers(comparison));
    found.extend(twice(before, after));
    found
}

fn numbers(comparison: &Comparison) -> Vec<Warning> {
    let (before, after) = (&comparison.before, &comparison.after);
    let mut found = Vec::new();
    let seconds = |run: &RunInfo| run.duration.map(|d| d.seconds());
    if let (Some(one), Some(other)) = (mean(before, seconds), mean(after, seconds))
        && differs(one, other, DURATION)
    {
        found.push(warning(
            "durations-differ",
            format!("the duration differs: {one:.1} s before, {other:.1} s after"),
        ));
    }
    let lost = |run: &RunInfo| Some(run.lost as f64 / (run.lost as f64 + run.samples? as f64).max(1.0));
    if let (Some(one), Some(other)) = (mean(before, lost), mean(after, lost))
        && one.max(other) > LOST
    {
        let text = format!("{:.1} % of samples were lost before, {:.1} % after", 100.0 * one, 100.0 * other);
        found.push(warning("lost-differ", text));
    }
    let unnamed = |run: &RunInfo| Some(run.unnamed_share);
    if let (Some(one), Some(other)) = (mean(before, unnamed), mean(after, unnamed))
        && (one - other).abs() > UNNAMED
    {
        let text = format!(
            "{:.1} % of frames have no name before, {:.1} % after: give both sides their symbols",
            100.0 * one,
            100.0 * other
        );
        found.push(warning("names-differ", text));
    }
    if comparison.throughput.is_none()
        && let (Some(one), Some(other)) = (&before.rate, &after.rate)
        && differs(one.mean, other.mean, TOTAL)
    {
        let text = format!(
            "the total weight differs by {:+.1} % for each second and CPU: shares compare parts of different wholes; give \
             the operations done with --ops-before and --ops-after",
            100.0 * (other.mean / one.mean - 1.0)
        );
        found.push(warning("totals-differ", text));
    }
    found
}

/// The same file twice is one run, not two.
fn twice(before: &Side, after: &Side) -> Option<Warning> {
    let mut seen = BTreeSet::new();
    let again = before.runs.iter().chain(&after.runs).find(|run| !seen.insert(run.file.as_str()))?;
    let text = format!("{} is given more than once: a run counts once", again.file);
    Some(warning("run-twice", text))
}

fn warning(code: &'static str, text: String) -> Warning {
    Warning { code, text }
}

fn values(side: &Side, of: impl Fn(&RunInfo) -> Option<String>) -> BTreeSet<String> {
    side.runs.iter().filter_map(of).collect()
}

fn join(values: &BTreeSet<String>) -> String {
    values.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

fn mean(side: &Side, of: impl Fn(&RunInfo) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = side.runs.iter().map(of).collect();
    values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
}

fn differs(one: f64, other: f64, part: f64) -> bool {
    (one - other).abs() > part * one.max(other)
}

/// What a recorder was told to run: its own flags and paths are not the workload.
pub fn workload(command: &str) -> String {
    match command.split_once(" -- ") {
        Some((_, workload)) => workload.trim().to_owned(),
        None => command.to_owned(),
    }
}
