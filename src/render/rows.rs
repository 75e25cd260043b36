//! The rows of a report as text, which terminal, mail and page lay out each in its way.

use super::escape::visible;
use super::label::{self as labels, Label};
use crate::lock::choice::By;
use crate::lock::site::family_and_mode;
use crate::report::sentence::percent;
use crate::report::{CallerRow, GroupRow, LockRow, Report, SymbolRow};
use crate::run;
use crate::stats::{Interval, Spread};

/// Callers of a lock that are shown.
const CALLERS: usize = 5;

/// Rows of equal columns.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Of each cell, and last of the labels.
    pub(super) heads: Vec<&'static str>,
    /// Cells, one fewer than heads, and the label.
    pub(super) rows: Vec<(Vec<String>, Label)>,
}

impl Rows {
    /// With a last row that says what the limits cut off: its share in the first column, how many rows in the last.
    fn with_cut(mut self, report: &Report) -> Self {
        if let Some(cut) = &report.cut {
            let mut cells = vec![String::new(); self.heads.len() - 1];
            cells[0] = share(&cut.share);
            self.rows.push((cells, Label::words(format!("{} more", cut.rows))));
        }
        self
    }

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
        By::Site => sites(report),
        By::Symbol => symbols(report, room),
        By::Comm | By::Cpu | By::Path => groups(report),
    };
    let rows = rows.with_cut(report);
    if room == Room::Narrow { rows.without("family") } else { rows }
}

/// What the columns of [`rows`] are computed by, a line each.
pub(super) fn formulas(report: &Report) -> Vec<String> {
    let whole = run::whole(&report.runs);
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

/// A number of samples, where it was counted.
fn samples(report: &Report, n: u64) -> String {
    report.counted(n).map_or_else(|| "-".to_owned(), |n| n.to_string())
}

fn part(of: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * of / whole) } else { String::new() }
}

fn caller_label(row: &CallerRow) -> Label {
    labels::caller(row.caller.as_ref().map(|caller| caller.name.as_str()), &row.through)
}

fn locks(report: &Report) -> Rows {
    let rows: Vec<_> = report.locks.iter().flat_map(|row| lock_rows(report, row)).collect();
    Rows { heads: vec!["share", "95 % of it in", "of lock", "samples", "family", "lock, <- call site"], rows }
}

fn lock_rows(report: &Report, row: &LockRow) -> Vec<(Vec<String>, Label)> {
    let own = vec![
        share(&row.share),
        interval(row.interval),
        String::new(),
        samples(report, row.samples),
        family_and_mode(row.lock.family, row.lock.mode),
    ];
    let mut rows = vec![(own, Label::name(&row.lock.name))];
    let line = |spread: &Spread, n: u64, label: Label| {
        let of_lock = part(spread.mean, row.share.mean);
        let cells = vec![share(spread), String::new(), of_lock, samples(report, n), String::new()];
        (cells, Label::words("  <- ").and(label))
    };
    for caller in row.callers.iter().take(CALLERS) {
        rows.push(line(&caller.share, caller.samples, caller_label(caller)));
    }
    if let Some(rest) = row.callers.get(CALLERS..).filter(|rest| !rest.is_empty()) {
        let of_run = |run: usize| rest.iter().map(|caller| caller.share.runs[run]).sum::<f64>();
        let spread = Spread::over((0..row.share.runs.len()).map(of_run).collect());
        let n = rest.iter().map(|caller| caller.samples).sum();
        rows.push(line(&spread, n, Label::words(format!("{} more", rest.len()))));
    }
    rows
}

fn sites(report: &Report) -> Rows {
    let mut sites: Vec<_> =
        report.locks.iter().flat_map(|row| row.callers.iter().map(move |caller| (row, caller))).collect();
    sites.sort_by(|a, b| b.1.share.mean.total_cmp(&a.1.share.mean));
    let site = |(row, caller): (&LockRow, &CallerRow)| {
        let family = family_and_mode(row.lock.family, row.lock.mode);
        let label = Label::name(&row.lock.name).then(" <- ").and(caller_label(caller));
        (vec![share(&caller.share), samples(report, caller.samples), family], label)
    };
    Rows {
        heads: vec!["share", "samples", "family", By::Site.head()],
        rows: sites.into_iter().map(site).collect(),
    }
}

fn symbols(report: &Report, room: Room) -> Rows {
    let row = |row: &SymbolRow| {
        let mut cells = vec![share(&row.share), samples(report, row.samples)];
        if room == Room::Narrow {
            return (cells, labels::function(&row.function));
        }
        cells.push(visible(&row.function.module).into_owned());
        (cells, Label::name(&row.function.name))
    };
    let rows = report.symbols.iter().map(row).collect();
    let heads = vec!["self share", "samples", "module", By::Symbol.head()];
    match room {
        Room::Wide => Rows { heads, rows },
        Room::Narrow => Rows { heads: heads.into_iter().filter(|head| *head != "module").collect(), rows },
    }
}

fn groups(report: &Report) -> Rows {
    let row = |row: &GroupRow| {
        let of_locks = part(row.share.mean, report.contention.share.mean);
        (vec![share(&row.share), of_locks, samples(report, row.samples)], Label::name(&label(report, row)))
    };
    let rows = report.groups.iter().map(row).collect();
    Rows { heads: vec!["share", "of locks", "samples", report.by.head()], rows }
}

/// Processors stand right-aligned, so that their digits do.
fn label(report: &Report, row: &GroupRow) -> String {
    if report.by == By::Cpu { format!("{:>3}", row.label) } else { row.label.clone() }
}
