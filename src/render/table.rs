//! Tables for a terminal.

use std::io::{self, Write};

use comfy_table::presets::{ASCII_FULL_CONDENSED, UTF8_FULL_CONDENSED};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

use super::escape::visible;
use super::label::Label;
use super::rows::{Room, Rows, rows, totals};
use super::style::{Borders, Style, cut_middle};
use crate::report::Report;
use crate::run::{RunInfo, Warning};

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for line in wrap(&visible(&report.headline), style.width) {
        writeln!(out, "{}", style.bold(&line))?;
    }
    writeln!(out)?;
    let Rows { heads, rows } = rows(report, Room::Wide);
    if !rows.is_empty() {
        let line = |(mut cells, label): (Vec<String>, Label)| {
            cells.push(label.text());
            cells
        };
        writeln!(out, "{}", grid(&heads, rows.into_iter().map(line).collect(), style))?;
    }
    writeln!(out, "{}", totals(report))?;
    writeln!(out)?;
    facts(&report.runs, style, out)?;
    warnings(&report.warnings, style, out)
}

/// Warnings, each in lines of its own.
///
/// # Errors
/// Those of `out`.
pub(super) fn warnings(warnings: &[Warning], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for warning in warnings {
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

fn facts(runs: &[RunInfo], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for run in runs {
        let mut facts = vec![match (run.samples, run.weight) {
            (Some(n), Some(weight)) => {
                format!("{n} samples of {} ({} {})", run.event, weight.0, run.unit.word())
            }
            _ => run.event.clone(),
        }];
        facts.extend(run.rate.map(|rate| rate.to_string()));
        facts.extend(run.duration.map(|d| format!("{:.3} s", d.seconds())));
        facts.extend(run.cpus.map(|n| format!("{n} CPUs")));
        facts.extend(run.kernel.clone());
        facts.extend(run.command.clone());
        if run.lost > 0 {
            facts.push(format!("{} lost", run.lost));
        }
        facts.extend(run.truncated.map(|at| format!("not whole from offset {at} on")));
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
            Some(number) if is_percent(word) && number.ends_with(|c: char| c.is_ascii_digit()) => {
                *number = format!("{number} {word}");
            }
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

/// A percent sign, with a mark behind it or without.
fn is_percent(word: &str) -> bool {
    word.strip_prefix('%').is_some_and(|mark| mark.len() < 2)
}

/// A word in pieces of at most `width` columns.
fn pieces(word: &str, width: usize) -> impl Iterator<Item = String> + '_ {
    let mut rest = word.chars().peekable();
    std::iter::from_fn(move || rest.peek().is_some().then(|| rest.by_ref().take(width.max(1)).collect()))
}
