//! A comparison as a table for a terminal.

use std::io::{self, Write};

use super::super::column::{ALL, Column, Notation, by_lock, columns, rows_head, without_verdict};
use super::super::escape::visible;
use super::super::fact;
use super::super::label::short;
use super::super::style::{Borders, Paint, Style};
use super::super::table::{grid, warnings, wrap};
use super::super::total;
use crate::compare::{Row, Subject, Verdict};
use crate::report::difference::Difference;

/// Columns of a terminal that has room for intervals beside names.
const WIDE: u16 = 120;

/// A table for a terminal.
///
/// # Errors
/// Those of `out`.
pub fn table(difference: &Difference, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let mut columns = columns(comparison, &ALL);
    columns.retain(|column| *column != Column::Interval || style.width >= WIDE);
    let notation = match style.borders {
        Borders::Unicode => Notation::PAGE,
        Borders::Ascii => Notation { plus_minus: "+-", ..Notation::PAGE },
    };
    for text in wrap(&visible(&difference.headline), style.width) {
        writeln!(out, "{}", style.bold(&text))?;
    }
    writeln!(out)?;
    let rows = rows(difference, &columns, notation);
    print(&columns, rows_head(comparison.settings.by), rows, style, out)?;
    let of_function = without_verdict(&columns);
    for (title, movers) in total::movers(difference) {
        let rows = movers.iter().map(|row| line(row, &of_function, notation, short(&row.subject).text()));
        print(&of_function, title, rows.collect(), style, out)?;
    }
    for (label, value) in total::lines(comparison, notation) {
        paragraph(&format!("{label}: {value}"), style, out)?;
    }
    writeln!(out)?;
    for (label, side) in [("before", &comparison.before), ("after", &comparison.after)] {
        paragraph(&format!("{label}: {}", side.name), style, out)?;
    }
    for fact in fact::of_sides(&comparison.before.runs, &comparison.after.runs) {
        paragraph(&format!("{}: {}", fact.label, fact.text()), style, out)?;
    }
    warnings(&difference.warnings, style, out)
}

/// Call sites below their locks, then the totals.
fn rows(difference: &Difference, columns: &[Column], notation: Notation) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for group in by_lock(total::shown(difference)) {
        if let Subject::Site { lock, .. } = &group[0].subject {
            let mut heading = vec![String::new(); columns.len()];
            heading.push(visible(&lock.name).into_owned());
            rows.push(heading);
        }
        for row in group {
            let lead = if matches!(row.subject, Subject::Site { .. }) { "  <- " } else { "" };
            rows.push(line(row, columns, notation, format!("{lead}{}", short(&row.subject).text())));
        }
    }
    for (label, mut cells) in total::rows(difference, columns, notation) {
        cells.push(label);
        rows.push(cells);
    }
    rows
}

fn line(row: &Row, columns: &[Column], notation: Notation, label: String) -> Vec<String> {
    columns.iter().map(|column| column.cell(row, notation)).chain([label]).collect()
}

fn paragraph(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    wrap(&visible(text), style.width).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn print(
    columns: &[Column],
    label: &str,
    rows: Vec<Vec<String>>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heads: Vec<&str> = columns.iter().map(|column| column.head()).chain([label]).collect();
    let text = grid(&heads, rows, style).to_string();
    let verdict = columns.iter().position(|column| *column == Column::Verdict);
    for line in text.lines() {
        writeln!(out, "{}", colored(line, verdict, style))?;
    }
    Ok(())
}

/// The line with its verdict in colour. It is searched in its own cell: names may say anything.
fn colored(line: &str, verdict: Option<usize>, style: Style) -> String {
    let border = |c: char| c == '│' || c == '┆' || c == '|';
    let mut borders = line.match_indices(border);
    let Some((start, _)) = verdict.and_then(|column| borders.nth(column)) else { return line.to_owned() };
    let end = borders.next().map_or(line.len(), |(at, _)| at);
    let cell = &line[start..end];
    let paint = [(Verdict::Better, Paint::Green), (Verdict::Worse, Paint::Red)];
    match paint.into_iter().find(|(verdict, _)| cell.contains(verdict.word())) {
        Some((verdict, paint)) => {
            let word = verdict.word();
            let cell = cell.replacen(word, &style.paint(paint, word), 1);
            format!("{}{cell}{}", &line[..start], &line[end..])
        }
        None => line.to_owned(),
    }
}
