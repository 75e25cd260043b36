//! The tables of one side: locks, call sites, leaf functions.

use std::io::{self, Write};

use super::table::{Cell, Head, Kind, Table};
use super::words;
use crate::lock::site::family_and_mode;
use crate::render::figure;
use crate::render::label::{self, Label};
use crate::report::page::OneSide;
use crate::report::{Cut, LockRow, Report};
use crate::run;

/// Writes them.
///
/// # Errors
/// Those of `out`.
pub(super) fn tables(side: &OneSide, whole: &str, out: &mut dyn Write) -> io::Result<()> {
    let report = &side.report;
    if report.locks.is_empty() {
        writeln!(out, "<p>No lock holds a sample.</p>")?;
    } else {
        writeln!(out, "<h3>Locks</h3>")?;
        locks(report, whole).write(out)?;
        writeln!(out, "<h3>Call sites</h3>")?;
        sites(side, whole).write(out)?;
    }
    if !report.symbols.is_empty() {
        writeln!(out, "<h3>Leaf functions</h3>")?;
        symbols(side, whole).write(out)?;
    }
    Ok(())
}

fn locks(report: &Report, whole: &str) -> Table {
    let idle = report.idle_matters();
    let mut heads = vec![Head::numbers("share", format!("% of {whole}"))];
    if idle {
        heads.push(Head::numbers("of busy time", "%"));
    }
    heads.extend([
        Head::words("lock"),
        Head::words("called most from"),
        Head::words("family"),
        Head::numbers("95 % of it in", "%"),
        Head::numbers("samples", ""),
        Head::numbers("weight", unit(report)),
    ]);
    let width = heads.len();
    let row = |row: &LockRow| {
        let mut cells = vec![Cell::share(&row.share)];
        if idle {
            cells.push(Cell::number(figure::share(&row.busy_share), row.busy_share.mean));
        }
        let interval = row.interval;
        cells.extend([
            Cell::Subject(Label::name(&row.lock.name)),
            Cell::Words(main_caller(row)),
            Cell::text(&family_and_mode(row.lock.family, row.lock.mode)),
            Cell::number(interval.map_or_else(String::new, words::interval), interval.map(|i| i.low)),
            Cell::count(report.counted(row.samples)),
            Cell::count(report.counted(row.weight.0)),
        ]);
        cells
    };
    let mut sums: Vec<Vec<Cell>> =
        report.cut.iter().map(|cut| cut_row(cut, width, if idle { 2 } else { 1 })).collect();
    let all = &report.contention;
    let mut cells = vec![Cell::number(figure::share(&all.share), all.share.mean)];
    if idle {
        cells.push(Cell::number(figure::share(&all.busy_share), all.busy_share.mean));
    }
    let name = if report.is_whole { "all locks" } else { "the chosen locks" };
    cells.extend([Cell::Subject(Label::words(name)), Cell::nothing(), Cell::nothing(), Cell::nothing()]);
    cells.extend([Cell::count(report.counted(all.samples)), Cell::count(report.counted(all.weight.0))]);
    sums.push(cells);
    let mut notes = vec![format!("share = weight of the lock's samples / all {whole}")];
    match report.runs.len() {
        0 | 1 => {
            notes.push("95 % of it in = within this one run, jackknife over 20 blocks of time".to_owned())
        }
        _ => {
            notes.push("± = sample deviation of the runs, in points".to_owned());
            notes.push("95 % of it in = t interval of the mean of the runs".to_owned());
        }
    }
    Table {
        id: "locks".to_owned(),
        caption: format!("Locks by their share of {whole}"),
        kind: Kind::Sortable,
        heads,
        rows: report.locks.iter().map(row).collect(),
        sums,
        notes,
    }
}

/// `99.95 % from NAME`.
fn main_caller(row: &LockRow) -> String {
    let Some(first) = row.callers.first() else { return String::new() };
    let part = if row.share.mean > 0.0 { first.share.mean / row.share.mean } else { 0.0 };
    let caller = first.caller.as_ref().map(|caller| caller.name.as_str());
    format!("{} {}", figure::percent(part), words::label(&label::caller(caller, &first.through)))
}

fn sites(side: &OneSide, whole: &str) -> Table {
    let report = &side.report;
    let row = |row: &crate::report::page::SiteRow| {
        let caller = &row.caller;
        let of_lock = if row.of.mean > 0.0 { caller.share.mean / row.of.mean } else { 0.0 };
        let name = caller.caller.as_ref().map(|caller| caller.name.as_str());
        vec![
            Cell::share(&caller.share),
            Cell::number(figure::percent(of_lock), of_lock),
            Cell::Subject(label::caller(name, &caller.through)),
            Cell::Words(words::name(&row.lock.name)),
            Cell::count(report.counted(caller.samples)),
            Cell::count(report.counted(caller.weight.0)),
        ]
    };
    Table {
        id: "sites".to_owned(),
        caption: "Functions that take locks".to_owned(),
        kind: Kind::Sortable,
        heads: vec![
            Head::numbers("share", format!("% of {whole}")),
            Head::numbers("of the lock", "%"),
            Head::words("call site"),
            Head::words("lock"),
            Head::numbers("samples", ""),
            Head::numbers("weight", unit(report)),
        ],
        rows: side.sites.iter().map(row).collect(),
        sums: side.sites_cut.iter().map(|cut| cut_row(cut, 6, 2)).collect(),
        notes: vec!["of the lock = the call site's share / the lock's share".to_owned()],
    }
}

fn symbols(side: &OneSide, whole: &str) -> Table {
    let report = &side.report;
    let row = |row: &crate::report::SymbolRow| {
        vec![
            Cell::share(&row.share),
            Cell::Subject(Label::name(&row.function.name)),
            Cell::Words(words::name(&row.function.module)),
            Cell::count(report.counted(row.samples)),
            Cell::count(report.counted(row.weight.0)),
        ]
    };
    Table {
        id: "symbols".to_owned(),
        caption: "Functions in which samples lie, locks or not".to_owned(),
        kind: Kind::Sortable,
        heads: vec![
            Head::numbers("self share", format!("% of {whole}")),
            Head::words("function"),
            Head::words("module"),
            Head::numbers("samples", ""),
            Head::numbers("weight", unit(report)),
        ],
        rows: report.symbols.iter().map(row).collect(),
        sums: side.symbols_cut.iter().map(|cut| cut_row(cut, 5, 1)).collect(),
        notes: vec![format!("self share = weight of the function's own samples / all {whole}")],
    }
}

fn unit(report: &Report) -> &'static str {
    run::unit(&report.runs)
}

/// The sum of rows that are not shown: its share first, and how many in the column of subjects.
fn cut_row(cut: &Cut, width: usize, subject: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = (0..width).map(|_| Cell::nothing()).collect();
    cells[0] = Cell::number(figure::share(&cut.share), cut.share.mean);
    cells[subject] = Cell::Subject(Label::words(format!("{} more", cut.rows)));
    cells
}
