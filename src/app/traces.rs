//! The robot's table: rows of call traces and functions over runs, and the benchmark's own figures beside them.

use std::collections::BTreeMap;

use super::input::Run;
use crate::lock::trace;
use crate::metric::{Figure, Heads, MetricTable, Row, Section};
use crate::profile::Profile;
use crate::stats::range_differs;
use crate::symbol::Symbol;

/// A share below which on all runs a row is not the robot's, in percent.
const LEAST: f64 = 0.05;

/// Which rows a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Those that the robot's criterion takes.
    Changed,
    /// All.
    All,
}

/// Rows of one side against another: `perf-profile.children.cycles.…` and the like.
pub(super) fn of_sides(before: (&str, &[Run]), after: (&str, &[Run]), rows: Rows) -> MetricTable {
    let shares = |runs: &[Run]| -> Vec<BTreeMap<String, f64>> {
        runs.iter().map(|run| trace::shares(&run.profile, run.event, &event(&run.info.event))).collect()
    };
    let heads = Heads { before: before.0.to_owned(), after: after.0.to_owned(), closing_blanks: None };
    let mut table = of_shares(&shares(before.1), &shares(after.1));
    if rows == Rows::Changed {
        table.retain(is_changed);
    }
    MetricTable { sections: vec![Section { heading: Vec::new(), heads: Some(heads), rows: table }] }
}

/// Rows of one side alone.
pub(super) fn of_runs(runs: &[(&Profile<Symbol>, u16, &str)]) -> MetricTable {
    let shares: Vec<_> =
        runs.iter().map(|(profile, at, name)| trace::shares(profile, *at, &event(name))).collect();
    MetricTable {
        sections: vec![Section { heading: Vec::new(), heads: None, rows: of_shares(&shares, &[]) }],
    }
}

/// Keeps the rows of the benchmark's own figures that the robot's criterion takes; totals stay.
pub(super) fn changed(table: &MetricTable) -> MetricTable {
    let mut table = table.clone();
    for section in &mut table.sections {
        section.rows.retain(|row| !matches!(row.before, Figure::Runs(_)) || is_changed(row));
    }
    table.sections.retain(|section| !section.rows.is_empty());
    table
}

fn is_changed(row: &Row) -> bool {
    let runs = |figure: &Figure| match figure {
        Figure::Runs(runs) => runs.clone(),
        _ => Vec::new(),
    };
    range_differs(&runs(&row.before), &runs(&row.after))
}

/// An event as the robot writes it in a name, without what would end a part of the name.
fn event(name: &str) -> String {
    name.replace([':', '/', '.', ' '], "-")
}

fn of_shares(before: &[BTreeMap<String, f64>], after: &[BTreeMap<String, f64>]) -> Vec<Row> {
    let mut names: BTreeMap<&String, f64> = BTreeMap::new();
    for (name, share) in before.iter().chain(after).flatten() {
        let largest = names.entry(name).or_default();
        *largest = largest.max(*share);
    }
    let figure = |runs: &[BTreeMap<String, f64>], name: &String| match runs {
        [] => Figure::Absent,
        runs => Figure::Runs(runs.iter().map(|run| run.get(name).copied().unwrap_or(0.0)).collect()),
    };
    let mut rows: Vec<(u8, f64, Row)> = names
        .into_iter()
        .filter(|(_, share)| *share >= LEAST)
        .map(|(name, share)| {
            let kind = ["calltrace", "children", "self"].iter().position(|kind| name.starts_with(kind));
            let row = Row::new(&format!("perf-profile.{name}"), figure(before, name), figure(after, name));
            (kind.unwrap_or(3) as u8, share, row)
        })
        .collect();
    // The robot's order: kinds, and in them the largest first; ties by name, in which the map has them.
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    rows.into_iter().map(|(_, _, row)| row).collect()
}
