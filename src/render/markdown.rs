//! Tables for pages and issues, as GitHub reads them: names as code, and nothing in them that acts.

use std::io::{self, Write};

use super::column::{ALL, Column, Notation, columns, rows_head, without_verdict};
use super::escape::visible;
use super::fact::{self, CALLED_OUT};
use super::label::{Label, Piece, full, short};
use super::rows::{self, Room, Rows};
use super::total;
use crate::compare::Row;
use crate::report::Report;
use crate::report::difference::Difference;
use crate::run::Warning;

/// Writes a report.
///
/// # Errors
/// Those of `out`.
pub fn report(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", sentence(&report.headline))?;
    let Rows { heads, rows } = rows::rows(report, Room::Wide);
    if !rows.is_empty() {
        let rows = rows.into_iter().map(|(cells, label)| (cells, marked(&label)));
        table(&heads, rows, out)?;
    }
    writeln!(out, "{}\n", escaped(&rows::totals(report)))?;
    let facts = fact::of_runs(&report.runs);
    table(&["value", "fact"], facts.into_iter().map(|(l, _, v)| (vec![fact_value(&v)], l.into())), out)?;
    warnings(report.warnings.iter(), out)?;
    formulas(rows::formulas(report), out)
}

/// Writes a comparison.
///
/// # Errors
/// Those of `out`.
pub fn difference(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let columns = columns(comparison, &ALL);
    let cells = |row: &Row, columns: &[Column]| -> Vec<String> {
        columns.iter().map(|column| column.cell(row, Notation::PAGE)).collect()
    };
    let heads = |columns: &[Column], label: &'static str| -> Vec<&str> {
        columns.iter().map(|column| column.head()).chain([label]).collect()
    };
    writeln!(out, "{}\n", sentence(&difference.headline))?;
    let rows = total::shown(difference).iter().map(|row| (cells(row, &columns), marked(&full(&row.subject))));
    let totals = total::rows(difference, &columns, Notation::PAGE).into_iter();
    let totals = totals.map(|(label, cells)| (cells, format!("**{label}**")));
    table(&heads(&columns, rows_head(comparison.settings.by)), rows.chain(totals), out)?;
    let of_function = without_verdict(&columns);
    for (title, movers) in total::movers(difference) {
        let rows = movers.iter().map(|row| (cells(row, &of_function), marked(&short(&row.subject))));
        table(&heads(&of_function, title), rows, out)?;
    }
    for (label, value) in total::lines(comparison, Notation::PAGE) {
        writeln!(out, "- {label}: {}", escaped(&value))?;
    }
    writeln!(out)?;
    let (before, after) = (&comparison.before, &comparison.after);
    let names = std::iter::once((vec![fact_value(&before.name), fact_value(&after.name)], "name".to_owned()));
    let facts = fact::of_sides(&before.runs, &after.runs).into_iter().map(|fact| {
        let label =
            if fact.differs() { format!("**{} differs**", fact.label) } else { fact.label.to_owned() };
        (vec![fact_value(&fact.before), fact_value(&fact.after)], label)
    });
    table(&["before", "after", "fact"], names.chain(facts), out)?;
    warnings(difference.warnings.iter().filter(|warning| !CALLED_OUT.contains(&warning.code)), out)?;
    let lines = columns.iter().filter_map(|column| column.formula(comparison, Notation::PAGE));
    formulas(lines.collect(), out)
}

/// A table: numbers to the right, names, which are markdown already, to the left.
fn table(
    heads: &[&str],
    rows: impl Iterator<Item = (Vec<String>, String)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heads: Vec<String> = heads.iter().map(|head| escaped(head)).collect();
    writeln!(out, "| {} |", heads.join(" | "))?;
    writeln!(out, "|{} :--- |", " ---: |".repeat(heads.len() - 1))?;
    for (cells, label) in rows {
        let cells: String = cells.iter().map(|cell| format!(" {} |", cell_text(cell))).collect();
        writeln!(out, "|{cells} {label} |")?;
    }
    writeln!(out)
}

/// Cells are numbers and words of our own, or code already.
fn cell_text(cell: &str) -> String {
    if cell.starts_with('`') || cell.starts_with("<code>") { cell.to_owned() } else { escaped(cell) }
}

fn fact_value(value: &str) -> String {
    if value.chars().all(|c| c.is_ascii_digit() || ".-".contains(c)) { value.to_owned() } else { code(value) }
}

fn warnings<'a>(warnings: impl Iterator<Item = &'a Warning>, out: &mut dyn Write) -> io::Result<()> {
    for warning in warnings {
        writeln!(out, "> **{}**: {}\n", warning.code, escaped(&visible(&warning.text)))?;
    }
    Ok(())
}

fn formulas(lines: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        writeln!(out, "- {}", escaped(&line))?;
    }
    Ok(())
}

fn marked(label: &Label) -> String {
    let pieces = label.0.iter().map(|piece| match piece {
        Piece::Word(text) => escaped(text),
        Piece::Name(name) => code(name),
    });
    pieces.collect::<String>().trim_start().to_owned()
}

/// The sentence: what stands in backticks is a name.
fn sentence(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick in a name would make the sentence's words code: then all of it is text.
    if parts.len().is_multiple_of(2) {
        return escaped(&visible(text));
    }
    let part = |(at, part): (usize, &&str)| if at % 2 == 1 { code(part) } else { escaped(&visible(part)) };
    parts.iter().enumerate().map(part).collect()
}

/// A name as code. Backticks and bars cannot stand between backticks in a table, so such a name becomes HTML.
fn code(name: &str) -> String {
    let name = visible(name);
    if name.trim().is_empty() || name.contains(['`', '|']) {
        return format!("<code>{}</code>", escaped(&name));
    }
    format!("`{name}`")
}

/// Text in which no character acts in markdown or HTML.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let starts = at == 0 && "-+>".contains(c);
        match c {
            '<' => shown.push_str("&lt;"),
            '>' if !starts => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '|' => shown.push_str("&#124;"),
            '`' => shown.push_str("&#96;"),
            '@' => shown.push_str("&#64;"),
            '\\' | '*' | '_' | '~' | '[' | ']' | '#' | '!' | '$' => {
                shown.push('\\');
                shown.push(c);
            }
            _ => shown.push(c),
        }
    }
    shown
}
