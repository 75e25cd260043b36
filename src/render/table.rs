//! Tables for a terminal.

use std::io::{self, Write};

use comfy_table::presets::{ASCII_FULL_CONDENSED, UTF8_FULL_CONDENSED};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use super::escape::visible;
use super::style::{Borders, Style, cut_middle};
use crate::report::sentence::percent;
use crate::report::{By, LockRow, Report, RunInfo, Spread};
use crate::stats::Interval;

/// Callers of a lock that a table shows.
const CALLERS: usize = 5;

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for line in wrap(&visible(&report.headline), style.width) {
        writeln!(out, "{}", style.bold(&line))?;
    }
    writeln!(out)?;
    let table = match report.by {
        By::Lock => locks(report, style),
        By::Site => sites(report, style),
        By::Symbol => symbols(report, style),
        By::Comm | By::Cpu | By::Path => groups(report, style),
    };
    if let Some(table) = table {
        writeln!(out, "{table}")?;
    }
    totals(report, out)?;
    writeln!(out)?;
    facts(&report.runs, style, out)?;
    for warning in &report.warnings {
        let text = format!("{}: {}", warning.code, warning.text);
        for (at, line) in wrap(&visible(&text), style.width.saturating_sub(2)).into_iter().enumerate() {
            writeln!(out, "{}{line}", if at == 0 { "! " } else { "  " })?;
        }
    }
    Ok(())
}

/// A table of columns, the last of which takes what width is left.
pub fn grid(heads: &[&str], rows: Vec<Vec<String>>, style: Style) -> Table {
    let mut table = Table::new();
    table
        .load_style(match style.borders {
            Borders::Unicode => UTF8_FULL_CONDENSED,
            Borders::Ascii => ASCII_FULL_CONDENSED,
        })
        .set_content_arrangement(ContentArrangement::Disabled);
    let last = heads.len() - 1;
    let mut taken = 1;
    for (column, head) in heads.iter().enumerate().take(last) {
        let cells = rows.iter().map(|row| row[column].chars().count());
        taken += cells.chain([head.chars().count()]).max().unwrap_or(0) + 3;
    }
    let room = usize::from(style.width).saturating_sub(taken + 3).max(16);
    let gap = if style.borders == Borders::Ascii { ".." } else { "…" };
    table.set_header(heads.iter().map(Cell::new));
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, text)| {
            let align = if column == last { CellAlignment::Left } else { CellAlignment::Right };
            let text = if column == last { cut_middle(text, room, gap) } else { text.clone() };
            Cell::new(text).set_alignment(align)
        });
        table.add_row(cells);
    }
    if let Some(column) = table.column_mut(last) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(room as u16 + 2)));
    }
    table
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

fn through(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" through {}", names.join(", ")) }
}

fn caller_name(caller: Option<&crate::lock::site::Function>) -> String {
    caller.map_or_else(|| "(no caller recorded)".to_owned(), |caller| visible(&caller.name).into_owned())
}

fn locks(report: &Report, style: Style) -> Option<Table> {
    let mut rows = Vec::new();
    for row in &report.locks {
        rows.extend(lock_rows(row));
    }
    let rows = with_cut(rows, report, 6);
    let heads = ["share", "95 % of it in", "of lock", "samples", "family", "lock, <- call site"];
    (!rows.is_empty()).then(|| grid(&heads, rows, style))
}

/// The rows, and one that says what the limits cut off: its share in the first column, how many rows in the last.
fn with_cut(mut rows: Vec<Vec<String>>, report: &Report, columns: usize) -> Vec<Vec<String>> {
    if let Some(cut) = &report.cut {
        let mut row = vec![String::new(); columns];
        row[0] = share(&cut.share);
        row[columns - 1] = format!("{} more", cut.rows);
        rows.push(row);
    }
    rows
}

fn lock_rows(row: &LockRow) -> Vec<Vec<String>> {
    let mut rows = vec![vec![
        share(&row.share),
        interval(row.interval),
        String::new(),
        row.samples.to_string(),
        crate::lock::site::family_and_mode(row.lock.family, row.lock.mode),
        visible(&row.lock.name).into_owned(),
    ]];
    let line = |spread: &Spread, samples: u64, text: String| {
        vec![
            share(spread),
            String::new(),
            part(spread.mean, row.share.mean),
            samples.to_string(),
            String::new(),
            text,
        ]
    };
    for caller in row.callers.iter().take(CALLERS) {
        let text =
            format!("  <- {}{}", caller_name(caller.caller.as_ref()), visible(&through(&caller.through)));
        rows.push(line(&caller.share, caller.samples, text));
    }
    if let Some(rest) = row.callers.get(CALLERS..).filter(|rest| !rest.is_empty()) {
        let of_run = |run: usize| rest.iter().map(|caller| caller.share.runs[run]).sum::<f64>();
        let spread = Spread::over((0..row.share.runs.len()).map(of_run).collect());
        let samples = rest.iter().map(|caller| caller.samples).sum();
        rows.push(line(&spread, samples, format!("  <- {} more", rest.len())));
    }
    rows
}

fn sites(report: &Report, style: Style) -> Option<Table> {
    let mut sites: Vec<_> =
        report.locks.iter().flat_map(|row| row.callers.iter().map(move |caller| (row, caller))).collect();
    sites.sort_by(|a, b| b.1.share.mean.total_cmp(&a.1.share.mean));
    let rows: Vec<_> = sites
        .into_iter()
        .map(|(row, caller)| {
            let text = format!(
                "{} <- {}{}",
                visible(&row.lock.name),
                caller_name(caller.caller.as_ref()),
                visible(&through(&caller.through))
            );
            let family = crate::lock::site::family_and_mode(row.lock.family, row.lock.mode);
            vec![share(&caller.share), caller.samples.to_string(), family, text]
        })
        .collect();
    let rows = with_cut(rows, report, 4);
    (!rows.is_empty()).then(|| grid(&["share", "samples", "family", By::Site.head()], rows, style))
}

fn symbols(report: &Report, style: Style) -> Option<Table> {
    let row = |row: &crate::report::SymbolRow| {
        vec![
            share(&row.share),
            row.samples.to_string(),
            visible(&row.function.module).into_owned(),
            visible(&row.function.name).into_owned(),
        ]
    };
    let rows: Vec<_> = report.symbols.iter().map(row).collect();
    let rows = with_cut(rows, report, 4);
    (!rows.is_empty()).then(|| grid(&["self share", "samples", "module", By::Symbol.head()], rows, style))
}

fn groups(report: &Report, style: Style) -> Option<Table> {
    let row = |row: &crate::report::GroupRow| {
        vec![
            share(&row.share),
            part(row.share.mean, report.contention.share.mean),
            row.samples.to_string(),
            if report.by == By::Cpu { format!("{:>3}", row.label) } else { visible(&row.label).into_owned() },
        ]
    };
    let rows: Vec<_> = report.groups.iter().map(row).collect();
    let rows = with_cut(rows, report, 4);
    (!rows.is_empty()).then(|| grid(&["share", "of locks", "samples", report.by.head()], rows, style))
}

fn totals(report: &Report, out: &mut dyn Write) -> io::Result<()> {
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
    writeln!(out, "{}", parts.join("; "))
}

fn facts(runs: &[RunInfo], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for run in runs {
        let mut facts =
            vec![format!("{} samples of {} ({} {})", run.samples, run.event, run.weight.0, run.unit.word())];
        facts.push(run.rate.to_string());
        facts.extend(run.duration.map(|d| format!("{:.3} s", d.seconds())));
        facts.extend(run.cpus.map(|n| format!("{n} CPUs")));
        facts.extend(run.kernel.clone());
        facts.extend(run.command.clone());
        if run.lost > 0 {
            facts.push(format!("{} lost", run.lost));
        }
        let line = format!("{}: {}", run.file, facts.join(", "));
        for line in wrap(&visible(&line), style.width) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Breaks a text at blanks, and longer words anywhere, so that lines keep to a width. A percent sign stays with its
/// number.
pub fn wrap(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width);
    let mut lines: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(number) if word.starts_with('%') => *number = format!("{number} {word}"),
            _ => words.extend(pieces(word, width)),
        }
    }
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A word in pieces of at most `width` columns.
fn pieces(word: &str, width: usize) -> impl Iterator<Item = String> + '_ {
    let mut rest = word.chars().peekable();
    std::iter::from_fn(move || rest.peek().is_some().then(|| rest.by_ref().take(width.max(1)).collect()))
}
