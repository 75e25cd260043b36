//! Text to paste into a reply on a mailing list: 7-bit ASCII, at most 72 columns, quoted three deep at most 80.

mod page;

use std::io::{self, Write};

use super::column::{Column, Notation, by_lock, columns, rows_head};
use super::fact::{self, CALLED_OUT};
use super::label::{full, short};
use super::rows::{self, Room, Rows};
use super::total;
use crate::compare::{Row, Subject};
use crate::report::Report;
use crate::report::difference::Difference;
use crate::run::Warning;
use page::{Line, Page};

/// The columns of a comparison, from the left; what leads comes first.
const COLUMNS: [Column; 5] =
    [Column::PerOperation, Column::Before, Column::After, Column::Points, Column::Proof];

/// Columns before the values of facts.
const FACT: usize = 9;

/// Writes a report. `width` is the most columns, if not 72; fewer than 60 are taken for 60.
///
/// # Errors
/// Those of `out`.
pub fn report(report: &Report, width: Option<u16>, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(width);
    page.sentence(&report.headline);
    let Rows { heads, rows } = rows::rows(report, Room::Narrow);
    if let Some((label, heads)) = heads.split_last().filter(|_| !rows.is_empty()) {
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        let line = |(cells, label): (Vec<String>, super::label::Label)| {
            let cells = cells.iter().map(|cell| cell.replace(" %", "%").replace('±', "+-")).collect();
            Line::Row(cells, label.text())
        };
        page.blank();
        page.table(&heads, label, rows.into_iter().map(line).collect());
    }
    page.notes();
    page.blank();
    page.paragraph(&rows::totals(report), "");
    page.blank();
    for (label, _, value) in fact::of_runs(&report.runs) {
        page.paragraph(&value, &format!("{label:FACT$}"));
    }
    warnings(&mut page, report.warnings.iter());
    footer(&mut page, rows::formulas(report));
    page.write(out)
}

/// Writes a comparison. `width` is as for [`report`].
///
/// # Errors
/// Those of `out`.
pub fn difference(difference: &Difference, width: Option<u16>, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &difference.comparison;
    let columns = columns(comparison, &COLUMNS);
    let mut page = Page::new(width);
    page.sentence(&difference.headline);
    page.blank();
    let heads: Vec<String> = columns.iter().map(|column| column.head().to_owned()).collect();
    page.table(&heads, rows_head(comparison.settings.by), table(difference, &columns));
    for (title, movers) in total::movers(difference) {
        let rows = movers.iter().map(|row| line(row, &columns, short(&row.subject).text()));
        page.blank();
        page.table(&heads, title, rows.collect());
    }
    page.notes();
    page.blank();
    for (label, value) in total::lines(comparison, Notation::MAIL) {
        page.paragraph(&value, &format!("{label}: "));
    }
    page.blank();
    page.paragraph(&comparison.before.name, &format!("{:FACT$}", "before"));
    page.paragraph(&comparison.after.name, &format!("{:FACT$}", "after"));
    for fact in fact::of_sides(&comparison.before.runs, &comparison.after.runs) {
        page.paragraph(&fact.text(), &format!("{:FACT$}", fact.label));
    }
    warnings(&mut page, difference.warnings.iter().filter(|warning| !CALLED_OUT.contains(&warning.code)));
    footer(
        &mut page,
        columns.iter().filter_map(|column| column.formula(comparison, Notation::MAIL)).collect(),
    );
    page.write(out)
}

/// Rows by lock, what was cut, and all locks.
fn table(difference: &Difference, columns: &[Column]) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in by_lock(total::shown(difference)) {
        match &group[0].subject {
            Subject::Site { lock, .. } => {
                lines.push(Line::Heading(lock.name.clone()));
                lines.extend(
                    group.iter().map(|row| line(row, columns, format!("<- {}", short(&row.subject).text()))),
                );
            }
            subject => lines.push(line(group[0], columns, full(subject).text())),
        }
    }
    let totals = total::rows(difference, columns, Notation::MAIL);
    lines.extend(totals.into_iter().map(|(label, cells)| Line::Row(cells, label)));
    lines
}

fn line(row: &Row, columns: &[Column], name: String) -> Line {
    Line::Row(columns.iter().map(|column| column.cell(row, Notation::MAIL)).collect(), name)
}

fn warnings<'a>(page: &mut Page, warnings: impl Iterator<Item = &'a Warning>) {
    for (at, warning) in warnings.enumerate() {
        if at == 0 {
            page.blank();
        }
        page.paragraph(&warning.text, &format!("{}: ", warning.code));
    }
}

fn footer(page: &mut Page, formulas: Vec<String>) {
    page.blank();
    for formula in formulas {
        page.paragraph(&formula, "");
    }
}
