//! The rows of a report as text, which terminal, mail and page lay out each in its way.

use super::escape::visible;
use super::label::{self, Label};
use crate::lock::choice::By;
use crate::lock::site::family_and_mode;
use crate::report::sentence::percent;
use crate::report::{CallerRow, GroupRow, LockRow, Report, SymbolRow};
use crate::stats::{Interval, Spread};

/// Callers of a lock that are shown.
const CALLERS: usize = 5;
/// Leaf functions that are shown.
const SYMBOLS: usize = 30;

/// Rows of equal columns.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Of each cell, and last of the labels.
    pub(super) heads: Vec<&'static str>,
    /// Cells, one fewer than heads, and the label.
    pub(super) rows: Vec<(Vec<String>, Label)>,
}

impl Rows {
    fn without(mut self, head: &str) -> Self {
        if let Some(at) = self.heads.iter().position(|own| *own == head) {
            self.heads.remove(at);
            self.rows.iter_mut().for_each(|(cells, _)| drop(cells.remove(at)));
        }
        self
    }
}

/// How many columns there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// All.
    Wide,
    /// Those that numbers need: families are left out, and objects stand in the labels.
    Narrow,
}

/// The rows that a report was asked for.
pub(super) fn rows(report: &Report, room: Room) -> Rows {
    let rows = match report.by {
        By::Lock => locks(report),
        By::Site => sites(report, room),
        By::Symbol => return symbols(report, room),
        By::Comm | By::Cpu | By::Path => groups(report, room),
    };
    if room == Room::Narrow { rows.without("family") } else { rows }
}

/// What the columns of [`rows`] are computed by, a line each.
pub(super) fn formulas(report: &Report) -> Vec<String> {
    let whole = report.runs.first().map_or_else(|| "events".to_owned(), |run| run.unit.whole(&run.event));
    let of = match report.by {
        By::Symbol => "the function's own samples",
        _ => "the lock's samples",
    };
    let mut lines = vec![format!("share = weight of {of} / all {whole}, in %")];
    match (report.by, report.runs.len()) {
        (_, 2..) => lines.push("± = sample deviation of the runs, in points".to_owned()),
        (By::Lock, _) => {
            lines.push("95 % of it in = within this one run, jackknife over 20 blocks of time".to_owned());
        }
        _ => {}
    }
    if report.by == By::Lock {
        if report.runs.len() > 1 {
            lines.push("95 % of it in = t interval of the mean of the runs".to_owned());
        }
        lines.push("of lock = the caller's share / the lock's share".to_owned());
    }
    lines
}

/// What locks sum to, and what is not theirs.
pub(super) fn totals(report: &Report) -> String {
    let contention = &report.contention;
    let mut parts = vec![format!("locks together {}", percent(&contention.share))];
    if report.idle_matters() {
        parts.push(format!("of busy time {}", percent(&contention.busy_share)));
        parts.push(format!("idle {}", percent(&report.idle)));
    }
    let unlock: Vec<String> = report
        .unlock
        .iter()
        .filter(|(_, spread)| spread.mean >= 0.0005)
        .map(|(family, spread)| format!("{} unlock {}", family.word(), percent(spread)))
        .collect();
    if !unlock.is_empty() {
        parts.push(format!("not counted as waiting: {}", unlock.join(", ")));
    }
    parts.join("; ")
}

/// `89.92 %`, over runs with the deviation.
fn share(spread: &Spread) -> String {
    match spread.stddev {
        Some(stddev) => format!("{:.2} % ±{:.2}", 100.0 * spread.mean, 100.0 * stddev),
        None => format!("{:.2} %", 100.0 * spread.mean),
    }
}

fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |i| format!("{:.1}..{:.1}", 100.0 * i.low, 100.0 * i.high))
}

fn part(of: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * of / whole) } else { String::new() }
}

fn caller_label(row: &CallerRow) -> Label {
    label::caller(row.caller.as_ref().map(|caller| caller.name.as_str()), &row.through)
}

fn locks(report: &Report) -> Rows {
    let mut rows: Vec<_> = report.locks.iter().flat_map(lock_rows).collect();
    if let Some(cut) = &report.cut {
        let mut cells = vec![String::new(); 5];
        cells[0] = share(&cut.share);
        rows.push((cells, Label::words(format!("{} more", cut.rows))));
    }
    Rows { heads: vec!["share", "95 % of it in", "of lock", "samples", "family", "lock, <- call site"], rows }
}

fn lock_rows(row: &LockRow) -> Vec<(Vec<String>, Label)> {
    let own = vec![
        share(&row.share),
        interval(row.interval),
        String::new(),
        row.samples.to_string(),
        family_and_mode(row.lock.family, row.lock.mode),
    ];
    let mut rows = vec![(own, Label::name(&row.lock.name))];
    let line = |spread: &Spread, samples: u64, label: Label| {
        let of_lock = part(spread.mean, row.share.mean);
        let cells = vec![share(spread), String::new(), of_lock, samples.to_string(), String::new()];
        (cells, Label::words("  <- ").and(label))
    };
    for caller in row.callers.iter().take(CALLERS) {
        rows.push(line(&caller.share, caller.samples, caller_label(caller)));
    }
    if let Some(rest) = row.callers.get(CALLERS..).filter(|rest| !rest.is_empty()) {
        let spread = sum(rest.iter().map(|caller| &caller.share));
        let samples = rest.iter().map(|caller| caller.samples).sum();
        rows.push(line(&spread, samples, Label::words(format!("{} more", rest.len()))));
    }
    rows
}

/// Rows that a mail shows.
const NARROW: usize = 12;

/// How many of its rows a table shows.
fn limit(room: Room, wide: usize) -> usize {
    if room == Room::Narrow { NARROW } else { wide }
}

/// What rows that are not shown sum to, run by run.
fn sum<'a>(shares: impl Iterator<Item = &'a Spread>) -> Spread {
    let mut runs: Vec<f64> = Vec::new();
    for spread in shares {
        runs.resize(spread.runs.len(), 0.0);
        runs.iter_mut().zip(&spread.runs).for_each(|(sum, share)| *sum += share);
    }
    Spread::over(runs)
}

fn sites(report: &Report, room: Room) -> Rows {
    let mut sites: Vec<_> =
        report.locks.iter().flat_map(|row| row.callers.iter().map(move |caller| (row, caller))).collect();
    sites.sort_by(|a, b| b.1.share.mean.total_cmp(&a.1.share.mean));
    let rest = sites.split_off(limit(room, usize::MAX).min(sites.len()));
    let site = |(row, caller): (&LockRow, &CallerRow)| {
        let family = family_and_mode(row.lock.family, row.lock.mode);
        let label = Label::name(&row.lock.name).then(" <- ").and(caller_label(caller));
        (vec![share(&caller.share), caller.samples.to_string(), family], label)
    };
    let mut rows: Vec<_> = sites.into_iter().map(site).collect();
    let of_locks = |n: usize| format!("those of {n} more lock{}", if n == 1 { "" } else { "s" });
    let further = match (rest.len(), report.cut.as_ref().map_or(0, |cut| cut.rows)) {
        (0, 0) => None,
        (sites, 0) => Some(format!("{sites} more")),
        (0, locks) => Some(of_locks(locks)),
        (sites, locks) => Some(format!("{sites} more, and {}", of_locks(locks))),
    };
    if let Some(label) = further {
        let shares = rest.iter().map(|(_, caller)| &caller.share);
        let whole = sum(shares.chain(report.cut.as_ref().map(|cut| &cut.share)));
        rows.push((vec![share(&whole), String::new(), String::new()], Label::words(label)));
    }
    Rows { heads: vec!["share", "samples", "family", By::Site.head()], rows }
}

fn symbols(report: &Report, room: Room) -> Rows {
    let row = |row: &SymbolRow| {
        let mut cells = vec![share(&row.share), row.samples.to_string()];
        if room == Room::Narrow {
            return (cells, label::function(&row.function));
        }
        cells.push(visible(&row.function.module).into_owned());
        (cells, Label::name(&row.function.name))
    };
    let (shown, rest) = report.symbols.split_at(limit(room, SYMBOLS).min(report.symbols.len()));
    let mut rows: Vec<_> = shown.iter().map(row).collect();
    let mut heads = vec!["self share", "samples", "module", By::Symbol.head()];
    if room == Room::Narrow {
        heads.retain(|head| *head != "module");
    }
    if !rest.is_empty() {
        let samples: u64 = rest.iter().map(|row| row.samples).sum();
        let mut cells = vec![share(&sum(rest.iter().map(|row| &row.share))), samples.to_string()];
        cells.resize(heads.len() - 1, String::new());
        rows.push((cells, Label::words(format!("{} more", rest.len()))));
    }
    Rows { heads, rows }
}

fn groups(report: &Report, room: Room) -> Rows {
    let cells = |of: &Spread, samples: u64| {
        vec![share(of), part(of.mean, report.contention.share.mean), samples.to_string()]
    };
    let row = |row: &GroupRow| (cells(&row.share, row.samples), Label::name(&row.label));
    let (shown, rest) = report.groups.split_at(limit(room, usize::MAX).min(report.groups.len()));
    let mut rows: Vec<_> = shown.iter().map(row).collect();
    if !rest.is_empty() {
        let samples = rest.iter().map(|row| row.samples).sum();
        let whole = sum(rest.iter().map(|row| &row.share));
        rows.push((cells(&whole, samples), Label::words(format!("{} more", rest.len()))));
    }
    Rows { heads: vec!["share", "of locks", "samples", report.by.head()], rows }
}
